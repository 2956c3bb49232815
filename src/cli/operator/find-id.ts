import { allRows } from '../../operator-api/all-rows.ts'
import { SandboxRefusal } from '../../operator-api/refusals.ts'
import { isRecord, rowsOf } from '../output/records.ts'
import { commandError } from './command-errors.ts'
import type { OperatorContext } from './operator-command.ts'

/** Where the ids of a kind are listed, newest first, and how to ask for those of a domain. */
interface IdKind {
  readonly noun: string
  readonly list: 'orders.list' | 'cases.list' | 'checkout.list' | 'requests.list' | 'deliveries.list'
  readonly rows: string
  ofDomain(context: OperatorContext, domain: string): object | Promise<object>
}

const byDomain: IdKind['ofDomain'] = (_context, domain) => ({ domain })

/** Parameters of paths that a person may give in short. */
const KINDS: Readonly<Record<string, IdKind>> = {
  public_id: { noun: 'order', list: 'orders.list', rows: 'orders', ofDomain: byDomain },
  case_id: { noun: 'case', list: 'cases.list', rows: 'cases', ofDomain: byDomain },
  session_id: {
    noun: 'checkout session',
    list: 'checkout.list',
    rows: 'checkout_sessions',
    ofDomain: byDomain,
  },
  request_id: { noun: 'call', list: 'requests.list', rows: 'requests', ofDomain: (_, domain) => ({ q: domain }) },
  delivery_id: {
    noun: 'delivery',
    list: 'deliveries.list',
    rows: 'deliveries',
    ofDomain: async (context, domain) => ({ event_id: await latestEventOf(context, domain) }),
  },
}

/**
 * Asks by an id that may be given in short: a domain stands for what is the latest of it, `last` for the latest of all, and
 * the beginning of an id for that id.
 *
 * @param parameter of a path, such as `public_id`; any other text is asked for as it is.
 * @throws CliError if there is none, or if several ids begin so.
 * @example await askById(context, 'public_id', 'last', (public_id) => context.call('orders.show', { public_id }))
 */
export async function askById<Answer>(
  context: OperatorContext,
  parameter: string,
  given: string,
  ask: (id: string) => Promise<Answer>,
): Promise<Answer> {
  const kind = KINDS[parameter]
  if (!kind) return ask(given)
  if (given === 'last') return ask(await latestOf(context, parameter, kind, {}))
  if (/^[^/]+\.[^/]+$/.test(given))
    return ask(await latestOf(context, parameter, kind, await kind.ofDomain(context, given)))
  return ask(given).catch(async (error: unknown) => {
    const id = isUnknown(error) ? await beginningWith(context, parameter, kind, given) : null
    if (id === null) throw error
    return ask(id)
  })
}

function isUnknown(error: unknown): boolean {
  return error instanceof SandboxRefusal && error.status === 404
}

async function latestOf(context: OperatorContext, parameter: string, kind: IdKind, filter: object): Promise<string> {
  const page = await context.call(kind.list, {}, { ...filter, limit: 1 } as never)
  const id = rowsOf(page, kind.rows)[0]?.[parameter]
  if (typeof id !== 'string') throw commandError('nothing-yet', { noun: kind.noun, world: context.world })
  return id
}

async function beginningWith(
  { client, world }: OperatorContext,
  parameter: string,
  { list, noun }: IdKind,
  given: string,
): Promise<string | null> {
  const all = (await allRows(client, world, list, { limit: 100 })).filter(isRecord)
  const ids = all.map((row) => String(row[parameter])).filter((id) => id.startsWith(given))
  if (ids.length > 1) {
    throw commandError('several-ids', { noun, text: given, count: String(ids.length), ids: ids.slice(0, 3).join(', ') })
  }
  return ids[0] ?? null
}

async function latestEventOf(context: OperatorContext, domain: string): Promise<string> {
  const [order] = rowsOf(await context.call('orders.list', {}, { domain, limit: 1 }), 'orders')
  const events = await allRows(context.client, context.world, 'events.list', { latest: 'true', limit: 200 })
  const event = events.find(({ data }) => isAbout(data, domain, order?.['public_id']))
  if (!event) throw commandError('nothing-yet', { noun: `delivery for ${domain}`, world: context.world })
  return event.id
}

function isAbout(data: object, domain: string, publicId: unknown): boolean {
  return Object.values(data).some(
    (facts) => isRecord(facts) && (facts['domain'] === domain || facts['public_id'] === publicId),
  )
}
