import { type JsonObject, keysOf } from '../conformance/http/json-body.ts'
import { isObject } from '../contract/is-object.ts'

/** What servers form in their own ways: ids, lengths, and how exact a date is. */
const OF_EACH_SERVER = new Set(['pattern', 'format', 'minLength', 'maxLength'])

/** A schema that asks for members and their types only. */
export function openly(schema: JsonObject): JsonObject {
  return without(schema, OF_EACH_SERVER) as JsonObject
}

/** Beside the above: which members an object must have, and whether amounts are whole. */
export function loosened(schema: JsonObject, inUnits: boolean): JsonObject {
  const loose = without(schema, new Set(['pattern', 'minLength', 'maxLength', 'required'])) as JsonObject
  return inUnits && loose['type'] === 'integer' ? { type: 'number' } : loose
}

function without(schema: unknown, left: ReadonlySet<string>, isProperties = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => without(item, left))
  if (!isObject(schema)) return schema
  const kept = Object.entries(schema).filter(([name]) => isProperties || !left.has(name))
  return Object.fromEntries(
    kept.map(([name, value]) => [name, without(value, left, name === 'properties' && !isProperties)]),
  )
}

export function membersOf(schema: JsonObject): Readonly<Record<string, JsonObject>> {
  return (schema['properties'] ?? {}) as Record<string, JsonObject>
}

export function requiredOf(schema: JsonObject): readonly string[] {
  return (schema['required'] ?? []) as string[]
}

/** A member of a schema, and whether every answer has a value there. */
export interface SchemaPart {
  readonly schema: JsonObject
  readonly isCertain: boolean
}

/**
 * What a schema says of a place; null if it has no such place.
 *
 * @param pointer JSON pointer, which goes through objects only.
 */
export function partAt(schema: JsonObject, pointer: string): SchemaPart | null {
  let part: SchemaPart | null = { schema, isCertain: true }
  for (const key of keysOf(pointer)) {
    const inner: JsonObject | undefined = membersOf(part.schema)[key]
    if (inner === undefined) return null
    part = { schema: inner, isCertain: part.isCertain && requiredOf(part.schema).includes(key) && !mayBeNull(inner) }
  }
  return part
}

function mayBeNull({ anyOf }: JsonObject): boolean {
  return Array.isArray(anyOf) && anyOf.some((branch) => isObject(branch) && branch['type'] === 'null')
}
