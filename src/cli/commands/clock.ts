import type { Command } from 'commander'
import { DURATION_WORDS, parseDuration } from '../../clock/duration.ts'
import { parseInstant } from '../../clock/instant.ts'
import { advanceClock } from '../advance-clock.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { isRecord } from '../operator-client.ts'
import { addSubcommand, rowsOf } from '../operator-command.ts'
import { integerBetween } from '../option-parsers.ts'
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
        .option(
          '--list <n>',
          'how many of the things that happened are listed (default: 10000)',
          integerBetween(0, 1_000_000),
        )
        .addHelpText('after', '\nCtrl-C stops it where it has come to; the exit code is then 1.'),
    run: async (context, [duration], options) => {
      const receipt = await advanceClock(context, session, advanceBody(duration, options))
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

interface AdvanceOptions {
  to?: string
  until?: string
  list?: number
}

/** Checks what can be checked here, so that the line names the argument; the rest is the operator's to say. */
function advanceBody(duration: string | undefined, { list, ...options }: AdvanceOptions): object {
  return { ...howFar(duration, options), ...(list !== undefined && { list }) }
}

function howFar(duration: string | undefined, { to, until }: AdvanceOptions): object {
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
    ['happened', countsText(receipt['counts'])],
  ])
  if (happened.length === 0) return span
  const columns = ['at', 'kind', 'id', 'summary'].map((name) => ({
    heading: name.toUpperCase(),
    cell: (row: Record<string, unknown>) => row[name],
  }))
  const more = receipt['truncated'] === true ? `(the first ${happened.length}; there were more: --list)\n` : ''
  return `${span}\n${table(happened, columns)}${more}`
}

/** The sum, and where it is of several kinds how many of each. */
function countsText(counts: unknown): string {
  const kinds = Object.entries(isRecord(counts) ? counts : {})
  if (kinds.length === 0) return 'nothing was due'
  const total = kinds.reduce((sum, [, count]) => sum + Number(count), 0)
  return kinds.length === 1 ? String(total) : `${total} (${kinds.map(([kind, n]) => `${n} ${kind}`).join(', ')})`
}
