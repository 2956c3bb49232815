import { FAULTS, type FaultName } from './faults.ts'

/** A JSON schema, as far as it is needed here. */
export type JsonSchema = { readonly [key: string]: unknown }

/** The JSON schema of a scenario's `fault`, made from the table so that the two cannot differ. */
export function faultSchema(): JsonSchema {
  return oneKeyOf(
    Object.fromEntries((Object.keys(FAULTS) as FaultName[]).map((name) => [name, detailSchema(FAULTS[name])])),
    'Exactly one thing that is wrong with the call, so that no other rule can answer first.',
  )
}

interface Row {
  readonly about: string
  readonly words: Readonly<Record<string, string>>
  readonly values: Readonly<
    Record<string, { readonly about: string; readonly type: string; readonly among?: readonly string[] }>
  >
}

function detailSchema({ about, words, values }: Row): JsonSchema {
  const oneWord = Object.entries(words).map(([word, description]) => ({ const: word, description }))
  const properties = Object.entries(values).map(([name, { about: description, type, among }]) => [
    name,
    { description, type, ...(among ? { enum: among } : {}) },
  ])
  const objects = properties.length === 0 ? [] : [oneKeyOf(Object.fromEntries(properties))]
  return { description: about, oneOf: [...oneWord, ...objects] }
}

function oneKeyOf(properties: Record<string, unknown>, description?: string): JsonSchema {
  return {
    ...(description ? { description } : {}),
    type: 'object',
    properties,
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
  }
}
