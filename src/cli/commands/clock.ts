import { parseDuration } from '../../clock/duration.ts'
import { parseInstant } from '../../clock/instant.ts'
import type { BodyOf } from '../../operator-api/operations.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { advanceClock } from '../operator/advance-clock.ts'
import { commandError } from '../operator/command-errors.ts'
import type { Extras } from '../operator/group.ts'
import type { OperatorCommand } from '../operator/operator-command.ts'
import { clockText, receiptText } from '../operator/show/clock.ts'
import { choiceOption, integerBetween } from '../option-parsers.ts'
import { membersOf } from '../output/records.ts'

interface AdvanceOptions {
  to?: string
  until?: 'next' | 'idle'
  list?: number
}

const ADVANCE: OperatorCommand<AdvanceOptions> = {
  usage: 'clock advance [duration]',
  summary: 'move ahead by a duration (10m30s, 2h, 7d), to an instant, or until something is due',
  options: (advance) =>
    advance
      .option('--to <iso>', 'to this instant')
      .addOption(choiceOption('--until <what>', 'to what is due next, or until nothing is due', ['next', 'idle']))
      .option(
        '--list <n>',
        'how many of the things that happened are listed (default: 10000)',
        integerBetween(0, 1_000_000),
      )
      .addHelpText(
        'after',
        `\nidle: recurring settlement runs that would find nothing do not count.\nCtrl-C stops it where it has come to; the exit code is then 1.`,
      ),
  async run(context, [duration], { list, ...options }) {
    const body = { ...howFar(duration, options), ...(list !== undefined && { list }) }
    const receipt = await advanceClock(context, body)
    const clock = options.until === 'idle' && !context.isJson ? await context.call('clock.show', {}) : null
    context.show(receipt, (answer) => receiptText(answer, clock))
    if (membersOf(receipt)['stopped'] === true) context.session.exitWith(EXIT_CODES.refused)
  },
}

const SET: OperatorCommand = {
  usage: 'clock set <iso>',
  summary: 'set the time; only ahead',
  async run(context, [iso = '']) {
    if (parseInstant(iso) === null) throw commandError('not-an-instant', { what: 'the time', text: iso })
    context.show(await context.call('clock.set', {}, { now: iso }), clockText)
  },
}

/** Checks what can be checked here, so that the line names the argument; the rest is the operator's to say. */
function howFar(duration: string | undefined, { to, until }: AdvanceOptions): BodyOf<'clock.advance'> {
  const given = [duration, to, until].filter((way) => way !== undefined).length
  if (given > 1) throw commandError('how-far-twice')
  if (given === 0) throw commandError('how-far-missing')
  if (duration !== undefined) {
    if (parseDuration(duration) === null) throw commandError('not-a-duration', { text: duration })
    return { by: duration }
  }
  if (to !== undefined) {
    if (parseInstant(to) === null) throw commandError('not-an-instant', { what: '--to', text: to })
    return { to }
  }
  return until === undefined ? {} : { until }
}

export const EXTRAS: Extras = { show: [ADVANCE], run: [SET] }
