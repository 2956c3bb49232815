import type { EndpointId } from '../../contract/endpoints.ts'
import type { Rules } from '../../contract/rules.ts'
import type { Schema } from '../../contract/schema.ts'
import type { Reply } from '../../sandbox/wire/answer.ts'
import type { Input, Route } from '../../sandbox/wire/route.ts'
import type { Fields } from './answers.ts'
import type { Defect } from './defect.ts'

/** What a handler gets, with its types forgotten: a defect knows the fields it spoils. */
export type AnyInput = Input<Fields, Fields>

type Tampered = Pick<Defect, 'hooks'>
type Handler = (input: AnyInput) => Reply
type RouteChange = (sound: Route) => Route

/** A server with other code behind one or more endpoints; `sound` is what a sound one does. */
export function handling(
  ids: EndpointId | readonly EndpointId[],
  handle: (input: AnyInput, sound: Handler) => Reply,
): Tampered {
  return changingRoutes(ids, (route) => ({
    ...route,
    handle: (input) => handle(input as AnyInput, (given) => route.handle(given)),
  }))
}

/** A server that does the right thing and shows it wrongly. */
export function showing(
  ids: EndpointId | readonly EndpointId[],
  show: (body: Fields, input: AnyInput) => unknown,
): Tampered {
  return handling(ids, (input, sound) => {
    const reply = sound(input)
    return { ...reply, body: show(reply.body as Fields, input) }
  })
}

/** A server that reads a body by another schema; `handle` makes of it what the sound handler needs. */
export function accepting(
  id: EndpointId,
  body: Schema<unknown>,
  handle: (input: AnyInput, sound: Handler) => Reply = (input, sound) => sound(input),
): Tampered {
  const handled = handling(id, handle).hooks?.routes?.[id]
  return { hooks: { routes: { [id]: (sound: Route) => ({ ...(handled?.(sound) ?? sound), body }) } } }
}

/** A server that reads a query by another schema. */
export function acceptingQuery(
  id: EndpointId,
  query: Schema<unknown>,
  handle: (input: AnyInput, sound: Handler) => Reply,
): Tampered {
  const handled = handling(id, handle).hooks?.routes?.[id]
  return { hooks: { routes: { [id]: (sound: Route) => ({ ...(handled?.(sound) ?? sound), query }) } } }
}

function changingRoutes(ids: EndpointId | readonly EndpointId[], change: RouteChange): Tampered {
  const wanted = typeof ids === 'string' ? [ids] : ids
  return { hooks: { routes: Object.fromEntries(wanted.map((id) => [id, change])) } }
}

/** The input of a world whose rules differ for this one call. */
export function underRules(input: AnyInput, change: (rules: Rules) => Rules): AnyInput {
  return { ...input, world: { ...input.world, rules: change(input.world.rules) } }
}

/** The list of a reply's body that holds its items. */
export function itemsOf(body: Fields, name: string): Fields[] {
  return body[name] as Fields[]
}
