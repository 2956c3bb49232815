import type { EndpointId } from '../../contract/endpoints.ts'
import type { GapChoices } from '../../contract/gaps.ts'
import { BARE_CASE, BARE_SESSION } from '../../contract/pared-facts.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * The schema of an answer with no more in it than open points leave there: `checkout-answer` may take all but the address,
 * `case-event` most of a case (CHK-04, BRK-06).
 *
 * @example paredSchema(session.json, 'checkout.create', { ...DEFAULT_GAPS, 'checkout-answer': 'address only' })
 */
export function paredSchema(json: Json, endpoint: EndpointId, gaps: GapChoices): Json {
  if (endpoint === 'checkout.create' && gaps['checkout-answer'] === 'address only') return only(json, BARE_SESSION)
  if (endpoint === 'events.list' && gaps['case-event'] === 'id and status') return withBareCase(json) as Json
  return json
}

/** Wherever an event tells of a case. */
function withBareCase(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withBareCase)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([name, inner]) => [
    name,
    name === 'case' ? only(inner as Json, BARE_CASE) : withBareCase(inner),
  ])
  return Object.fromEntries(entries)
}

function only(json: Json, names: readonly string[]): Json {
  const properties = Object.entries(json['properties'] as Json).filter(([name]) => names.includes(name))
  const required = (json['required'] as string[]).filter((name) => names.includes(name))
  return { ...json, properties: Object.fromEntries(properties), required }
}
