import { allRows, type PagedList } from '../../operator-api/all-rows.ts'
import { SandboxRefusal } from '../../operator-api/refusals.ts'
import { isRecord, rowsOf } from '../output/records.ts'
import { commandError } from './command-errors.ts'
import type { OperatorContext } from './operator-command.ts'

/** Where the ids of a kind are listed, and how to find that of a domain. */
interface IdSource {
  readonly noun: string
  readonly list: PagedList | 'faults.list'
  /** The list, and the id of one of its rows. */
  readonly rows: string
  readonly member: string
  /** Asks for the newest first where the list has another order. */
  readonly query?: object
  /** Of a short list that can only be had whole. */
  readonly isOldestFirst?: true
  /** The latest id of a domain; left out if nothing of this kind is about a domain. */
  readonly ofDomain?: (context: OperatorContext, domain: string) => Promise<string>
}

/** Of these a person may give the id in short. */
type IdKindName =
  | 'orders'
  | 'cases'
  | 'checkout'
  | 'requests'
  | 'deliveries'
  | 'events'
  | 'settlementRuns'
  | 'payoutRuns'
  | 'faults'

const KINDS: Readonly<Record<IdKindName, IdSource>> = {
  orders: { noun: 'order', list: 'orders.list', rows: 'orders', member: 'public_id', ofDomain: newestWith('orders') },
  cases: { noun: 'case', list: 'cases.list', rows: 'cases', member: 'case_id', ofDomain: newestWith('cases') },
  checkout: {
    ...{ noun: 'checkout session', list: 'checkout.list', rows: 'checkout_sessions', member: 'session_id' },
    ofDomain: newestWith('checkout'),
  },
  requests: {
    ...{ noun: 'call', list: 'requests.list', rows: 'requests', member: 'request_id' },
    ofDomain: (context, domain) => latestOf(context, 'requests', { q: domain }),
  },
  deliveries: {
    ...{ noun: 'delivery', list: 'deliveries.list', rows: 'deliveries', member: 'delivery_id' },
    ofDomain: async (context, domain) =>
      latestOf(context, 'deliveries', { event_id: await latestEventOf(context, domain, 'delivery') }),
  },
  events: {
    ...{ noun: 'event', list: 'events.list', rows: 'events', member: 'id', query: { latest: 'true' } },
    ofDomain: (context, domain) => latestEventOf(context, domain, 'event'),
  },
  settlementRuns: {
    ...{ noun: 'settlement run', list: 'settlementRuns.list', rows: 'settlement_runs', member: 'run_id' },
  },
  payoutRuns: { noun: 'payout run', list: 'payoutRuns.list', rows: 'payout_runs', member: 'run_id' },
  faults: { noun: 'fault', list: 'faults.list', rows: 'faults', member: 'id', isOldestFirst: true },
}

function newestWith(name: 'orders' | 'cases' | 'checkout') {
  return (context: OperatorContext, domain: string) => latestOf(context, name, { domain })
}

/** @param operation such as `orders.show`. */
export function idKindOf(operation: string): IdKindName | null {
  const [resource = ''] = operation.split('.')
  return isKindName(resource) ? resource : null
}

function isKindName(name: string): name is IdKindName {
  return Object.hasOwn(KINDS, name)
}

/** For the help of a command: what may be given for an id. */
export function idWords(name: IdKindName): string {
  const { noun, ofDomain } = KINDS[name]
  return `${ofDomain ? 'id, beginning of an id, or domain' : 'id, or beginning of one'}; "last" is the latest ${noun}`
}

/**
 * Asks by an id that may be given in short: a domain stands for what is the latest of it, `last` for the latest of all, and
 * the beginning of an id for that id.
 *
 * @throws CliError if there is none, or if several ids begin so.
 * @example await askById(context, 'orders', 'last', (public_id) => context.call('orders.show', { public_id }))
 */
export async function askById<Answer>(
  context: OperatorContext,
  name: IdKindName,
  given: string,
  ask: (id: string) => Promise<Answer>,
): Promise<Answer> {
  const { ofDomain } = KINDS[name]
  if (given === 'last') return ask(await latestOf(context, name, {}))
  if (ofDomain && /^[^/]+\.[^/]+$/.test(given)) return ask(await ofDomain(context, given))
  return ask(given).catch(async (error: unknown) => {
    const id = isUnknown(error) ? await beginningWith(context, name, given) : null
    if (id === null) throw error
    return ask(id)
  })
}

function isUnknown(error: unknown): boolean {
  return error instanceof SandboxRefusal && error.status === 404
}

async function latestOf(context: OperatorContext, name: IdKindName, filter: object): Promise<string> {
  const { noun, list, rows, member, query, isOldestFirst } = KINDS[name]
  const asked = isOldestFirst ? {} : { ...query, ...filter, limit: 1 }
  const found = rowsOf(await context.call(list, {}, asked as never), rows)
  const id = found.at(isOldestFirst ? -1 : 0)?.[member]
  if (typeof id !== 'string') throw commandError('nothing-yet', { noun, world: context.world })
  return id
}

async function beginningWith(
  { client, world }: OperatorContext,
  name: IdKindName,
  given: string,
): Promise<string | null> {
  const { list, noun, member, isOldestFirst } = KINDS[name]
  const all = (await allRows(client, world, list, isOldestFirst ? {} : { limit: 100 })).filter(isRecord)
  const ids = all.map((row) => String(row[member])).filter((id) => id.startsWith(given))
  if (ids.length > 1) {
    throw commandError('several-ids', { noun, text: given, count: String(ids.length), ids: ids.slice(0, 3).join(', ') })
  }
  return ids[0] ?? null
}

async function latestEventOf(context: OperatorContext, domain: string, noun: string): Promise<string> {
  const [order] = rowsOf(await context.call('orders.list', {}, { domain, limit: 1 }), 'orders')
  const events = await allRows(context.client, context.world, 'events.list', { latest: 'true', limit: 200 })
  const event = events.find(({ data }) => isAbout(data, domain, order?.['public_id']))
  if (!event) throw commandError('nothing-yet', { noun: `${noun} for ${domain}`, world: context.world })
  return event.id
}

function isAbout(data: object, domain: string, publicId: unknown): boolean {
  return Object.values(data).some(
    (facts) => isRecord(facts) && (facts['domain'] === domain || facts['public_id'] === publicId),
  )
}
