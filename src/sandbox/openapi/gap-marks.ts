import { GAP_IDS, GAPS, type GapChoices, type GapId, gapOf } from '../../contract/choices.ts'
import type { Shape } from '../../contract/endpoints.ts'
import { stateNames } from '../../contract/wire-names.ts'
import type { Json } from './standard-schema.ts'

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
export function markUndocumented(schema: Json, { documented, ourStates }: Shape, gaps: GapChoices): Json {
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
