import { durationProblem, parseDuration } from '../../clock/duration.ts'
import { parseInstant } from '../../clock/instant.ts'
import { callAfter } from '../../clock/wall-clock.ts'
import { escapeLine } from '../../conformance/reports/escape.ts'
import { isObject } from '../../contract/is-object.ts'
import type { BodyOf } from '../../operator-api/operations.ts'
import { clockRows } from '../../operator-api/rows/clock.ts'
import type { StreamMessage } from '../../operator-api/stream-messages.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { commandError } from '../operator/command-errors.ts'
import type { Group } from '../operator/group.ts'
import type { OperatorCommand, OperatorContext } from '../operator/operator-command.ts'
import { clockText, receiptText } from '../operator/show/clock.ts'
import { choiceOption, integerBetween } from '../option-parsers.ts'
import { progressLine } from '../output/progress-line.ts'
import { membersOf, type OutputRow } from '../output/records.ts'

interface AdvanceOptions {
  to?: string
  until?: 'next' | 'idle'
  list?: number
}

const ADVANCE: OperatorCommand<AdvanceOptions> = {
  usage: 'clock advance [duration]',
  summary: 'move ahead by a duration (10m30s, 2h, 7d), to a time, or to the next scheduled task',
  options: (advance) =>
    advance
      .option('--to <iso>', 'move to this time')
      .addOption(
        choiceOption('--until <what>', 'move to the next scheduled task, or until none is left', ['next', 'idle']),
      )
      .option('--list <n>', 'how many of the results to list (default: 10000)', integerBetween(0, 1_000_000))
      .addHelpText(
        'after',
        `\nidle: recurring settlement runs without orders to settle do not count.\nCtrl-C stops it where it is; the exit code is then 1.`,
      ),
  async run(context, [duration], { list, ...options }) {
    const body = { ...howFar(duration, options), ...(list !== undefined && { list }) }
    await moveClock(context, body, options.until ?? null)
  },
}

const SET: OperatorCommand = {
  usage: 'clock set <iso>',
  summary: 'set the time (forward only), and list what fell due on the way',
  async run(context, [iso = '']) {
    if (parseInstant(iso) === null) throw commandError('not-an-instant', { what: 'the time', text: iso })
    // With --json, programs get the clock; a person wants to know what fell due on the way.
    if (context.isJson) context.show(await context.call('clock.set', {}, { now: iso }), clockText)
    else await moveClock(context, { to: iso }, null)
  },
}

/**
 * Moves a clock, shows how far it has come, and then the receipt. The first signal stops the jump, and its receipt says where it
 * has come to; the second one ends the program.
 */
async function moveClock(
  context: OperatorContext,
  body: BodyOf<'clock.advance'>,
  until: 'next' | 'idle' | null,
): Promise<void> {
  const { client, world, session, isJson } = context
  // A jump that ends at this moment answers on its own and cannot be stopped.
  const stop = () => void context.call('clock.stop', {}).catch(() => {})
  const interrupted = session.interrupted()
  interrupted.addEventListener('abort', stop)
  const endProgress = isJson ? null : showProgress(context)
  const moved = isJson ? context.call('clock.advance', {}, body) : client.call('clock.advance', { w: world }, body)
  const receipt = await moved.finally(async () => {
    await endProgress?.()
    interrupted.removeEventListener('abort', stop)
  })
  const clock = until === 'idle' && !isJson ? await context.call('clock.show', {}) : null
  context.show(receipt, (answer) => receiptText(answer, clock))
  if (membersOf(receipt)['stopped'] === true) session.exitWith(EXIT_CODES.refused)
}

/** Checks what can be checked here, so that the line names the argument; the rest is the operator's to say. */
function howFar(duration: string | undefined, { to, until }: AdvanceOptions): BodyOf<'clock.advance'> {
  const given = [duration, to, until].filter((way) => way !== undefined).length
  if (given > 1) throw commandError('how-far-twice')
  if (given === 0) throw commandError('how-far-missing')
  if (duration !== undefined) {
    if (parseDuration(duration) === null)
      throw commandError('not-a-duration', { text: duration, problem: durationProblem(duration) })
    return { by: duration }
  }
  if (to !== undefined) {
    if (parseInstant(to) === null) throw commandError('not-an-instant', { what: '--to', text: to })
    return { to }
  }
  return until === undefined ? {} : { until }
}

const LINE_EVERY_MS = 5_000
/** Some terminals do not say how wide they are. */
const USUAL_COLUMNS = 80

/** Most jumps are over by then, and are not made longer by a connection to follow them on. */
const FOLLOWED_AFTER_MS = 100

/** A jump goes on without it, so its failure is not an error. */
function showProgress({ client, world, session }: OperatorContext): () => Promise<void> {
  let end = async () => {}
  const alarm = callAfter(FOLLOWED_AFTER_MS, () => {
    const line = progressLine(session, { width: (session.columns || USUAL_COLUMNS) - 1, everyMs: LINE_EVERY_MS })
    const heard = ({ data: { advancing } }: StreamMessage) => {
      if (isObject(advancing)) line.draw(escapeLine(jumpLine(advancing)))
    }
    const over = new AbortController()
    const followed = client.follow({ w: world }, { only: 'clock' }, { heard }, over.signal).catch(() => {})
    end = async () => {
      over.abort()
      await followed
      line.clear()
    }
  })
  return () => {
    alarm.cancel()
    return end()
  }
}

function jumpLine({ from, to, now, things_done }: OutputRow): string {
  const [fromMs = 0, toMs = 0, nowMs = 0] = [from, to, now].map((time) => Date.parse(String(time)))
  // How much of the way it has come, where that is known.
  const share = (nowMs - fromMs) / (toMs - fromMs)
  const percent = Number.isFinite(share) ? ` (${Math.floor(share * 100)}%)` : ''
  return `${String(now)}${percent}, ${Number(things_done).toLocaleString('en-US')} tasks done`
}

export const GROUP: Group = { rows: clockRows, extras: { show: [ADVANCE], run: [SET] } }
