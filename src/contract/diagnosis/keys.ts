import { hash } from 'node:crypto'
import { type Alternative, distinct, type Mistake } from './mistake.ts'
import { mistake } from './mistakes.ts'

/** A secret that may have been used instead of the right one, and whose it is: never the secret itself. */
export interface OtherSecret {
  readonly secret: string
  /** E.g. `the secret of only-buy`. */
  readonly whose: string
}

export type Key = string | Uint8Array

/** The right key and every wrong one that people use. */
export function keyAlternatives(
  secret: string,
  keyId: string | null,
  others: readonly OtherSecret[],
): Alternative<Key>[] {
  const ways: { value: Key; mistakes: Mistake[] }[] = [
    { value: secret, mistakes: [] },
    ...(keyId ? [{ value: keyId, mistakes: [mistake('key-id-as-secret')] }] : []),
    ...misreadings(secret),
    ...others.map((other) => ({
      value: other.secret,
      mistakes: [mistake('secret-of-another', `${other.whose} was used`)],
    })),
  ]
  return distinct(ways, (value) => (typeof value === 'string' ? `t${value}` : Buffer.from(value).toString('hex')))
}

function misreadings(secret: string): { value: Key; mistakes: Mistake[] }[] {
  const opaque = secret.replace(/^[a-z]+_(?:[a-z]+_)?/, '')
  const ways: [Parameters<typeof mistake>[0], Key][] = [
    ['secret-newline', `${secret}\n`],
    ['secret-newline', `${secret}\r\n`],
    ['secret-space', ` ${secret}`],
    ['secret-space', `${secret} `],
    ['secret-quoted', `"${secret}"`],
    ['secret-quoted', `'${secret}'`],
    ['secret-without-prefix', opaque],
    ...decodings(secret, opaque),
    ['secret-hashed', hash('sha256', secret, 'hex')],
    ['secret-hashed', hash('sha256', secret, 'buffer')],
    ['secret-case', secret.toLowerCase()],
    ['secret-case', secret.toUpperCase()],
    ['secret-empty', ''],
  ]
  return ways.map(([id, value]) => ({ value, mistakes: [mistake(id)] }))
}

/** Decoders of other languages take padding, or leave out what they cannot read; both are tried. */
function decodings(secret: string, opaque: string): ['secret-base64-decoded' | 'secret-hex-decoded', Key][] {
  const texts = opaque === secret ? [secret] : [secret, opaque]
  const standard = secret.replaceAll(/[^A-Za-z0-9+/]/g, '')
  return [
    ...[...texts, standard].map((text) => ['secret-base64-decoded', Buffer.from(text, 'base64')] as const),
    ...texts
      .filter((text) => /^(?:[0-9a-f]{2})+$/i.test(text))
      .map((text) => ['secret-hex-decoded', Buffer.from(text, 'hex')] as const),
  ].map(([id, value]) => [id, value])
}
