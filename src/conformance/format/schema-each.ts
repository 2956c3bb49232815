import { ENDPOINT_IDS } from '../../contract/endpoint-ids.ts'
import { isObject } from '../../contract/is-object.ts'
import {
  byType,
  list,
  oneKey,
  oneOf,
  partial,
  record,
  type Schema,
  type TypeOf,
  withExamples,
} from '../../contract/schema.ts'
import { SCOPES } from '../../contract/scopes.ts'
import type { Template } from './values.ts'

const NAME = '^[A-Za-z0-9][A-Za-z0-9._-]*$'

/** A row that is more than one value: `row` is its name in the id, the rest is referred to. */
const NAMED_ROW: Schema<{ row: string; [field: string]: Template }> = {
  json: { type: 'object', required: ['row'], properties: { row: { type: 'string', pattern: NAME } } },
}

const LISTED_ROW: Schema<Template> = { json: {} }

const OPERATIONS = partial('Operations of the document; what is left out narrows nothing.', {
  effect: oneOf(['read', 'write'], 'Those that change something, or those that do not.'),
  method: oneOf(['GET', 'POST', 'PUT'], 'Those with this verb.'),
  scope: oneOf(SCOPES, 'Those that this scope opens.'),
  only: list(oneOf(ENDPOINT_IDS), { description: 'These.', minItems: 1 }),
  by: oneOf(
    ['scope', 'other_scope'],
    'A row for each scope that opens the operation, or for each that does not: `${each.NAME.scope}`.',
  ),
  except: list(oneOf(ENDPOINT_IDS), { description: 'All but these.', minItems: 1 }),
})

/** A text is filled in from the row around it before it is read. */
const ROWS = byType('Where the rows come from.', {
  string: { json: { pattern: '^\\$\\{each\\.[a-z0-9_.]+\\}$' } } as Schema<string>,
  array: { json: { items: LISTED_ROW.json, minItems: 1 } } as Schema<Template[]>,
  object: oneKey('Where the rows come from.', {
    operations: OPERATIONS,
    pairs: list(NAMED_ROW, { description: 'Every two of these, as `first` and `second`.', minItems: 2 }),
  }) as Schema<{ operations: TypeOf<typeof OPERATIONS> } | { pairs: TypeOf<typeof NAMED_ROW>[] }>,
})

/** The rows of a scenario, by the names under which its steps refer to them. */
export const EACH: Schema<Record<string, TypeOf<typeof ROWS>>> = withExamples(
  record<TypeOf<typeof ROWS>>(
    'Runs the scenario once for each row: `${each.NAME}` is the value of a row. Several names are combined, each row of one with each of the others.',
    { minProperties: 1, values: ROWS, propertyNames: { pattern: '^[a-z][a-z0-9_]*$' } },
  ),
  { op: { operations: { effect: 'read' } } },
  { tier: ['Managed', 'managed ', 'self-serve'] },
)

type Node = Readonly<Record<string, unknown>>

const EACH_TEXT: Node = { type: 'string', pattern: '\\$\\{each\\.' }

/** A schema of scenarios for editors: before its rows are filled in, a file may say `${each...}` where a value or a key goes. */
export function editorSchema(json: Node): Node {
  return Object.fromEntries(
    Object.entries(json).map(([keyword, value]) => {
      if (keyword === 'properties') return [keyword, mapped(value, (inner) => orEach(editorSchema(inner)))]
      if (keyword === 'definitions') return [keyword, mapped(value, editorSchema)]
      if (Array.isArray(value) && ['allOf', 'anyOf'].includes(keyword)) return [keyword, value.map(editorSchema)]
      if (['items', 'then', 'additionalProperties'].includes(keyword) && isObject(value))
        return [keyword, editorSchema(value)]
      return [keyword, value]
    }),
  )
}

function orEach(json: Node): Node {
  const { description, examples, ...rest } = json
  return {
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
    anyOf: [rest, EACH_TEXT],
  }
}

function mapped(nodes: unknown, change: (node: Node) => Node): Node {
  return Object.fromEntries(Object.entries(nodes as Record<string, Node>).map(([name, node]) => [name, change(node)]))
}
