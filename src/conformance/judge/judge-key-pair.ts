import type { TargetCredential } from '../target/target.ts'
import { type Complaint, failure } from './judgment.ts'

const KEY_ID = /^pk_([A-Za-z0-9]+)_./

/**
 * Whether key id and secret carry the same environment word (CRED-01). Judged here and from the prefixes alone: the secret
 * is neither sent nor shown. Only an accepted call can show that both belong to the target.
 */
export function judgeKeyPair({ keyId, secret }: Pick<TargetCredential, 'keyId' | 'secret'>): Complaint {
  const word = KEY_ID.exec(keyId)?.[1]
  if (word === undefined) return failure('the key id does not start with pk_, a word and an underscore')
  if (secret.startsWith(`sk_${word}_`) && secret.length > `sk_${word}_`.length) return null
  const has = secret.startsWith('sk_') ? 'another word than the key id' : 'no sk_ at its start'
  return failure(`the key id starts with pk_${word}_, and its secret has ${has}`)
}
