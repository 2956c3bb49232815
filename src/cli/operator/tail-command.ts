import { escapeLine, jsonText } from '../../conformance/reports/escape.ts'
import { EVENT_TYPES } from '../../contract/event-types.ts'
import { SandboxRefusal } from '../../operator-api/refusals.ts'
import type { OutputRow } from '../output/records.ts'
import { commandError } from './command-errors.ts'
import { type MemberFlag, membersFrom, withMemberFlags } from './member-flags.ts'
import type { OperatorCommand, OperatorContext } from './operator-command.ts'

export const LONGEST_EVENT_TYPE = Math.max(...EVENT_TYPES.map((type) => type.length))

const WAITED_FOR = { event: 'events', request: 'calls', delivery: 'attempts of deliveries' } as const

interface Tail {
  kind: 'event' | 'request' | 'delivery'
  summary: string
  /** Each lets only those through that have this value in the member. */
  filters: readonly MemberFlag[]
  /** Whether it can begin with what has happened. */
  hasHistory?: true
  /** The cells of its line. Those above and below are not known, so each is as wide as its kind usually is. */
  line(row: OutputRow): readonly (readonly [value: unknown, width: number])[]
  note?(context: OperatorContext, row: OutputRow): Promise<string | null>
  wanted?(row: OutputRow): boolean
}

export function tailCommand({ kind, summary, filters, hasHistory, ...how }: Tail): OperatorCommand<{ after?: string }> {
  return {
    usage: `${kind} tail`,
    summary,
    options(command) {
      withMemberFlags(command, filters)
      if (hasHistory) command.option('--after <id>', 'begin with the events after this one')
      return command.addHelpText('after', '\nStop with Ctrl-C. With --json each line is one JSON object.')
    },
    async run(context, _args, options) {
      const passes = filterFrom(membersFrom(filters, options))
      await follow(context, kind, options.after, async (row) => {
        if (passes(row) && how.wanted?.(row) !== false) context.session.out(await textOf(row, context, how))
      })
    },
  }
}

async function textOf(
  row: OutputRow,
  context: OperatorContext,
  { line, note }: Pick<Tail, 'line' | 'note'>,
): Promise<string> {
  if (context.isJson) return `${jsonText(row)}\n`
  const cells = line(row).map(([value, width]) => escapeLine(String(value ?? '-')).padEnd(width))
  const below = await note?.(context, row)
  return `${cells.join('  ').trimEnd()}\n${below ? `    ${below}\n` : ''}`
}

/**
 * Hands over each thing as it happens, until Ctrl-C or until the reader closes.
 *
 * @throws CliError where the world or its sandbox has gone.
 */
async function follow(
  context: OperatorContext,
  only: Tail['kind'],
  after: string | undefined,
  show: (row: OutputRow) => Promise<void>,
): Promise<void> {
  const { client, session, world } = context
  const heard = async ({ event, data }: { event: string; data: OutputRow }) => {
    if (event === only) await show(data)
  }
  if (session.errIsTerminal) session.err(`waiting for ${WAITED_FOR[only]} in the world ${world}; Ctrl-C ends\n`)
  const interrupted = session.interrupted()
  const stop = session.readerGone ? AbortSignal.any([interrupted, session.readerGone]) : interrupted
  const query = { only, ...(after !== undefined && { after }) }
  const ended = await client.follow({ w: world }, query, { heard }, stop)
  if (ended === 'ended') throw await whatHasGone(context)
}

async function whatHasGone({ call, client, world }: OperatorContext): Promise<Error> {
  try {
    await call('worlds.show', {})
    return commandError('not-read')
  } catch (error) {
    if (error instanceof SandboxRefusal) return commandError('world-deleted', { world })
    return commandError('sandbox-gone', { url: client.address.url })
  }
}

/** A wrong filter is refused before anything is asked. */
function filterFrom({ status, ...members }: OutputRow): (row: OutputRow) => boolean {
  const hasStatus = statusFilter(status)
  const wanted = Object.entries(members)
  return (row) => hasStatus(row['status']) && wanted.every(([name, value]) => row[name] === value)
}

function statusFilter(wanted: unknown): (status: unknown) => boolean {
  if (typeof wanted !== 'string') return () => true
  if (!/^[1-5](?:\d\d|xx)$/i.test(wanted)) throw commandError('status-filter', { text: wanted })
  const pattern = new RegExp(`^${wanted.replace(/xx$/i, '\\d\\d')}$`)
  return (status) => pattern.test(String(status))
}
