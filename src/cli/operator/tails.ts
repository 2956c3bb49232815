import { escapeLine } from '../../conformance/reports/escape.ts'
import { ENDPOINT_IDS } from '../../contract/endpoints.ts'
import { ERROR_CODES } from '../../contract/errors.ts'
import { EVENT_TYPES } from '../../contract/event-types.ts'
import { SandboxRefusal } from '../../operator-api/refusals.ts'
import { DELIVERY_STATES } from '../../operator-api/rows/deliveries.ts'
import { isRecord, membersOf, type Row } from '../output/records.ts'
import { commandError } from './command-errors.ts'
import { type MemberFlag, membersFrom, withMemberFlags } from './member-flags.ts'
import type { OperatorCommand, OperatorContext } from './operator-command.ts'
import { deliveryLine, eventLine, requestLine } from './show/tail-lines.ts'

/** What is followed, and how it is shown. */
interface Tail {
  kind: 'event' | 'request' | 'delivery'
  summary: string
  /** Each lets only those through that have this value in the member. */
  filters: readonly MemberFlag[]
  /** Whether it can begin with what has happened. */
  hasHistory?: true
  /** One line, without its end. */
  line(row: Row): string
  /** What is to be said below it, if anything. */
  note?(context: OperatorContext, row: Row): Promise<string | null>
  /** Whether it is shown at all. */
  wanted?(row: Row): boolean
}

export const EVENT_TAIL = tailCommand({
  kind: 'event',
  summary: 'follow the events of all partners as they happen',
  filters: [
    ['type', '--type <type>', 'only those of this type', EVENT_TYPES],
    ['partner_id', '--partner <id>', 'only those of this partner'],
  ],
  hasHistory: true,
  line: eventLine,
})

export const DELIVERY_TAIL = tailCommand({
  kind: 'delivery',
  summary: 'follow webhook deliveries: each attempt as it is made, and what is dropped',
  filters: [
    ['state', '--state <state>', 'only those in this state then', DELIVERY_STATES],
    ['type', '--type <type>', 'only those of events of this type', EVENT_TYPES],
    ['partner_id', '--partner <id>', 'only those to this partner'],
  ],
  wanted: ({ state, attempt_count }) => state !== 'pending' || attempt_count !== 0,
  line: deliveryLine,
})

export const REQUEST_TAIL = tailCommand({
  kind: 'request',
  summary: 'follow the calls as they are answered; a refused signature with what was wrong',
  filters: [
    ['status', '--status <n>', 'only answers with this status, or of this class: 401, 4xx'],
    ['code', '--code <code>', 'only refusals with this code', ERROR_CODES],
    ['endpoint', '--endpoint <id>', 'only calls of this endpoint', ENDPOINT_IDS],
    ['key_id', '--key <id>', 'only calls with this key id'],
  ],
  line: requestLine,
  note: diagnosisOf,
})

function tailCommand({ kind, summary, filters, hasHistory, ...how }: Tail): OperatorCommand<{ after?: string }> {
  return {
    usage: `${kind} tail`,
    summary,
    options(command) {
      withMemberFlags(command, filters)
      if (hasHistory) command.option('--after <id>', 'first all that came after this event')
      return command.addHelpText('after', '\nCtrl-C ends it. With --json each line is one JSON object.')
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
  row: Row,
  context: OperatorContext,
  { line, note }: Pick<Tail, 'line' | 'note'>,
): Promise<string> {
  if (context.isJson) return `${JSON.stringify(row)}\n`
  const below = await note?.(context, row)
  return `${line(row)}\n${below ? `    ${below}\n` : ''}`
}

/**
 * Hands over each thing as it happens, until Ctrl-C or until nobody reads any more.
 *
 * @throws CliError where the world or its sandbox has gone.
 */
async function follow(
  context: OperatorContext,
  only: Tail['kind'],
  after: string | undefined,
  show: (row: Row) => Promise<void>,
): Promise<void> {
  const { client, session, world } = context
  const heard = async ({ event, data }: { event: string; data: Row }) => {
    if (event === only) await show(data)
  }
  if (session.errIsTerminal) session.err(`following the world ${world}; Ctrl-C ends\n`)
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
function filterFrom({ status, ...members }: Row): (row: Row) => boolean {
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

/** The one sentence on a refused signature, which takes some working out and so is no part of the list. */
async function diagnosisOf(context: OperatorContext, row: Row): Promise<string | null> {
  if (row['code'] !== 'invalid_signature') return null
  try {
    const shown = await context.call('requests.show', { request_id: String(row['request_id']) })
    const { diagnosis, detail } = membersOf(shown)
    const said = isRecord(diagnosis) ? diagnosis['sentence'] : detail
    return typeof said === 'string' && said !== '' ? escapeLine(said) : null
  } catch {
    // The log of a busy world may have it no more.
    return null
  }
}
