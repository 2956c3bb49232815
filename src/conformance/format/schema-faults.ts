import { byType, oneKey, oneOf, partial, record, type Schema, string, whole } from '../../contract/schema.ts'
import { SCOPES } from '../../contract/scopes.ts'
import { FAULTS, type FaultRow, type FaultValue } from '../signing/signature-faults.ts'
import { among, type Template } from './values.ts'

function oneField(description: string): Schema<Record<string, Template>> {
  return record<Template>(description, { minProperties: 1, maxProperties: 1 })
}

const CALL_FAULTS = {
  idempotency_key: oneOf(['drop'], 'The Idempotency-Key header.'),
  scope: partial(
    'A credential of the same partner that lacks a scope.',
    { without: among(SCOPES) },
    { required: ['without'] },
  ),
  query: oneKey('One parameter.', { unset: string('Left out.'), set: oneField('With another value.') }),
  body: byType('The body, before it is signed.', {
    string: among(['not_json', 'not_object', 'not_utf_8', 'empty']),
    object: oneKey('One field, or the whole.', {
      unset: string('This field is left out.'),
      wrong_type: string('This field has a value of another JSON type.'),
      set: oneField('This field has another value.'),
      raw: string('This text instead.'),
      oversized: whole('Valid JSON of so many bytes instead.', { minimum: 1 }),
    }),
  }),
  content_type: partial('Another Content-Type.', { raw: string('This one.') }, { required: ['raw'] }),
}

/** Names of the faults that change the call rather than its signature. */
export const CALL_FAULT_NAMES = Object.keys(CALL_FAULTS)

const SIGNING_FAULTS = Object.fromEntries(Object.entries(FAULTS).map(([name, row]) => [name, signingFault(row)]))

/** Faults of the signer, from its own table, and those that change the call before it is signed. */
export const FAULT: Schema<Record<string, Template>> = oneKey(
  'Exactly one thing that is wrong with the call, so that no other rule can answer first.',
  { ...SIGNING_FAULTS, ...CALL_FAULTS },
)

function signingFault(row: FaultRow): Schema<Template> {
  const values = Object.entries(row.values).map(([key, value]) => [key, detailOf(value)] as const)
  const words = Object.keys(row.words)
  return byType(row.about, {
    ...(words.length > 0 && { string: among(words) }),
    ...(values.length > 0 && { object: oneKey(row.about, Object.fromEntries(values)) }),
  })
}

function detailOf({ about, type, among }: FaultValue): Schema<Template> {
  return { json: { description: about, type, ...(among && { enum: among }) } }
}
