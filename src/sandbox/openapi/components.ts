import type { EndpointId } from '../../contract/endpoints.ts'
import { ROUTES } from '../http/routes.ts'
import { COMPONENTS, type ComponentRow } from './component-table.ts'
import { markUndocumented } from './gap-marks.ts'
import { type Json, standardSchema } from './standard-schema.ts'

export type Part = 'query' | 'body' | 'answer'

/** A body, query or answer in standard terms, with nothing named yet; null where the endpoint has none. */
export function wholeSchema(endpoint: EndpointId, part: Part): Json | null {
  const schema = ROUTES[endpoint][part]
  return schema ? (standardSchema(schema.json, part === 'answer' ? 'answer' : 'request') as Json) : null
}

/** The named shapes, and how anything else refers to them. */
export interface Components {
  readonly schemas: Readonly<Record<string, Json>>
  /** The same schema, with each shape that has a name replaced by a reference to it. */
  refer(schema: unknown): unknown
}

export function collectComponents(): Components {
  const found = Object.entries(COMPONENTS).flatMap(([name, row]) => {
    const schema = sourceOf(row)
    return schema ? [{ name, row, schema }] : []
  })
  const nameOf = new Map<string, string>()
  for (const { name, schema } of found) {
    const key = JSON.stringify(schema)
    if (!nameOf.has(key)) nameOf.set(key, name)
  }

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
    { description: row.description, ...markUndocumented(inside(schema) as Json, row) },
  ])
  return { schemas: Object.fromEntries(schemas) as Record<string, Json>, refer }
}

/** Null for an endpoint that is not served; a test sees to it that no row misses its shape otherwise. */
function sourceOf({ endpoint, part, at }: ComponentRow): Json | null {
  let schema = wholeSchema(endpoint, part)
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

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
