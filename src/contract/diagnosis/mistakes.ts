import { BODY_MISTAKES, DATA_ALONE } from './body-mistakes.ts'
import { FRAME_MISTAKES, TIMESTAMPED_SCHEME, WEBHOOK_SCHEME } from './frame-mistakes.ts'
import { DIGEST_MISTAKES, KEY_MISTAKES, OTHER_SECRET_MISTAKES } from './key-mistakes.ts'
import { METHOD_MISTAKES, NONCE_MISTAKES, PATH_MISTAKES, TIMESTAMP_MISTAKES } from './line-mistakes.ts'
import type { Mistake } from './mistake.ts'
import { QUERY_MISTAKES } from './query-mistakes.ts'
import { SIGNATURE_MISTAKES } from './signature-header.ts'

/** Scheme of a delivery that is signed as a call would be. */
const CALL_SCHEME = {
  'call-scheme': ['the delivery was signed as a call, with six lines; a delivery signs its raw body alone'],
} as const

/** Every known way to sign wrongly, by what it changes; the sentence is the first member. docs/signing.md lists them for people. */
export const MISTAKES = withoutTypesOfDrafts({
  ...SIGNATURE_MISTAKES,
  ...KEY_MISTAKES,
  ...OTHER_SECRET_MISTAKES,
  ...METHOD_MISTAKES,
  ...PATH_MISTAKES,
  ...QUERY_MISTAKES,
  ...TIMESTAMP_MISTAKES,
  ...NONCE_MISTAKES,
  ...BODY_MISTAKES,
  ...FRAME_MISTAKES,
  ...WEBHOOK_SCHEME,
  ...TIMESTAMPED_SCHEME,
  ...CALL_SCHEME,
  ...DATA_ALONE,
  ...DIGEST_MISTAKES,
})

export type MistakeId = keyof typeof MISTAKES

function withoutTypesOfDrafts<Id extends string>(
  rows: Readonly<Record<Id, readonly [sentence: unknown, ...unknown[]]>>,
) {
  return rows
}

/**
 * @param says needed where the sentence of the table depends on what was sent.
 * @example mistake('body-hash-twice', 'the SHA-256 of the body was signed instead of the body')
 */
export function mistake(id: MistakeId, says?: string): Mistake {
  const [sentence] = MISTAKES[id]
  return { id, says: says ?? (typeof sentence === 'string' ? sentence : id) }
}
