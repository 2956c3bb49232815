import { scenarioSchema } from '../../conformance/schema.ts'
import type { Schema } from '../../conformance/schema-parts.ts'

/** The keys of a map in the order of the schema; null where any key may stand there. */
export type KeyOrder = readonly string[] | null

const ROOT = scenarioSchema()
const DEFINITIONS = ROOT.definitions as Record<string, Schema>

/**
 * The order in which the schema of scenarios names the keys at a place.
 *
 * @param path keys from the root of the file; an item of a list is `[]`.
 * @example keyOrderAt(['steps', '[]']) // ['id', 'as', 'call', ...]
 */
export function keyOrderAt(path: readonly string[]): KeyOrder {
  let here: Schema | undefined = ROOT
  for (const key of path) here = key === '[]' ? itemOf(here) : propertyOf(here, key)
  const properties = here && propertiesOf(here)
  return properties ? Object.keys(properties) : null
}

function propertyOf(schema: Schema | undefined, key: string): Schema | undefined {
  return schema && propertiesOf(schema)?.[key]
}

function itemOf(schema: Schema | undefined): Schema | undefined {
  return branches(schema).flatMap((branch) => (branch.items ? [branch.items as Schema] : []))[0]
}

/** A value may have several shapes; that which has keys is looked for. */
function propertiesOf(schema: Schema): Record<string, Schema> | undefined {
  return branches(schema).flatMap((branch) =>
    branch.properties ? [branch.properties as Record<string, Schema>] : [],
  )[0]
}

function branches(schema: Schema | undefined): Schema[] {
  if (schema === undefined) return []
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined
  const named = name === undefined ? undefined : DEFINITIONS[name]
  const inner = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => (schema[key] as Schema[] | undefined) ?? [])
  const conditional = [schema.then as Schema | undefined, schema.else as Schema | undefined].filter(
    (part) => part !== undefined,
  )
  return [schema, ...(named ? branches(named) : []), ...[...inner, ...conditional].flatMap(branches)]
}
