/**
 * A value's form on a line of the log: what it looks like to whom reads it, and how it gets there and back. One table says
 * all three, so that the writer and the reader cannot come apart.
 */
export interface Codec<Value> {
  /** JSON Schema of the written form. */
  readonly schema: object
  write(value: Value): unknown
  /** Of what fits the schema. */
  read(wire: unknown): Value
}

/** A member that may be absent. */
export interface Optional<Value> extends Codec<Value> {
  readonly optional: true
}

type Members<Row> = {
  readonly [Key in keyof Required<Row>]: Pick<Row, Key> extends Required<Pick<Row, Key>>
    ? Codec<Row[Key]>
    : Optional<Required<Row>[Key]>
}

function asItStands<Value>(schema: object): Codec<Value> {
  return { schema, write: (value) => value, read: (wire) => wire as Value }
}

export const text: Codec<string> = asItStands({ type: 'string' })
export const number: Codec<number> = asItStands({ type: 'number' })
export const count: Codec<number> = asItStands({ type: 'integer', minimum: 0 })
export const flag: Codec<boolean> = asItStands({ type: 'boolean' })
/** Any JSON value, as a target gave it. */
export const anything: Codec<unknown> = asItStands({})
/** A map from names to texts. */
export const texts: Codec<Readonly<Record<string, string>>> = asItStands({
  type: 'object',
  additionalProperties: { type: 'string' },
})
/** A header. */
export const pair: Codec<readonly [string, string]> = asItStands({
  ...{ type: 'array', minItems: 2, maxItems: 2 },
  items: { type: 'string' },
})

export function oneOf<Word extends string>(words: readonly Word[]): Codec<Word> {
  return asItStands({ enum: words })
}

export function nullable<Value>({ schema, write, read }: Codec<Value>): Codec<Value | null> {
  return {
    schema: { anyOf: [{ type: 'null' }, schema] },
    write: (value) => (value === null ? null : write(value)),
    read: (wire) => (wire === null ? null : read(wire)),
  }
}

export function optional<Value>(codec: Codec<Value>): Optional<Value> {
  return { ...codec, optional: true }
}

export function listOf<Value>({ schema, write, read }: Codec<Value>): Codec<Value[]> {
  return {
    schema: { type: 'array', items: schema },
    write: (value) => value.map(write),
    read: (wire) => (wire as unknown[]).map(read),
  }
}

/** A number for each of some words. */
export function countsOf<Word extends string>(words: readonly Word[]): Codec<Record<Word, number>> {
  return asItStands({
    ...{ type: 'object', additionalProperties: false, required: words },
    properties: Object.fromEntries(words.map((word) => [word, count.schema])),
  })
}

/** An object with these members and no others; their names are camelCase inside and snake_case on the line. */
export function record<Row extends object>(members: Members<Row>): Codec<Row> {
  const rows = Object.entries(members as unknown as Record<string, Codec<unknown> | Optional<unknown>>)
  return {
    schema: {
      ...{ type: 'object', additionalProperties: false },
      properties: Object.fromEntries(rows.map(([key, { schema }]) => [onTheLine(key), schema])),
      required: rows.filter(([, codec]) => !('optional' in codec)).map(([key]) => onTheLine(key)),
    },
    write: (value) => convert(rows, value as Record<string, unknown>, (codec) => codec.write, 'out'),
    read: (wire) => convert(rows, wire as Record<string, unknown>, (codec) => codec.read, 'in') as Row,
  }
}

function convert(
  rows: readonly (readonly [string, Codec<unknown>])[],
  from: Readonly<Record<string, unknown>>,
  way: (codec: Codec<unknown>) => (value: unknown) => unknown,
  direction: 'in' | 'out',
): Record<string, unknown> {
  const to: Record<string, unknown> = {}
  for (const [key, codec] of rows) {
    const [source, sink] = direction === 'out' ? [key, onTheLine(key)] : [onTheLine(key), key]
    if (from[source] !== undefined) to[sink] = way(codec)(from[source])
  }
  return to
}

function onTheLine(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
