import type { EndpointId } from '../../contract/endpoints.ts'
import { ApiError, type ErrorCode } from '../../contract/errors.ts'
import type { OtherChecks } from '../../sandbox/app/checks.ts'
import type { Credential, World } from '../../sandbox/kernel/world.ts'
import type { AuthenticatedCall, Call } from '../../sandbox/wire/call.ts'
import { errorAnswer } from '../../sandbox/wire/error-answer.ts'
import type { Answer, Input, Reply, Route } from '../../sandbox/wire/route.ts'
import { type Fields, without } from './answers.ts'
import { perWorld, type Tampered } from './defect.ts'

// Servers with other code behind an endpoint: they read, judge, act or answer differently.

/** The input of a handler, without its types: a defect knows the fields it changes. */
export type AnyInput = Input<Fields, Fields>

/** What answers the calls of an endpoint. */
export type RouteHandler = (input: AnyInput) => Reply

/** A server with other code behind one or more endpoints; `correct` is the code of a correct one. */
export function handling(
  ids: EndpointId | readonly EndpointId[],
  handle: (input: AnyInput, correct: RouteHandler) => Reply,
): Tampered {
  return changingRoutes(ids, (route) => handledBy(route, handle))
}

/** A server that refuses some calls which a correct one does not. */
export function refusing(
  ids: EndpointId | readonly EndpointId[],
  concerns: (input: AnyInput) => boolean,
  code: ErrorCode,
  message: string,
): Tampered {
  return handling(ids, (input, correct) => {
    if (concerns(input)) throw new ApiError(code, message)
    return correct(input)
  })
}

/** A server that acts on a call that it should have refused, and then refuses it. */
export function refusingLater(
  id: EndpointId,
  code: ErrorCode,
  act: (input: AnyInput, correct: RouteHandler) => Reply,
): Tampered {
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

/** A server that does more after a call was judged. */
export function handlingAfter(id: EndpointId, act: (input: AnyInput) => void): Tampered {
  return handling(id, (input, correct) => {
    const reply = correct(input)
    act(input)
    return reply
  })
}

/** A server that does the right thing and shows it wrongly. */
export function showing(
  ids: EndpointId | readonly EndpointId[],
  show: (body: Fields, input: AnyInput) => unknown,
): Tampered {
  return handling(ids, (input, correct) => {
    const reply = correct(input)
    return { ...reply, body: show(reply.body as Fields, input) }
  })
}

/** A server that shows some fields of an answer wrongly. */
export function altering(id: EndpointId, change: (body: Fields, input: AnyInput) => Fields): Tampered {
  return showing(id, (body, input) => ({ ...body, ...change(body, input) }))
}

/** A server that finds only some things by their ids. */
export function findingSome(id: EndpointId, isFound: (thing: Fields, input: AnyInput) => boolean): Tampered {
  return handling(id, (input, correct) => {
    const reply = correct(input)
    if (isFound(reply.body as Fields, input)) return reply
    throw new ApiError('not_found', 'no such thing')
  })
}

/** A server that leaves fields out of an answer. */
export function lacking(id: EndpointId, ...names: readonly string[]): Tampered {
  return showing(id, (body) => without(body, ...names))
}

/** A server that shows a list differently; `name` is that of the list in the answer. */
export function listing(
  id: EndpointId,
  name: string,
  show: (items: Fields[], input: AnyInput) => readonly unknown[],
): Tampered {
  return altering(id, (body, input) => ({ [name]: show(itemsOf(body, name), input) }))
}

/** The same, item by item. */
export function eachOf(id: EndpointId, name: string, show: (item: Fields, input: AnyInput) => unknown): Tampered {
  return listing(id, name, (items, input) => items.map((item) => show(item, input)))
}

/** A server whose list has some items only. */
export function keeping(id: EndpointId, name: string, stays: (item: Fields, input: AnyInput) => boolean): Tampered {
  return listing(id, name, (items, input) => items.filter((item) => stays(item, input)))
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
  return handling(id, (input, correct) => correct({ ...input, query: without(input.query, ...names) }))
}

/** A server that cuts a page of so many rows or more in its own way. */
export function cuttingPages(
  id: EndpointId,
  rows: number,
  cut: (input: AnyInput, correct: RouteHandler) => Reply,
): Tampered {
  return handling([id], (input, correct) =>
    Number(input.query['limit'] ?? 0) >= rows ? cut(input, correct) : correct(input),
  )
}

/** A server that cuts a page of a hundred rows to three, and leads on behind six. */
export function skippingWhatItCuts(id: EndpointId, name: string): Tampered {
  return cuttingPages(id, 100, (input, correct) => {
    const reply = correct({ ...input, query: { ...input.query, limit: 6 } })
    const body = reply.body as Fields
    return { ...reply, body: { ...body, [name]: itemsOf(body, name).slice(0, 3) } }
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
  return handling(id, (input, correct) =>
    correct(input.query[beside] === undefined ? input : { ...input, query: without(input.query, ignored) }),
  )
}

/** A server on which any partner reaches what belongs to another one; `ownerOf` finds whose it is. */
export function servingAnyone(id: EndpointId, ownerOf: (input: AnyInput) => string | undefined): Tampered {
  return handling(id, (input, correct) => correct(asPartner(input, ownerOf(input) ?? input.caller.partnerId)))
}

/** The input as if another partner had called. */
export function asPartner(input: AnyInput, partnerId: string): AnyInput {
  return { ...input, caller: { ...input.caller, partnerId } }
}

/**
 * A server whose lists hold the rows of all partners; each endpoint with the name of its list in the answer.
 *
 * @param leaks which calls get them; all where absent.
 */
export function listingEveryones(
  lists: Partial<Record<EndpointId, string>>,
  leaks: (input: AnyInput) => boolean = () => true,
): Tampered {
  return handling(Object.keys(lists) as EndpointId[], (input, correct) => {
    const name = lists[input.call.endpoint as EndpointId] as string
    const reply = correct(input)
    if (!leaks(input)) return reply
    const body = reply.body as Fields
    return { ...reply, body: { ...body, [name]: [...itemsOf(body, name), ...rowsOfOthers(input, correct, name)] } }
  })
}

/** The first rows of the same list of each other partner. */
export function rowsOfOthers(input: AnyInput, correct: RouteHandler, name: string): Fields[] {
  const query = without(input.query, 'cursor', 'after_id')
  return partnersOf(input.world)
    .filter(({ partnerId }) => partnerId !== input.caller.partnerId)
    .flatMap((caller) => itemsOf(correct({ ...input, caller, query }).body as Fields, name))
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
  handle: (input: AnyInput, correct: RouteHandler) => Reply = (input, correct) => correct(input),
): Tampered {
  return changingRoutes(id, (route) => ({ ...handledBy(route, handle), ...schema }))
}

function handledBy(route: Route, handle: (input: AnyInput, correct: RouteHandler) => Reply): Route {
  return { ...route, handle: (input) => handle(input as AnyInput, (given) => route.handle(given)) }
}

function changingRoutes(ids: EndpointId | readonly EndpointId[], change: (correct: Route) => Route): Tampered {
  const wanted = typeof ids === 'string' ? [ids] : ids
  return { hooks: { routes: Object.fromEntries(wanted.map((id) => [id, change])) } }
}

/** The list of a reply's body that holds its items. */
export function itemsOf(body: Fields, name: string): Fields[] {
  return body[name] as Fields[]
}

/**
 * A server whose list has what the credential of the caller has made, and not what another one of the partner has.
 *
 * @param id the name of the id in the answer to the creation; `idIn` finds it in an item of the list.
 */
export function listingByKey(
  create: EndpointId,
  list: EndpointId,
  name: string,
  id: string,
  idIn = (item: Fields): unknown => item[id],
): Tampered {
  const makers = perWorld(() => new Map<unknown, string>())
  const makersIn = (world: World) => {
    const known = makers(world)
    return known
  }
  return handling([create, list], (input, correct) => {
    const { world, caller, call } = input
    const reply = correct(input)
    const body = reply.body as Fields
    if (call.endpoint === create) {
      makersIn(world).set(body[id], caller.keyId)
      return reply
    }
    const isOwn = (item: Fields) => (makersIn(world).get(idIn(item)) ?? caller.keyId) === caller.keyId
    return { ...reply, body: { ...body, [name]: itemsOf(body, name).filter(isOwn) } }
  })
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
