import { BODY_MISTAKES } from './body-mistakes.ts'
import { FRAME_MISTAKES, TIMESTAMPED_SCHEME, WEBHOOK_SCHEME } from './frame-mistakes.ts'
import { DIGEST_MISTAKES, KEY_MISTAKES, OTHER_SECRET_MISTAKES } from './key-mistakes.ts'
import { METHOD_MISTAKES, NONCE_MISTAKES, PATH_MISTAKES, TIMESTAMP_MISTAKES } from './line-mistakes.ts'
import type { Mistake } from './mistake.ts'
import { QUERY_MISTAKES } from './query-mistakes.ts'
import { SIGNATURE_MISTAKES } from './signature-header.ts'

/** Scheme of a delivery that is signed as a call would be. */
const CALL_SCHEME = {
  'call-scheme': ['the delivery was signed by the scheme of calls, six lines; a delivery signs its raw body alone'],
} as const

/** The sentence of every known way to sign wrongly, by what it changes. docs/signing.md lists them for people. */
export const MISTAKES = sentencesOf(
  SIGNATURE_MISTAKES,
  KEY_MISTAKES,
  OTHER_SECRET_MISTAKES,
  METHOD_MISTAKES,
  PATH_MISTAKES,
  QUERY_MISTAKES,
  TIMESTAMP_MISTAKES,
  NONCE_MISTAKES,
  BODY_MISTAKES,
  FRAME_MISTAKES,
  WEBHOOK_SCHEME,
  TIMESTAMPED_SCHEME,
  CALL_SCHEME,
  DIGEST_MISTAKES,
)

export type MistakeId = keyof typeof MISTAKES

function sentencesOf<Tables extends readonly Readonly<Record<string, readonly unknown[]>>[]>(...tables: Tables) {
  const rows = tables.flatMap((table) => Object.entries(table))
  type Id = Tables[number] extends infer Table ? (Table extends unknown ? keyof Table : never) : never
  return Object.fromEntries(rows.map(([id, [sentence]]) => [id, sentence])) as Readonly<Record<Id, unknown>>
}

/**
 * @param says needed where the sentence of the table depends on what was sent.
 * @example mistake('body-hash-twice', 'the SHA-256 of the body was signed instead of the body')
 */
export function mistake(id: MistakeId, says?: string): Mistake {
  const sentence = MISTAKES[id]
  return { id, says: says ?? (typeof sentence === 'string' ? sentence : id) }
}
