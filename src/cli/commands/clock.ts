import type { Command } from 'commander'
import { DURATION_WORDS, parseDuration } from '../../clock/duration.ts'
import { parseInstant } from '../../clock/instant.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { isRecord } from '../operator-client.ts'
import { addSubcommand, type OperatorContext, rowsOf } from '../operator-command.ts'
import { outline } from '../output/outline.ts'
import { fields, table } from '../output/table.ts'
import { CliError, type Session } from '../session.ts'

export function configure(command: Command, session: Session): void {
  addSubcommand(command, session, {
    usage: 'show',
    summary: 'mode, time, and what is due next',
    run: async (context) => context.show(await context.askWorld('GET', '/clock'), outline),
  })
  addSubcommand<AdvanceOptions>(command, session, {
    usage: 'advance [duration]',
    summary: 'move ahead by a duration (10m30s, 2h, 7d), to an instant, or until something is due',
    options: (advance) =>
      advance
        .option('--to <iso>', 'to this instant')
        .option('--until <what>', '"next": to what is due next; "idle": until nothing is due')
        .addHelpText('after', '\nCtrl-C stops it where it has come to; the exit code is then 1.'),
    run: async (context, [duration], options) => {
      const receipt = await stoppable(context, session, advanceBody(duration, options))
      context.show(receipt, receiptText)
      if (isRecord(receipt) && receipt['stopped'] === true) session.exitWith(EXIT_CODES.refused)
    },
  })
  for (const [usage, mode, summary] of [
    ['freeze', 'frozen', 'let the clock stand still'],
    ['run', 'running', 'let the clock tick'],
  ] as const) {
    addSubcommand(command, session, {
      usage,
      summary,
      run: async (context) => context.show(await context.askWorld('PUT', '/clock', { mode }), outline),
    })
  }
  addSubcommand(command, session, {
    usage: 'set <iso>',
    summary: 'set the time; only ahead',
    run: async (context, [iso = '']) => {
      if (parseInstant(iso) === null) throw notAnInstant('the time', iso)
      context.show(await context.askWorld('PUT', '/clock', { now: iso }), outline)
    },
  })
}

/** The first signal stops the jump, and its receipt says where it has come to; the second one ends the program. */
async function stoppable(context: OperatorContext, session: Session, body: object): Promise<unknown> {
  // A jump that ends just then answers by itself, and there is nothing to stop.
  const stop = () => void context.askWorld('DELETE', '/clock/advance').catch(() => {})
  const interrupted = session.interrupted()
  interrupted.addEventListener('abort', stop)
  try {
    return await context.askWorld('POST', '/clock/advance', body)
  } finally {
    interrupted.removeEventListener('abort', stop)
  }
}

interface AdvanceOptions {
  to?: string
  until?: string
}

/** Checks what can be checked here, so that the line names the argument; the rest is the operator's to say. */
function advanceBody(duration: string | undefined, { to, until }: AdvanceOptions): object {
  const given = [duration, to, until].filter((way) => way !== undefined).length
  if (given !== 1) throw new CliError('say how far: a duration such as 10m30s, or --to INSTANT, or --until next|idle')
  if (duration !== undefined) {
    if (parseDuration(duration) === null) throw new CliError(`${JSON.stringify(duration)} is not ${DURATION_WORDS}`)
    return { by: duration }
  }
  if (to !== undefined) {
    if (parseInstant(to) === null) throw notAnInstant('--to', to)
    return { to }
  }
  if (until !== 'next' && until !== 'idle')
    throw new CliError(`--until must be next or idle, not ${JSON.stringify(until)}`)
  return { until }
}

function notAnInstant(what: string, text: string): CliError {
  return new CliError(`${what} must be ISO 8601 with a zone, e.g. 2026-01-31T12:00:00Z, not ${JSON.stringify(text)}`)
}

/** From, to, and everything that happened in between, in order. */
function receiptText(answer: unknown): string {
  const receipt = isRecord(answer) ? answer : {}
  const happened = rowsOf(receipt, 'happened')
  const span = fields([
    ['from', receipt['from']],
    ['to', receipt['stopped'] === true ? `${String(receipt['to'])} (stopped)` : receipt['to']],
    ['happened', happened.length === 0 ? 'nothing was due' : happened.length],
  ])
  if (happened.length === 0) return span
  const columns = ['at', 'kind', 'id', 'summary'].map((name) => ({
    heading: name.toUpperCase(),
    cell: (row: Record<string, unknown>) => row[name],
  }))
  return `${span}\n${table(happened, columns)}`
}
