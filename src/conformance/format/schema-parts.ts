/** A JSON Schema, draft-07. */
export type Schema = { readonly [keyword: string]: unknown }

export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null'

/** An object with these keys and no other. */
export function object(
  description: string,
  properties: Record<string, Schema>,
  required: readonly string[] = [],
): Schema {
  return {
    description,
    type: 'object',
    additionalProperties: false,
    properties,
    ...(required.length > 0 ? { required } : {}),
  }
}

export function text(description: string, extra: Schema = {}): Schema {
  return { description, type: 'string', ...extra }
}

export function oneOf(description: string, words: readonly string[]): Schema {
  return { description, type: 'string', enum: words }
}

export function list(description: string, items: Schema, extra: Schema = {}): Schema {
  return { description, type: 'array', items, ...extra }
}

export function anything(description: string): Schema {
  return { description }
}

export function whole(description: string, minimum = 0): Schema {
  return { description, type: 'integer', minimum }
}

export function yesOrNo(description: string): Schema {
  return { description, type: 'boolean' }
}

/** Names to values of any kind; `${...}` may stand in any string. */
export function namedValues(description: string): Schema {
  return { description, type: 'object', minProperties: 1 }
}

/**
 * Different schemas for different JSON types. Written with if/then, so that a mistake is reported against the
 * one branch its type belongs to rather than against all of them.
 */
export function byType(description: string, branches: Partial<Record<JsonType, Schema>>): Schema {
  const types = Object.keys(branches)
  return {
    description,
    type: types.length === 1 ? types[0] : types,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    allOf: Object.entries(branches).map(([type, schema]) => ({ if: { type }, then: schema })),
  }
}

export function ref(name: string): Schema {
  return { $ref: `#/definitions/${name}` }
}

/** What may be said of an answer as text. */
export const OF_THE_TEXT: Record<string, Schema> = {
  matches: text('A regular expression on the body as text.'),
  lacks: anything('Texts that the answer must not contain, headers included.'),
  hides_cause: { description: 'The body shows no stack trace, path, SQL or other cause.', const: true },
}
