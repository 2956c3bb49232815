/** What of a schema the documentation page shows. */
export interface ShownSchema {
  readonly $ref?: string
  readonly allOf?: readonly ShownSchema[]
  readonly type?: string
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly string[]
  readonly const?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly description?: string
  readonly properties?: Readonly<Record<string, ShownSchema>>
  readonly required?: readonly string[]
  readonly items?: ShownSchema
  readonly anyOf?: readonly ShownSchema[]
  readonly 'x-gap'?: { readonly id: string; readonly values?: readonly string[] }
}

/** One field of a body or answer, on a line of its own. */
export interface FieldLine {
  /** From the outermost object inward, e.g. `orders[].buyer.email`. */
  readonly path: string
  readonly type: string
  readonly required: boolean
  readonly description: string
  /** What the API document leaves open about it; null if it leaves nothing open. */
  readonly open: ShownSchema['x-gap'] | null
}

export type FindSchema = (ref: string) => ShownSchema

/**
 * Every field of a schema in reading order, those of inner objects and lists after the one that holds them.
 *
 * @param find the schema a reference points at.
 */
export function flattenSchema(schema: ShownSchema, find: FindSchema, prefix = ''): FieldLine[] {
  const { properties = {}, required = [] } = resolvedSchema(schema, find)
  return Object.entries(properties).flatMap(([name, field]) => {
    const shown = resolvedSchema(field, find)
    const path = prefix + name
    const line = {
      path,
      type: typeText(shown, find),
      required: required.includes(name),
      description: field.description ?? (field.$ref || field.allOf ? '' : (shown.description ?? '')),
      open: field['x-gap'] ?? null,
    }
    return [line, ...innerLines(shown, find, path)]
  })
}

function innerLines(schema: ShownSchema, find: FindSchema, path: string): FieldLine[] {
  const { schema: inner, path: innerPath } = unwrapped(schema, find, path)
  // Alternatives differ in their last field only, or are of another kind altogether; both read well one after the other.
  const lines = (inner.anyOf ?? [inner]).flatMap((one) => flattenSchema(one, find, `${innerPath}.`))
  return lines.filter((line, index) => lines.findIndex(({ path: other }) => other === line.path) === index)
}

/** Through lists and "or null" to what may have fields. */
function unwrapped(schema: ShownSchema, find: FindSchema, path: string): { schema: ShownSchema; path: string } {
  if (schema.items) return unwrapped(resolvedSchema(schema.items, find), find, `${path}[]`)
  const present = presentAlternatives(schema)
  if (schema.anyOf && present.length === 1)
    return unwrapped(resolvedSchema(present[0] as ShownSchema, find), find, path)
  return { schema, path }
}

function presentAlternatives({ anyOf = [] }: ShownSchema): ShownSchema[] {
  return anyOf.filter(({ type }) => type !== 'null')
}

/** With the reference followed, and all of `allOf` in one; what comes later narrows what came before. */
export function resolvedSchema(schema: ShownSchema, find: FindSchema): ShownSchema {
  if (schema.$ref !== undefined) return resolvedSchema(find(schema.$ref), find)
  const { allOf, ...own } = schema
  if (!allOf) return schema
  const parts = [...allOf.map((part) => resolvedSchema(part, find)), own]
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  }
}

/**
 * A type in a few words.
 *
 * @example typeText({ type: 'integer', minimum: 1, maximum: 100 }, find) // 'integer, 1 to 100'
 */
export function typeText(shown: ShownSchema, find: FindSchema): string {
  const schema = resolvedSchema(shown, find)
  if (schema.anyOf) return alternativesText(schema, find)
  if (schema.items) return `list of ${typeText(schema.items, find)}`
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum.length === 1 ? String(schema.enum[0]) : `one of ${schema.enum.join(', ')}`
  const kind = schema.format ? `${schema.type ?? 'string'} (${schema.format})` : (schema.type ?? 'anything')
  return [kind, boundsText(schema), schema.format ? '' : patternText(schema)].filter(Boolean).join(', ')
}

function alternativesText(schema: ShownSchema, find: FindSchema): string {
  const texts = presentAlternatives(schema).map((one) => typeText(one, find))
  const isNullable = schema.anyOf?.some(({ type }) => type === 'null')
  return [...new Set(texts), ...(isNullable ? ['null'] : [])].join(' or ')
}

/** Lengths are worth a word where they are tight; the general bound of texts is not. */
function boundsText({ minimum, maximum, minLength, maxLength }: ShownSchema): string {
  if (minimum !== undefined) return maximum === undefined ? `${minimum} or more` : `${minimum} to ${maximum}`
  if (maxLength === undefined || maxLength >= 2_048) return ''
  return minLength === undefined ? `up to ${maxLength} characters` : `${minLength} to ${maxLength} characters`
}

const ID_PATTERN = /^\^([a-z]+_)\[/

/** An id by its prefix; other patterns are put into words by the description. */
function patternText({ pattern = '', description }: ShownSchema): string {
  const prefix = ID_PATTERN.exec(pattern)?.[1]
  if (prefix) return `${prefix}…`
  return description === undefined ? pattern : ''
}
