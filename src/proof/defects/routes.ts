import type { EndpointId } from '../../contract/endpoints.ts'
import { ApiError, type ErrorCode } from '../../contract/errors.ts'
import type { OtherChecks } from '../../sandbox/app/checks.ts'
import type { Credential, World } from '../../sandbox/kernel/world.ts'
import type { AuthenticatedCall, Call } from '../../sandbox/wire/call.ts'
import { errorAnswer } from '../../sandbox/wire/error-answer.ts'
import type { Answer, Input, Reply, Route } from '../../sandbox/wire/route.ts'
import { actingWhere, type Fields, later, orderIn, readable, refusalsOf, without } from './answers.ts'
import { both, counting, perWorld, type Tampered } from './defect.ts'

// Servers with other code behind an endpoint: they read, judge, act or answer differently.

/** The input of a handler, without its types: a defect knows the fields it changes. */
export type AnyInput = Input<Fields, Fields>

/** What answers the calls of an endpoint. */
export type RouteHandler = (input: AnyInput) => Reply

/** Code in the place of that; `correct` is the code of a correct server. */
export type Handling = (input: AnyInput, correct: RouteHandler) => Reply

type Ids = EndpointId | readonly EndpointId[]

/** A server with other code behind one or more endpoints. */
export function handling(ids: Ids, handle: Handling): Tampered {
  return changingRoutes(ids, (route) => handledBy(route, handle))
}

/** A server that does more before it judges a call. */
export function handlingBefore(ids: Ids, act: (input: AnyInput) => void): Tampered {
  return handling(ids, (input, correct) => {
    act(input)
    return correct(input)
  })
}

/** A server that does more after a call was judged. */
export function handlingAfter(ids: Ids, act: (input: AnyInput, reply: Fields) => void): Tampered {
  return handling(ids, (input, correct) => {
    const reply = correct(input)
    act(input, reply.body as Fields)
    return reply
  })
}

/** A server that takes a query for another one. */
export function asking(id: EndpointId, change: (query: Fields, input: AnyInput) => Fields): Tampered {
  return handling(id, (input, correct) => correct({ ...input, query: change(input.query, input) }))
}

/** A server that takes a body for another one. */
export function rewriting(id: EndpointId, change: (body: Fields, input: AnyInput) => Fields): Tampered {
  return handling(id, (input, correct) => correct({ ...input, body: change(input.body, input) }))
}

/** A server that refuses some calls which a correct one does not. */
export function refusing(ids: Ids, concerns: (input: AnyInput) => boolean, code: ErrorCode, message: string): Tampered {
  return handlingBefore(ids, (input) => {
    if (concerns(input)) throw new ApiError(code, message)
  })
}

/** A server that acts on a call that it should have refused, and then refuses it. */
export function refusingLater(id: EndpointId, code: ErrorCode, act: Handling): Tampered {
  const { hold, answer } = holdingBack()
  const { hooks } = handling(id, (input, correct) => {
    try {
      return correct(input)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== code) throw error
      hold(input.call, error)
      return act(input, correct)
    }
  })
  return { hooks: { ...hooks, answer } }
}

/** A server that carries out a call of one operation before it makes a check, and then refuses it. */
export function refusingTooLate(
  id: EndpointId,
  name: 'signature' | 'nonce' | 'timestamp' | 'scope' | 'rate-limit',
  check: (call: AuthenticatedCall) => void,
): Tampered {
  const { hold, answer } = holdingBack()
  const checks = {
    [name]: (call: AuthenticatedCall) => {
      try {
        check(call)
      } catch (error) {
        if (call.endpoint !== id) throw error
        hold(call, error)
      }
    },
  }
  return { hooks: { checks: checks as OtherChecks, answer } }
}

/** Refusals that are held back until their calls have been answered. */
function holdingBack() {
  const refusals = new WeakMap<Call, unknown>()
  return {
    hold: (call: Call, error: unknown) => refusals.set(call, error),
    answer: (made: Answer, call: Call): Answer =>
      refusals.has(call) ? errorAnswer(refusals.get(call), call.world as World, call.id) : made,
  }
}

/** A server that does the right thing and shows it wrongly. */
export function showing(ids: Ids, show: (body: Fields, input: AnyInput, correct: RouteHandler) => unknown): Tampered {
  return handling(ids, (input, correct) => {
    const reply = correct(input)
    return { ...reply, body: show(reply.body as Fields, input, correct) }
  })
}

/** A server that shows some fields of an answer wrongly. */
export function altering(ids: Ids, change: (body: Fields, input: AnyInput, correct: RouteHandler) => Fields): Tampered {
  return showing(ids, (body, input, correct) => ({ ...body, ...change(body, input, correct) }))
}

/** A server that finds only some things by their ids. */
export function findingSome(id: EndpointId, isFound: (thing: Fields, input: AnyInput) => boolean): Tampered {
  return handlingAfter(id, (input, thing) => {
    if (!isFound(thing, input)) throw new ApiError('not_found', 'no such thing')
  })
}

/** A server that leaves fields out of an answer. */
export function lacking(id: EndpointId, ...names: readonly string[]): Tampered {
  return showing(id, (body) => without(body, ...names))
}

/** The list in the answers of an endpoint. */
const LISTS = {
  'domains.search': 'domains',
  'orders.list': 'orders',
  'settlements.list': 'settlements',
  'transactions.list': 'transactions',
  'payouts.list': 'payouts',
  'brokerage.list': 'cases',
  'links.list': 'links',
  'me.sales': 'sales',
  'me.commissions': 'entries',
  'me.payouts': 'payouts',
  'events.list': 'events',
} as const satisfies Partial<Record<EndpointId, string>>

/** An endpoint whose answers have a list. */
export type ListId = keyof typeof LISTS

/** The items of a list in the body of a reply. */
export function itemsOf(id: ListId, body: unknown): Fields[] {
  return (body as Fields)[LISTS[id]] as Fields[]
}

/** A server that shows a list differently. */
export function listing(
  id: ListId,
  show: (items: Fields[], input: AnyInput, correct: RouteHandler) => readonly unknown[],
): Tampered {
  return altering(id, (body, input, correct) => ({ [LISTS[id]]: show(itemsOf(id, body), input, correct) }))
}

/** The same, item by item. */
export function eachOf(id: ListId, show: (item: Fields, input: AnyInput) => unknown): Tampered {
  return listing(id, (items, input) => items.map((item) => show(item, input)))
}

/** A server whose list has some items only. */
export function keeping(id: ListId, stays: (item: Fields, input: AnyInput) => boolean): Tampered {
  return listing(id, (items, input) => items.filter((item) => stays(item, input)))
}

const DAY_MS = 86_400_000

/** Whether a moment lies within the thirty days that a list shows where no dates are asked for. */
export function isOfThirtyDays(at: unknown, { world, query }: AnyInput): boolean {
  return query['from'] !== undefined || Date.parse(String(at)) > world.clock.nowMs() - 30 * DAY_MS
}

/** The rows of a list in which some stand twice, as a join yields them. */
export function twice(items: readonly Fields[], isDoubled: (item: Fields) => boolean): Fields[] {
  return items.flatMap((item) => (isDoubled(item) ? [item, item] : [item]))
}

/** A server on which some parameters of a query have no effect. */
export function ignoring(id: EndpointId, ...names: readonly string[]): Tampered {
  return asking(id, (query) => without(query, ...names))
}

/** A server that cuts a page of so many rows or more to fewer, and changes it. */
export function cuttingPages(id: ListId, rows: number, limit: number, change: (items: Fields[]) => Fields): Tampered {
  return altering(id, (_, input, correct) => {
    if (Number(input.query['limit'] ?? 0) < rows) return {}
    const { body } = correct({ ...input, query: { ...input.query, limit } })
    return { ...(body as Fields), ...change(itemsOf(id, body)) }
  })
}

/** A server on which a parameter with a value that it does not know has no effect. */
export function forgettingUnknown(
  id: EndpointId,
  query: Route['query'],
  name: string,
  known: readonly string[],
): Tampered {
  const { properties, ...schema } = (query as { json: unknown }).json as { properties: Fields }
  const json = { ...schema, properties: { ...properties, [name]: { type: 'string' } } }
  return accepting(id, { query: { json } }, (input, correct) => {
    const isKnown = known.includes(String(input.query[name] ?? known[0]))
    return correct(isKnown ? input : { ...input, query: without(input.query, name) })
  })
}

/** A server on which a parameter has no effect where another one is given. */
export function ignoringBeside(id: EndpointId, ignored: string, beside: string): Tampered {
  return asking(id, (query) => (query[beside] === undefined ? query : without(query, ignored)))
}

/** A server on which any partner reaches what belongs to another one; `ownerOf` finds whose it is. */
export function servingAnyone(id: EndpointId, ownerOf: (input: AnyInput) => string | undefined): Tampered {
  return handling(id, (input, correct) => correct(asPartner(input, ownerOf(input) ?? input.caller.partnerId)))
}

/** The input as if another partner had called. */
export function asPartner(input: AnyInput, partnerId: string): AnyInput {
  return { ...input, caller: { ...input.caller, partnerId } }
}

/** A server whose list holds the rows of all partners. */
export function listingEveryones(id: ListId): Tampered {
  return listing(id, (items, input, correct) => [...items, ...rowsOfOthers(id, input, correct)])
}

/** The first rows of the same list of each other partner. */
export function rowsOfOthers(id: ListId, input: AnyInput, correct: RouteHandler): Fields[] {
  const query = without(input.query, 'cursor', 'after_id')
  return partnersOf(input.world)
    .filter(({ partnerId }) => partnerId !== input.caller.partnerId)
    .flatMap((caller) => itemsOf(id, correct({ ...input, caller, query }).body))
}

/** A credential of each partner. */
export function partnersOf({ credentials }: World): Credential[] {
  return [...new Map([...credentials.values()].map((credential) => [credential.partnerId, credential])).values()]
}

/** Whether the caller is another partner than the first one of its world, which is the only one that some tests have. */
export function isOfLaterPartner({ world, caller }: AnyInput): boolean {
  return caller.partnerId !== partnersOf(world)[0]?.partnerId
}

/** A server that reads a body or a query by another schema; `handle` turns it into the input of the correct handler. */
export function accepting(
  id: EndpointId,
  schema: Partial<Pick<Route, 'body' | 'query'>>,
  handle: Handling = (input, correct) => correct(input),
): Tampered {
  return changingRoutes(id, (route) => ({ ...handledBy(route, handle), ...schema }))
}

function handledBy(route: Route, handle: Handling): Route {
  return { ...route, handle: (input) => handle(input as AnyInput, (given) => route.handle(given)) }
}

function changingRoutes(ids: Ids, change: (correct: Route) => Route): Tampered {
  const wanted = typeof ids === 'string' ? [ids] : ids
  return { hooks: { routes: Object.fromEntries(wanted.map((id) => [id, change])) } }
}

/**
 * A server whose list has what the credential of the caller has made, and not what another one of the partner has.
 *
 * @param id the name of the id in the answer to the creation, and in what the list shows.
 */
export function listingByKey(create: EndpointId, list: ListId, id: string): Tampered {
  const makers = perWorld(() => new Map<unknown, string>())
  return both(
    handlingAfter(create, ({ world, caller }, made) => makers(world).set(made[id], caller.keyId)),
    keeping(list, (item, { world, caller: { keyId } }) => {
      return (makers(world).get((orderIn(item) ?? item)[id]) ?? keyId) === keyId
    }),
  )
}

/** A server that lists what it has refused with a code, to the partner that has asked for it. */
export function listingRefused(
  create: EndpointId,
  code: ErrorCode,
  list: ListId,
  factsOf: (body: Fields, world: World) => Fields,
): Tampered {
  const refused = perWorld((): { partnerId: unknown; shown: Fields }[] => [])
  const noted = actingWhere(refusalsOf(create, code), ({ world, credential, body }) => {
    const read = readable(body)
    const shown = { domain: read['domain'], ...factsOf(read, world as World) }
    refused(world as World).push({ partnerId: credential?.partnerId, shown })
  })
  const listed = listing(list, (items, { world, caller, query: { domain } }) => {
    const own = refused(world).filter(({ partnerId }) => partnerId === caller.partnerId)
    const shown = own.map((one) => one.shown)
    return [...items, ...shown.filter((one) => domain === undefined || one['domain'] === domain)]
  })
  return both(noted, listed)
}

/** A server that lets every third of what it makes end later. */
export function everyThirdEndsLater(id: EndpointId, byMs: number): Tampered {
  const made = counting()
  return altering(id, ({ expires_at: at }, { world }) => (made(world) % 3 === 0 ? { expires_at: later(at, byMs) } : {}))
}

/** Shows some fields wrongly of what has been read before. */
export function readAgain(id: EndpointId, wrong: Fields): Tampered {
  const paths = perWorld(() => new Set<string>())
  return altering(id, (_, { world, call }) => {
    const known = paths(world)
    if (known.has(call.path)) return wrong
    known.add(call.path)
    return {}
  })
}
