import { environmentOf } from '../ids.ts'
import { closestTo } from '../words.ts'
import type { Mistake } from './mistake.ts'
import { mistake } from './mistakes.ts'

/** A credential that is known here. */
export interface KnownKey {
  readonly keyId: string
  /** E.g. `main of the world default`. */
  readonly words: string
  readonly name: string
}

/** Key ids that differ by no more than so many letters were meant to be the same. */
const NEAR = 3

/**
 * Why a key id is not known.
 *
 * @param signer whose secret the call is signed with, where it is somebody's.
 * @example explainKeyId('pk_live_1', [], null).id // 'key-id-live'
 */
export function explainKeyId(sent: string, known: readonly KnownKey[], signer: KnownKey | null): Mistake {
  if (/^["']?sk_/i.test(sent)) {
    return mistake(
      'key-id-is-no-key-id',
      'a secret was sent in place of the key id; it is known to everyone on the way now, so replace it',
    )
  }
  if (signer) {
    return mistake(
      'key-id-of-another',
      `the key id is unknown here, and the signature is that of ${signer.words}: send ${signer.keyId}`,
    )
  }
  if (environmentOf(sent) === 'live') return mistake('key-id-live')
  return misspelt(sent, known) ?? namedOtherwise(sent, known) ?? mistake('key-id-unknown', unknownWords(sent))
}

function misspelt(sent: string, known: readonly KnownKey[]): Mistake | null {
  const near = closestTo(sent, candidatesFor(sent, known))
  const meant = known.find(({ keyId }) => keyId === near)
  return meant
    ? mistake('key-id-misspelt', `the key id is unknown here; it is nearly ${meant.keyId}, that of ${meant.words}`)
    : null
}

/** Only those that are near enough; `closestTo` alone would take a third of the letters for a slip. */
function candidatesFor(sent: string, known: readonly KnownKey[]): string[] {
  const bare = sent.replaceAll(/["'\s]/g, '').toLowerCase()
  return known
    .map(({ keyId }) => keyId)
    .filter((keyId) => {
      const wanted = keyId.toLowerCase()
      if (wanted === bare) return true
      if (Math.abs(wanted.length - bare.length) > NEAR || bare.length < 8) return false
      const common = Math.min(sharedStart(wanted, bare) + sharedStart(reversed(wanted), reversed(bare)), wanted.length)
      return common >= wanted.length - NEAR
    })
}

function sharedStart(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

function reversed(text: string): string {
  return [...text].reverse().join('')
}

function namedOtherwise(sent: string, known: readonly KnownKey[]): Mistake | null {
  const named = known.find(({ name, keyId }) => name === sent || keyId.endsWith(`_${sent}`))
  if (named) {
    return mistake(
      'key-id-is-no-key-id',
      `the key id of ${named.words} is ${named.keyId}, and only a part or the name of it was sent`,
    )
  }
  return sent.startsWith('ptr_')
    ? mistake('key-id-is-no-key-id', 'a partner id was sent in place of the key id; a key id starts with pk_')
    : null
}

function unknownWords(sent: string): string {
  return sent.startsWith('pk_')
    ? 'the key id is unknown here: is it that of another sandbox, or of a world that was deleted or reset?'
    : 'what was sent as the key id is none; a key id starts with pk_'
}
