import { DEFAULT_GAPS, type GapChoices, type GapId } from '../../contract/choices.ts'
import { ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import { eventsPage } from '../../contract/limits.ts'
import { BARE_CASE, BARE_SESSION, paredAnswer } from '../../contract/pared-facts.ts'
import type { Schema } from '../../contract/schema.ts'
import { answerNames, inStates, parameterNames, type Renaming, stateNames } from '../../contract/wire-names.ts'

/** Translates between a route and the wire, where a world has chosen other names than the route's. */
interface WireNames {
  schema<Type>(place: SchemaPlace, schema: Schema<Type>): Schema<Type>
  /** A query that fits the wire's schema, in the route's words. */
  query<Type>(endpoint: EndpointId, query: Type): Type
  /** A body that fits the wire's schema, without members that the route does not know. */
  body<Type>(schema: Schema<Type>, body: Type): Type
  /** A route's answer in the wire's words. */
  answer(endpoint: EndpointId, body: unknown): unknown
}

const translators = new WeakMap<GapChoices, WireNames | null>()

/** The names that a world uses on the wire; null if they are the routes' own, as they are by default. */
export function wireNamesOf(gaps: GapChoices): WireNames | null {
  let names = translators.get(gaps)
  if (names === undefined) {
    names = usesDefaultNames(gaps) ? null : translatorOf(gaps)
    translators.set(gaps, names)
  }
  return names
}

function translatorOf(gaps: GapChoices): WireNames {
  const schemas = new WeakMap<Schema<unknown>, Schema<unknown>>()
  const states = stateNames(gaps)
  const ours = new Map([...states].map(([own, chosen]) => [chosen, own]))
  return {
    schema<Type>(place: SchemaPlace, schema: Schema<Type>) {
      const known = schemas.get(schema) ?? { json: wireSchema(schema.json, place, gaps) }
      schemas.set(schema, known)
      return known as Schema<Type>
    },
    query<Type>(endpoint: EndpointId, query: Type) {
      const own = new Map([...parameterNames(endpoint, gaps)].map(([name, chosen]) => [chosen, name]))
      const entries = Object.entries(query as object).map(([name, value]) => [
        own.get(name) ?? name,
        name === 'status' ? (ours.get(value as string) ?? value) : value,
      ])
      return Object.fromEntries(entries) as Type
    },
    body: (schema, body) => (gaps['unknown-fields'] === 'ignored' ? (known(schema.json, body) as typeof body) : body),
    answer(endpoint, body) {
      const names = answerNames(endpoint, gaps)
      const pared = paredAnswer(endpoint, body, gaps)
      const named = states.size > 0 ? inStates(pared, states) : pared
      if (names.size === 0) return named
      return Object.fromEntries(
        Object.entries(named as object).map(([name, value]) => [names.get(name) ?? name, value]),
      )
    },
  }
}

/** What of a value its schema names. */
function known(json: Readonly<Record<string, unknown>> | undefined, value: unknown): unknown {
  const properties = json?.['properties'] as Record<string, Record<string, unknown>> | undefined
  if (!properties || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name))
  return Object.fromEntries(entries.map(([name, inner]) => [name, known(properties[name], inner)]))
}

type JsonObject = Readonly<Record<string, unknown>>

interface SchemaPlace {
  readonly endpoint: EndpointId
  readonly part: 'query' | 'body' | 'answer'
}

/** The open points that schemas depend on. */
const NAMING_GAPS: readonly GapId[] = [
  'window-parameters',
  'domain-parameter',
  'cursor-parameter',
  'limit-parameter',
  'next-cursor-field',
  'held-status',
  'refunded-status',
  'cancelled-status',
  'case-states',
  'case-event',
  'checkout-answer',
  'events-limits',
  'events-limit-outside',
  'name-forms',
  'unknown-fields',
  'order-required-fields',
  'expected-price-unit',
  'webhook-secret-min-length',
]

/** Whether schemas hold on the wire as the routes have written them. */
function usesDefaultNames(gaps: GapChoices): boolean {
  return NAMING_GAPS.every((id) => gaps[id] === DEFAULT_GAPS[id])
}

/**
 * A schema of a route as it holds on the wire under its choices of the open points: other names of parameters, fields and
 * states, other required fields, stricter names of domains. Calls are validated by what OpenAPI shows.
 */
export function wireSchema(json: JsonObject, place: SchemaPlace, gaps: GapChoices): JsonObject {
  if (usesDefaultNames(gaps)) return json
  const named = translated(json, place.part, gaps) as JsonObject
  switch (place.part) {
    case 'query':
      return place.endpoint === 'events.list'
        ? eventsQuery(named, gaps)
        : renamed(named, parameterNames(place.endpoint, gaps))
    case 'answer':
      return renamed(paredSchema(named, place.endpoint, gaps), answerNames(place.endpoint, gaps))
    case 'body':
      if (place.endpoint === 'webhooks.put') return webhookBody(named, gaps)
      return ENDPOINTS[place.endpoint].creates?.kind === 'order' ? orderBody(named, gaps) : named
  }
}

/** A schema with its members replaced at every depth. */
function eachMember(schema: unknown, replaced: (name: string, value: unknown) => unknown): unknown {
  if (Array.isArray(schema)) return schema.map((item) => eachMember(item, replaced))
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, replaced(name, value)]))
}

function translated(schema: unknown, part: SchemaPlace['part'], gaps: GapChoices): unknown {
  return eachMember(schema, (name, value) => translatedMember(name, value, part, gaps))
}

function translatedMember(name: string, value: unknown, part: SchemaPlace['part'], gaps: GapChoices): unknown {
  if (name === 'enum' && Array.isArray(value)) return statesNamed(value, stateNames(gaps))
  if (name === 'format' && value === 'domain' && part !== 'answer' && gaps['name-forms'] === 'are malformed')
    return 'exact-domain'
  if (name === 'additionalProperties' && value === false && part === 'body' && gaps['unknown-fields'] === 'ignored')
    return true
  return translated(value, part, gaps)
}

/** Only lists of the states of orders or cases; a word that means something else elsewhere stays as it is. */
function statesNamed(values: readonly unknown[], names: ReadonlyMap<string, string>): unknown[] {
  if (!values.includes('MANUAL_REVIEW') && !values.includes('NEGOTIATING')) return [...values]
  return values.map((value) => names.get(value as string) ?? value)
}

function renamed(json: JsonObject, names: Renaming): JsonObject {
  const { properties } = json
  if (names.size === 0 || typeof properties !== 'object' || properties === null) return json
  const rename = (name: string) => names.get(name) ?? name
  return {
    ...json,
    properties: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [rename(name), schema])),
    required: (json['required'] as string[]).map(rename),
  }
}

/** A schema of an object, one of whose properties says more. */
function withProperty(json: JsonObject, name: string, more: JsonObject): JsonObject {
  const properties = json['properties'] as Record<string, JsonObject>
  return { ...json, properties: { ...properties, [name]: { ...properties[name], ...more } } }
}

/** Lengths outside the bounds are not an error if a page of the nearest length is given (EVT-04). */
function eventsQuery(json: JsonObject, gaps: GapChoices): JsonObject {
  const properties = json['properties'] as Record<string, JsonObject>
  const { minimum, maximum, ...limit } = properties['limit'] as JsonObject
  const { min, max } = eventsPage(gaps)
  const bounds = gaps['events-limit-outside'] === 'validation_error' ? { minimum: min, maximum: max } : {}
  return { ...json, properties: { ...properties, limit: { ...limit, ...bounds } } }
}

function orderBody(json: JsonObject, gaps: GapChoices): JsonObject {
  const description = `The price in ${gaps['expected-price-unit']} that the partner expects to apply.`
  return { ...withProperty(json, 'expected_price', { description }), required: requiredOf(gaps) }
}

function webhookBody(json: JsonObject, gaps: GapChoices): JsonObject {
  const least = gaps['webhook-secret-min-length']
  return withProperty(json, 'secret', { minLength: least === 'none' ? 1 : least })
}

/** `buyer.email` makes the buyer required; that it has an e-mail address is the buyer's own schema. */
function requiredOf(gaps: GapChoices): string[] {
  return gaps['order-required-fields'].split(', ').map((name) => name.split('.')[0] as string)
}

/**
 * The schema of an answer with no more in it than open points leave there: `checkout-answer` may take all but the address,
 * `case-event` most of a case (CHK-04, BRK-06).
 */
function paredSchema(json: JsonObject, endpoint: EndpointId, gaps: GapChoices): JsonObject {
  if (endpoint === 'checkout.create' && gaps['checkout-answer'] === 'address only') return only(json, BARE_SESSION)
  if (endpoint === 'events.list' && gaps['case-event'] === 'id and status') return withBareCase(json) as JsonObject
  return json
}

/** In every event about a case. */
function withBareCase(schema: unknown): unknown {
  return eachMember(schema, (name, inner) =>
    name === 'case' ? only(inner as JsonObject, BARE_CASE) : withBareCase(inner),
  )
}

function only(json: JsonObject, names: readonly string[]): JsonObject {
  const properties = Object.entries(json['properties'] as JsonObject).filter(([name]) => names.includes(name))
  const required = (json['required'] as string[]).filter((name) => names.includes(name))
  return { ...json, properties: Object.fromEntries(properties), required }
}
