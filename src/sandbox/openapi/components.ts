import { GAP_IDS, GAPS, type GapChoices, type GapId, gapOf } from '../../contract/choices.ts'
import { type EndpointId, SHAPES, type Shape } from '../../contract/endpoints.ts'
import { isObject } from '../../contract/is-object.ts'
import { stateNames } from '../../contract/wire-names.ts'
import { ROUTES } from '../all-routes.ts'
import { wireSchema } from '../wire/wire-names.ts'
import { type Json, standardSchema } from './standard-schema.ts'

type NamedShape = (typeof SHAPES)[string]

export type Part = 'query' | 'body' | 'answer'

/** A body, query or answer as the choices have it, in standard terms, without named parts; null if there is none. */
export function wholeSchema(endpoint: EndpointId, part: Part, gaps: GapChoices): Json | null {
  const schema = ROUTES[endpoint][part]
  if (!schema) return null
  const onWire = wireSchema(schema.json, { endpoint, part }, gaps)
  return standardSchema(onWire, part === 'answer' ? 'answer' : 'request') as Json
}

/** The named shapes, and how anything else refers to them. */
export interface Components {
  readonly schemas: Readonly<Record<string, Json>>
  /** The same schema, with each shape that has a name replaced by a reference to it. */
  refer(schema: unknown): unknown
}

export function collectComponents(gaps: GapChoices): Components {
  const found = Object.entries(SHAPES).flatMap(([name, row]) => {
    const schema = sourceOf(row, gaps)
    return schema ? [{ name, row, schema }] : []
  })
  // The first of several that are alike.
  const nameOf = new Map(found.toReversed().map(({ name, schema }) => [JSON.stringify(schema), name]))

  function refer(schema: unknown): unknown {
    const name = isObject(schema) ? nameOf.get(JSON.stringify(schema)) : undefined
    return name === undefined ? inside(schema) : { $ref: `#/components/schemas/${name}` }
  }

  function inside(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(refer)
    if (!isObject(schema)) return schema
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, refer(value)]))
  }

  const schemas = found.map(({ name, row, schema }) => [
    name,
    { description: descriptionOf(row, gaps), ...markUndocumented(inside(schema) as Json, row, gaps) },
  ])
  return { schemas: Object.fromEntries(schemas) as Record<string, Json>, refer }
}

/** Only the order of orders is open (ORD-14). */
function descriptionOf({ endpoint, description }: NamedShape, gaps: GapChoices): string {
  return endpoint === 'orders.list' ? description.replace('newest first', gaps['orders-order']) : description
}

/** Null for an endpoint that is not served; a test sees to it that no row misses its shape otherwise. */
function sourceOf({ endpoint, part, at }: NamedShape, gaps: GapChoices): Json | null {
  let schema = wholeSchema(endpoint, part, gaps)
  for (const step of at) schema = schema && stepInto(schema, step)
  return schema
}

function stepInto(schema: Json, step: string): Json | null {
  const inner =
    step === '[]'
      ? schema['items']
      : /^\d$/.test(step)
        ? (schema['anyOf'] as Json[] | undefined)?.[Number(step)]
        : (schema['properties'] as Json | undefined)?.[step]
  return isObject(inner) ? inner : null
}

/** The open point behind every field and parameter whose name the API document does not give. */
const FREE_FIELD = 'field'

/** The open point behind the names of values that the API document describes and does not name. */
const FREE_VALUE = 'value'

/** The mark of a field or parameter that is ours. */
export const freeFieldMark = { 'x-gap': { id: FREE_FIELD } }

/** The mark of something that depends on an open point: its id, what is legal there, what is chosen here. */
export function gapMark(id: GapId, gaps: GapChoices): Json {
  return { id, values: GAPS[id].values, chosen: gaps[id] }
}

/** The same object schema with a mark on each field, or status, that the API document does not name. */
function markUndocumented(schema: Json, { documented, ourStates }: Shape, gaps: GapChoices): Json {
  const properties = Object.entries((schema['properties'] as Record<string, Json> | undefined) ?? {})
  const marked = properties.map(([name, field]) => {
    if (!documented.includes(name))
      return [name, { ...('$ref' in field ? { allOf: [field] } : field), ...freeFieldMark }]
    if (name !== 'status' || !ourStates) return [name, field]
    const names = stateNames(gaps)
    const values = ourStates.map((state) => names.get(state) ?? state)
    return [name, { ...field, 'x-gap': { id: FREE_VALUE, values } }]
  })
  return { ...schema, properties: Object.fromEntries(marked) }
}

/** Every open point that marks refer to, in full. */
export function gapDictionary(gaps: GapChoices): Json {
  const rows = GAP_IDS.map((id) => {
    const { requirement, question, values, ...rest } = gapOf(id)
    return [id, { requirement, question, values, default: values[0], ...rest, chosen: gaps[id] }]
  })
  return {
    [FREE_FIELD]: {
      question: 'Name, type and presence of a field or parameter that the API document does not show',
      values: 'free',
      reason: 'The names follow the words the document uses for the same thing.',
    },
    [FREE_VALUE]: {
      question: 'Names of values of a documented field',
      values: 'free',
      reason: 'The API document describes such states but does not name them.',
    },
    ...Object.fromEntries(rows),
  }
}
