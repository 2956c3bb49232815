import { isObject } from '../../contract/is-object.ts'
import { firstFew } from '../../contract/words.ts'
import { allRows } from '../../operator-api/all-rows.ts'
import { SandboxRefusal } from '../../operator-api/refusals.ts'
import { membersOf, rowsOf } from '../output/records.ts'
import { commandError } from './command-errors.ts'
import type { OperatorContext } from './operator-command.ts'

/** Of these a person may give the id in short: what each is called, and the member of a listed one that is its id. */
const KINDS = {
  orders: { noun: 'order', member: 'public_id' },
  cases: { noun: 'case', member: 'case_id' },
  checkout: { noun: 'checkout session', member: 'session_id' },
  requests: { noun: 'call', member: 'request_id' },
  deliveries: { noun: 'delivery', member: 'delivery_id' },
  events: { noun: 'event', member: 'id' },
  settlementRuns: { noun: 'settlement run', member: 'run_id' },
  payoutRuns: { noun: 'payout run', member: 'run_id' },
  faults: { noun: 'fault', member: 'id' },
} as const

type IdKindName = keyof typeof KINDS

/** The latest id of a domain. What is not here is about no domain. */
const OF_DOMAIN: Partial<Record<IdKindName, (context: OperatorContext, domain: string) => Promise<string>>> = {
  orders: (context, domain) => latestOf(context, 'orders', { domain }, domain),
  cases: (context, domain) => latestOf(context, 'cases', { domain }, domain),
  checkout: (context, domain) => latestOf(context, 'checkout', { domain }, domain),
  requests: (context, domain) => latestOf(context, 'requests', { q: domain }, domain),
  deliveries: async (context, domain) =>
    latestOf(context, 'deliveries', { event_id: await latestEventOf(context, domain, 'delivery') }, domain),
  events: (context, domain) => latestEventOf(context, domain, 'event'),
}

/** @param operation such as `orders.show`. */
export function idKindOf(operation: string): IdKindName | null {
  const [resource = ''] = operation.split('.')
  return Object.hasOwn(KINDS, resource) ? (resource as IdKindName) : null
}

/** For the help of a command: what may be given for an id. */
export function idWords(kind: IdKindName): string {
  const words = OF_DOMAIN[kind] ? 'id, beginning of an id, or domain' : 'id, or beginning of one'
  return `${words}; "last" is the latest ${KINDS[kind].noun}`
}

/**
 * Asks by an id that may be given in short: a domain stands for what is the latest of it, `last` for the latest of all, and
 * the beginning of an id for that id.
 *
 * @throws CliError if it is empty, if there is none, or if several ids begin so.
 * @example await askById(context, 'orders', 'last', (public_id) => context.call('orders.show', { public_id }))
 */
export async function askById<Answer>(
  context: OperatorContext,
  kind: IdKindName,
  given: string,
  ask: (id: string) => Promise<Answer>,
): Promise<Answer> {
  // Every id begins with nothing, and a script may have left its variable empty.
  if (given.trim() === '') throw commandError('empty-id', { noun: KINDS[kind].noun })
  const ofDomain = OF_DOMAIN[kind]
  if (given === 'last') return ask(await latestOf(context, kind))
  if (ofDomain && /^[^/]+\.[^/]+$/.test(given)) return ask(await ofDomain(context, given))
  return ask(given).catch(async (error: unknown) => {
    const isUnknown = error instanceof SandboxRefusal && error.status === 404
    const id = isUnknown ? await beginningWith(context, kind, given) : null
    if (id === null) throw error
    return ask(id)
  })
}

/** The list of faults is short, has no pages, and begins with the oldest. */
async function latestOf(context: OperatorContext, kind: IdKindName, filter = {}, domain?: string): Promise<string> {
  const { noun, member } = KINDS[kind]
  const asked = { ...(kind === 'events' && { latest: 'true' }), ...filter, limit: 1 }
  const page = await context.call(`${kind}.list`, {}, (kind === 'faults' ? {} : asked) as never)
  const [rows = []] = Object.values(membersOf(page)).filter(Array.isArray)
  const id = rows.at(kind === 'faults' ? -1 : 0)?.[member]
  if (typeof id !== 'string') {
    const missing = domain === undefined ? noun : `${noun} for ${domain}`
    throw commandError('nothing-yet', { noun: missing, world: context.world })
  }
  return id
}

async function beginningWith(
  { client, world }: OperatorContext,
  kind: IdKindName,
  given: string,
): Promise<string | null> {
  const { noun, member } = KINDS[kind]
  const rows = await allRows(client, world, `${kind}.list`, kind === 'faults' ? {} : { limit: 100 })
  const ids = rows.map((row) => String(membersOf(row)[member])).filter((id) => id.startsWith(given))
  if (ids.length > 1) {
    const count = String(ids.length)
    throw commandError('several-ids', { noun, text: given, count, ids: firstFew(ids, 3).join(', ') })
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
    (facts) => isObject(facts) && (facts['domain'] === domain || facts['public_id'] === publicId),
  )
}
