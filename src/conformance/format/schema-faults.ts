import { SCOPES } from '../../contract/scopes.ts'
import { FAULTS } from '../signing/signature-faults.ts'
import { byType, object, oneOf, type Schema, text, whole } from './schema-parts.ts'

const ONE_FIELD = { type: 'object', minProperties: 1, maxProperties: 1 }

const CALL_FAULTS: Record<string, Schema> = {
  idempotency_key: oneOf('The Idempotency-Key header.', ['drop']),
  scope: {
    ...object('A credential of the same partner that lacks a scope.', { without: { enum: SCOPES } }, ['without']),
  },
  query: {
    ...object('One parameter.', {
      unset: text('Left out.'),
      set: { ...ONE_FIELD, description: 'With another value.' },
    }),
    ...ONE_FIELD,
  },
  body: byType('The body, before it is signed.', {
    string: { enum: ['not_json', 'not_object', 'not_utf_8', 'empty'] },
    object: {
      ...object('One field, or the whole.', {
        unset: text('This field is left out.'),
        wrong_type: text('This field has a value of another JSON type.'),
        set: { ...ONE_FIELD, description: 'This field has another value.' },
        raw: text('This text instead.'),
        oversized: whole('Sound JSON of so many bytes instead.', 1),
      }),
      minProperties: 1,
      maxProperties: 1,
    },
  }),
  content_type: object('Another Content-Type.', { raw: text('This one.') }, ['raw']),
}

/** Names of the faults that change the call rather than its signature. */
export const CALL_FAULT_NAMES = Object.keys(CALL_FAULTS)

/** Faults of the signer, from its own table, and those that change the call before it is signed. */
export function faultSchema(): Schema {
  const signing = Object.entries(FAULTS).map(([name, row]) => [name, signingFault(row)] as const)
  return {
    description: 'Exactly one thing that is wrong with the call, so that no other rule can answer first.',
    type: 'object',
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: false,
    properties: { ...Object.fromEntries(signing), ...CALL_FAULTS },
  }
}

function signingFault(row: { about: string; words: object; values: object }): Schema {
  const values = Object.entries(
    row.values as Record<string, { about: string; type: string; among?: readonly string[] }>,
  )
  const properties = values.map(([key, { about, type, among }]) => [
    key,
    { description: about, type, ...(among ? { enum: among } : {}) },
  ])
  const detail = { ...object(row.about, Object.fromEntries(properties)), minProperties: 1, maxProperties: 1 }
  return byType(row.about, {
    ...(Object.keys(row.words).length > 0 ? { string: { enum: Object.keys(row.words) } } : {}),
    ...(values.length > 0 ? { object: detail } : {}),
  })
}
