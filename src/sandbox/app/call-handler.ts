import type { EndpointId } from '../../contract/endpoints.ts'
import { object } from '../../contract/schema.ts'
import type { AuthenticatedCall } from '../wire/call.ts'
import { jsonObjectOf } from '../wire/json-body.ts'
import type { Answer, Route } from '../wire/route.ts'
import { validated, validatedQuery } from '../wire/validation.ts'
import { wireNamesOf } from '../wire/wire-names.ts'

/** Reads and validates what a call says, and writes down what the endpoint's handler answers. */
export function handle(call: AuthenticatedCall, endpoint: EndpointId, route: Route): Answer {
  const { world, credential: caller, params } = call
  const query = queryOf(call, endpoint, route)
  const reply = route.handle({ world, caller, call, params, query, body: bodyOf(call, endpoint, route) })
  const names = wireNamesOf(world.gaps)
  const body = names ? names.answer(endpoint, reply.body) : reply.body
  return { status: reply.created ? world.gaps['created-status'] : 200, headers: {}, body: JSON.stringify(body) }
}

/** An unknown parameter is a mistake in the call, and is reported by its name. */
const NO_QUERY = object({})

/** The parameters, valid, in the words of the route; a world may have chosen others. */
function queryOf(call: AuthenticatedCall, endpoint: EndpointId, { query: schema = NO_QUERY }: Route): unknown {
  const names = wireNamesOf(call.world.gaps)
  if (names === null) return validatedQuery(schema, call.query)
  return names.query(endpoint, validatedQuery(names.schema({ endpoint, part: 'query' }, schema), call.query))
}

/** The body, valid, likewise. */
export function bodyOf(call: AuthenticatedCall, endpoint: EndpointId, { body: schema }: Route): unknown {
  if (!schema) return undefined
  const names = wireNamesOf(call.world.gaps)
  if (names === null) return validated(schema, jsonObjectOf(call), 'body')
  const onWire = names.schema({ endpoint, part: 'body' }, schema)
  return names.body(onWire, validated(onWire, jsonObjectOf(call), 'body'))
}
