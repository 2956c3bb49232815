import { either, type OptionalSchema, object, type Schema } from '../../contract/schema.ts'

export const text: Schema<string> = { json: { type: 'string' } }
export const count: Schema<number> = { json: { type: 'integer', minimum: 0 } }
/** Any JSON value, as a target gave it. */
export const anything: Schema<unknown> = { json: {} }
/** A map from names to texts. */
export const texts: Schema<Readonly<Record<string, string>>> = {
  json: { type: 'object', additionalProperties: text.json },
}
export const header: Schema<readonly [string, string]> = {
  json: { type: 'array', minItems: 2, maxItems: 2, items: text.json },
}

export function oneOf<Word extends string | number>(...words: readonly Word[]): Schema<Word> {
  return { json: { enum: words } }
}

/** Null comes first, because the message about a wrong value names the first alternative. */
export function nullable<Value>(schema: Schema<Value>): Schema<Value | null> {
  return either<Value | null>({ json: { type: 'null' } }, schema)
}

/** A number for each of some words. */
export function countsOf<Word extends string>(words: readonly Word[]): Schema<Record<Word, number>> {
  return { json: object(Object.fromEntries(words.map((word) => [word, count]))).json }
}

type Members<Row> = {
  readonly [Key in keyof Required<Row>]: Pick<Row, Key> extends Required<Pick<Row, Key>>
    ? Schema<Row[Key]>
    : OptionalSchema<Required<Row>[Key]>
}

/** An object with every member of a type and no others; their names are camelCase inside and snake_case on the line. */
export function record<Row extends object>(members: Members<Row>): Schema<Row> {
  const rows = Object.entries<Schema<unknown>>(members)
  const { json } = object(Object.fromEntries(rows.map(([name, schema]) => [onTheLine(name), schema])))
  return { json: { ...json, names: rows.map(([name]) => name) } }
}

interface LineSchema {
  items?: LineSchema
  properties?: Readonly<Record<string, LineSchema>>
  /** Of the members of a record, as they are inside. */
  names?: readonly string[]
}

/** A value as it stands on the line, or back from there. What no record names is left out. */
export function renamed(value: unknown, schema: LineSchema, way: 'in' | 'out'): unknown {
  const { items, properties = {}, names } = schema
  if (items && Array.isArray(value)) return value.map((item) => renamed(item, items, way))
  if (names === undefined) return value
  const from = new Map(Object.entries(value ?? {}))
  const to: Record<string, unknown> = {}
  for (const name of names) {
    const wireName = onTheLine(name)
    const found = from.get(way === 'out' ? name : wireName)
    if (found !== undefined) to[way === 'out' ? wireName : name] = renamed(found, properties[wireName] ?? {}, way)
  }
  return to
}

function onTheLine(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
