import { createHmac, hash } from 'node:crypto'
import { distinct, type Mistakes, rightAndWrong, type Way, wrongWays } from './mistake.ts'
import type { Algorithm, Key, KeyedHmac } from './signature-header.ts'

/** A secret that may have been used instead of the right one, and whose it is: never the secret itself. */
export interface OtherSecret {
  readonly secret: string
  /** E.g. `the secret of only-buy`. */
  readonly whose: string
}

interface KeyOwner {
  readonly keyId: string | null
  readonly secret: string
}

export const KEY_MISTAKES = {
  'key-id-as-secret': ['the key id was used as the secret', ({ keyId }) => (keyId ? [keyId] : [])],
  'secret-newline': ['the secret was used with a newline at its end', ({ secret }) => [`${secret}\n`, `${secret}\r\n`]],
  'secret-space': ['the secret was used with white space around it', ({ secret }) => [` ${secret}`, `${secret} `]],
  'secret-quoted': ['the secret was used with its quotation marks', ({ secret }) => [`"${secret}"`, `'${secret}'`]],
  'secret-without-prefix': ['the secret was used without its sk_ prefix', ({ secret }) => [withoutPrefix(secret)]],
  'secret-base64-decoded': [
    // Decoders of other languages take padding, or leave out what they cannot read; both are tried.
    'the secret was decoded from base64; use its text as the key',
    ({ secret }) =>
      [secret, withoutPrefix(secret), secret.replaceAll(/[^A-Za-z0-9+/]/g, '')].map((text) =>
        Buffer.from(text, 'base64'),
      ),
  ],
  'secret-hex-decoded': [
    'the secret was decoded from hex; use its text as the key',
    ({ secret }) =>
      [secret, withoutPrefix(secret)]
        .filter((text) => /^(?:[0-9a-f]{2})+$/i.test(text))
        .map((text) => Buffer.from(text, 'hex')),
  ],
  'secret-hashed': [
    'the SHA-256 of the secret was used instead of the secret',
    ({ secret }) => [hash('sha256', secret, 'hex'), hash('sha256', secret, 'buffer')],
  ],
  'secret-case': ['the secret was used in another case', ({ secret }) => [secret.toLowerCase(), secret.toUpperCase()]],
  'secret-cut': [
    'the secret was used without its first or its last characters',
    ({ secret }) => [secret.slice(0, -1), secret.slice(0, -2), secret.slice(1)],
  ],
  'secret-empty': ['the secret was empty; is the variable that holds it set?', () => ['']],
  'secret-unset': [
    'a word stood for the secret; is the variable that holds it set, and read?',
    () => ['undefined', 'None', 'null', '$PARTNER_SECRET', '${PARTNER_SECRET}'],
  ],
} as const satisfies Mistakes<KeyOwner, Key>

export const OTHER_SECRET_MISTAKES = {
  'secret-of-another': [({ whose }) => `${whose} was used`, ({ secret }) => [secret]],
} as const satisfies Mistakes<OtherSecret, Key>

function withoutPrefix(secret: string): string {
  return secret.replace(/^[a-z]+_(?:[a-z]+_)?/, '')
}

/** The right key and every wrong one that people use. */
export function keysFor(signer: KeyOwner, others: readonly OtherSecret[]): Way<Key>[] {
  const ways = [
    { value: signer.secret, mistakes: [] },
    ...wrongWays<KeyOwner, Key>(KEY_MISTAKES, signer),
    ...others.flatMap((other) => [...wrongWays<OtherSecret, Key>(OTHER_SECRET_MISTAKES, other)]),
  ]
  return distinct(ways, (value) => (typeof value === 'string' ? `t${value}` : Buffer.from(value).toString('hex')))
}

/** Makes lower-case hex of a key and a text. */
export type Digest = (algorithm: Algorithm, key: KeyedHmac, message: Uint8Array | string) => string

/** Other digests than an HMAC of the text under the key. */
export const DIGEST_MISTAKES = {
  'plain-hash': [
    'a plain SHA-256 of secret and text was computed instead of an HMAC',
    () => [
      (algorithm, { key }, message) => plain(algorithm, key, message),
      (algorithm, { key }, message) => plain(algorithm, message, key),
      (algorithm, _key, message) => plain(algorithm, message),
    ],
  ],
  'hmac-swapped': [
    'the key and the message of the HMAC were swapped',
    () => [(algorithm, { key }, message) => createHmac(algorithm, message).update(key).digest('hex')],
  ],
} as const satisfies Mistakes<null, Digest>

function plain(algorithm: Algorithm, ...parts: (Uint8Array | string)[]): string {
  return hash(algorithm, Buffer.concat(parts.map((part) => Buffer.from(part as string))), 'hex')
}

const hmacOfText: Digest = (algorithm, { hmac }, message) => hmac(algorithm, message)

/** How a digest comes of key and text, the right way first. */
export const DIGESTS = rightAndWrong<null, Digest>(hmacOfText, DIGEST_MISTAKES, null)
