import { ENDPOINTS, type EndpointId } from '../../../contract/endpoints.ts'
import { type Answer, isAccepted } from '../../http/exchange.ts'
import { atPath, parseJson } from '../../http/json-body.ts'
import type { RoleName } from '../roles.ts'
import type { AnswerSeen, Item, RunCall } from './kind.ts'

// What rules about a whole run ask of its calls.

/** Looks a role up; the verdict does not rest on where it was found. */
export interface Seen {
  find(role: RoleName, item: Item): ReturnType<AnswerSeen['find']>
}

/** What a rule has looked at: the exchange, and how it breaks the rule; null if it keeps it. */
export interface Judged {
  readonly exchange: string
  readonly says: string | null
  /** The role that it rests on. */
  readonly at?: { readonly role: RoleName; readonly item: Item }
}

/**
 * @param of operations, or codes of refusals: only what these show counts.
 */
export type RunRule = (seen: Seen, calls: readonly RunCall[], of: readonly string[]) => Judged[]

/** A thing that the run has made. */
export interface Made {
  readonly op: EndpointId
  readonly id: string
  readonly call: RunCall
  readonly answer: Answer
}

/** A thing in an accepted answer. */
export interface ReadAgain {
  readonly made: Made
  readonly call: RunCall
  readonly item: Item
}

/** What never changes of what an operation makes, and where it is read again. */
export const KEPT: Partial<
  Record<EndpointId, { reads: Partial<Record<EndpointId, RoleName | null>>; roles: readonly RoleName[] }>
> = {
  'orders.create': {
    reads: { 'orders.detail': null, 'orders.list': 'orders.items' },
    roles: [
      'order.domain',
      'order.sale_price_cents',
      'order.currency',
      'order.quote_id',
      'order.external_payment_ref',
      'order.created_at',
    ],
  },
  'brokerage.create': {
    reads: { 'brokerage.detail': null, 'brokerage.list': 'cases.items' },
    roles: ['case.domain', 'case.tier', 'case.created_at'],
  },
  'links.create': {
    reads: { 'links.list': 'links.items' },
    roles: ['link.kind', 'link.domain', 'link.product', 'link.created_at'],
  },
}

/** What names a thing: ids may be counted for each partner and environment. */
export const keyOf = ({ world, realm }: RunCall, id: unknown): string => `${world} ${realm} ${String(id)}`

/** Things by their keys, as the first accepted answer to their making says. */
export function madeIn(seen: Seen, calls: readonly RunCall[]): ReadonlyMap<string, Made> {
  const made = new Map<string, Made>()
  for (const { call, answer } of accepted(calls, null)) {
    const op = call.op as EndpointId
    const { creates } = ENDPOINTS[op]
    if (creates === null || creates.kind === 'webhook') continue
    const found = seen.find(creates.handles[0].role, answer)
    if (!found.found) continue
    const key = keyOf(call, found.value)
    if (!made.has(key)) made.set(key, { op, id: String(found.value), call, answer })
  }
  return made
}

/** Where what was made is read again, by its own partner, in the order of the calls. */
export function sightings(seen: Seen, calls: readonly RunCall[], made: ReadonlyMap<string, Made>): ReadAgain[] {
  const reads = Object.entries(KEPT).flatMap(([by, { reads }]) =>
    Object.entries(reads).map(([op, list]) => ({ by: by as EndpointId, op: op as EndpointId, list })),
  )
  return reads.flatMap(({ by, op, list }) => {
    const { creates } = ENDPOINTS[by]
    const role = creates?.handles[0].role as RoleName
    return rowsOf(seen, calls, op, list).flatMap(({ call, item }) => {
      const id = seen.find(role, item)
      const thing = id.found ? made.get(keyOf(call, id.value)) : undefined
      return thing && thing.op === by ? [{ made: thing, call, item }] : []
    })
  })
}

/** The entries of a list in all answers of an operation; the answers themselves where it has none. */
export function rowsOf(
  seen: Seen,
  calls: readonly RunCall[],
  op: EndpointId,
  list: RoleName | null,
): { call: RunCall; item: Item }[] {
  return accepted(calls, [op]).flatMap(({ call, answer }): { call: RunCall; item: Item }[] => {
    if (list === null) return [{ call, item: answer }]
    const found = seen.find(list, answer)
    const rows: unknown[] = found.found && Array.isArray(found.value) ? found.value : []
    return rows.map((json) => ({ call, item: { json, op } }))
  })
}

export function accepted(calls: readonly RunCall[], of: readonly string[] | null): { call: RunCall; answer: Answer }[] {
  return calls.flatMap((call) => {
    const { op, method, answer } = call
    if (op === null || method === 'HEAD' || !isAccepted(answer) || (of !== null && !of.includes(op))) return []
    return [{ call, answer }]
  })
}

export function sentIn({ target, body }: RunCall, from: string): unknown {
  const [path = '', query = ''] = target.split('?')
  if (from === '/') return decoded(path.split('/').at(-1) ?? '')
  if (from.startsWith('?')) {
    const [value, ...more] = new URLSearchParams(query).getAll(from.slice(1))
    return more.length === 0 ? value : undefined
  }
  return atPath(parseJson(Buffer.from(body)), from)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
