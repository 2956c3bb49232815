import { COUNTRY_CODES } from '../../contract/countries.ts'

/** A piece of JSON Schema or of the document around it. */
export type Json = Record<string, unknown>

/** Which way a value goes: what we accept is wider than what we send. */
type Direction = 'request' | 'answer'

const HOST = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'

const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029'

/**
 * The formats of wire/validation.ts in words that other tools know: formats of JSON Schema and patterns. No
 * pattern is narrower than what the sandbox accepts or sends; a format says to tools what is meant.
 */
const STANDARD: Readonly<Record<string, Readonly<Record<Direction, Json>>>> = {
  domain: {
    request: { format: 'idn-hostname' },
    answer: { format: 'hostname', pattern: `^${HOST}(\\.${HOST})*$` },
  },
  'exact-domain': same({ format: 'hostname', pattern: `^${HOST}(\\.${HOST})*$` }),
  email: same({ format: 'email' }),
  'web-url': same({ format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' }),
  instant: {
    request: {
      anyOf: [
        { type: 'string', format: 'date', description: 'Midnight UTC of that day.' },
        { type: 'string', format: 'date-time', description: 'With its zone.' },
      ],
    },
    answer: { format: 'date-time', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' },
  },
  country: same({ pattern: `^(?:${[...COUNTRY_CODES].join('|')})$`, description: 'ISO 3166-1 alpha-2.' }),
  currency: same({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.' }),
  visible: same({ pattern: '^[\\x20-\\x7e]+$' }),
  plain: same({ pattern: `^[^${CONTROLS}]*[^\\s${CONTROLS}][^${CONTROLS}]*$`, description: 'One line, not blank.' }),
}

function same(json: Json): Record<Direction, Json> {
  return { request: json, answer: json }
}

/**
 * A schema of ours without keywords that only our validator knows.
 *
 * @throws Error for a format that has no row here.
 * @example standardSchema({ type: 'string', format: 'country' }, 'answer') // { type: 'string', pattern: '^[A-Z]{2}$', ... }
 */
export function standardSchema(schema: unknown, direction: Direction): unknown {
  if (Array.isArray(schema)) return schema.map((item) => standardSchema(item, direction))
  if (typeof schema !== 'object' || schema === null) return schema
  const standard: Json = {}
  for (const [name, value] of Object.entries(schema)) {
    // A field may be called format; then it is not a text.
    if (name === 'format' && typeof value === 'string') Object.assign(standard, formatOf(value, direction))
    // A bound that only says what JSON numbers can hold anyway is left out.
    else if (name !== 'maximum' || value !== Number.MAX_SAFE_INTEGER) standard[name] = standardSchema(value, direction)
  }
  return standard
}

/** The parameters of a path, each with what `about` says of it. */
export function pathParameters(path: string, about: (name: string) => Json | undefined): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...about(name),
    schema: { type: 'string', minLength: 1 },
  }))
}

function formatOf(format: string, direction: Direction): Json {
  const row = STANDARD[format]
  if (!row) throw new Error(`the format ${format} is not known outside`)
  return row[direction]
}
