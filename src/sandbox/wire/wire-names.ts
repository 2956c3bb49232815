import type { EndpointId } from '../../contract/endpoints.ts'
import type { GapChoices } from '../../contract/gaps.ts'
import { paredAnswer } from '../../contract/pared-facts.ts'
import type { Schema } from '../../contract/schema.ts'
import { answerNames, inStates, parameterNames, stateNames } from '../../contract/wire-names.ts'
import { type SchemaPlace, usesDefaultNames, wireSchema } from './wire-names-schema.ts'

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
