import type { EndpointId } from '../../contract/endpoints.ts'
import type { GapChoices } from '../../contract/gaps.ts'
import { paredAnswer } from '../../contract/pared-facts.ts'
import type { Schema } from '../../contract/schema.ts'
import { answerNames, inStates, parameterNames, stateNames } from '../../contract/wire-names.ts'
import { isSpokenPlainly, type SchemaPlace, spokenSchema } from './wire-names-schema.ts'

/** Translates between a route and the wire, where a world has chosen other words than the route's. */
export interface Speech {
  /** A route's schema as it holds on the wire. */
  schema<Type>(place: SchemaPlace, schema: Schema<Type>): Schema<Type>
  /** A query that fits the wire's schema, in the route's words. */
  query<Type>(endpoint: EndpointId, query: Type): Type
  /** A body that fits the wire's schema, with nothing in it that the route does not know. */
  body<Type>(schema: Schema<Type>, body: Type): Type
  /** A route's answer in the wire's words. */
  answer(endpoint: EndpointId, body: unknown): unknown
}

const speeches = new WeakMap<GapChoices, Speech | null>()

/**
 * The speech of a world; null where it speaks as the routes are written, which every world does unless told otherwise.
 *
 * @param gaps the world's own object, by which what has been worked out is remembered.
 */
export function speechOf(gaps: GapChoices): Speech | null {
  let speech = speeches.get(gaps)
  if (speech === undefined) {
    speech = isSpokenPlainly(gaps) ? null : createSpeech(gaps)
    speeches.set(gaps, speech)
  }
  return speech
}

function createSpeech(gaps: GapChoices): Speech {
  const spoken = new WeakMap<Schema<unknown>, Schema<unknown>>()
  const states = stateNames(gaps)
  const ours = new Map([...states].map(([own, chosen]) => [chosen, own]))
  return {
    schema<Type>(place: SchemaPlace, schema: Schema<Type>) {
      const known = spoken.get(schema) ?? { json: spokenSchema(schema.json, place, gaps) }
      spoken.set(schema, known)
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
      const told = states.size > 0 ? inStates(pared, states) : pared
      if (names.size === 0) return told
      return Object.fromEntries(Object.entries(told as object).map(([name, value]) => [names.get(name) ?? name, value]))
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
