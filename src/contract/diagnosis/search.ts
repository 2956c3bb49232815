import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import { FRAMES, type Frame } from './frames.ts'
import type { Key } from './keys.ts'
import type { Alternative, Mistake } from './mistake.ts'
import { mistake } from './mistakes.ts'
import type { Algorithm, SentDigest } from './signature-header.ts'

/** Everything that may have been signed, and with what. The first alternative of each list is the right one. */
export interface SearchSpace {
  readonly keys: readonly Alternative<Key>[]
  /** The six lines of a canonical string. */
  readonly lines: readonly (readonly Alternative<string>[])[]
  /** How the lines become one text; every known way where left out. */
  readonly frames?: readonly Alternative<Frame>[]
  /** How a digest comes of key and text; every known way where left out. */
  readonly digests?: readonly Alternative<Digest>[]
  /** Whole texts that may have been signed instead of what a right one covers. */
  readonly messages: readonly Alternative<Uint8Array | string>[]
}

/** What was signed, as found, and everything that was wrong with it. */
export interface Explanation {
  readonly mistakes: readonly Mistake[]
  /** Other mistakes that would have made the very same signature of this call. */
  readonly equally: readonly (readonly Mistake[])[]
  /** The text that was signed. */
  readonly message: Uint8Array | string
  /** The lines it was made of, before they were joined; null where it was not made of lines. */
  readonly lines: readonly string[] | null
}

/** Most mistakes at a time, besides those that the form of the header shows. */
const MOST = 2

/**
 * Makes the signature in every known way, with no mistake first, then with one, then with two, until it is the one
 * that was sent.
 *
 * @param readings of the signature header, the likeliest first.
 */
export function search(space: SearchSpace, readings: readonly SentDigest[]): Explanation | null {
  for (const reading of readings) {
    const found = explained(space, reading)
    if (found) return found
  }
  return null
}

function explained(space: SearchSpace, sent: SentDigest): Explanation | null {
  const keys = space.keys.map((key) => ({ ...key, value: toHmacKey(key.value) }))
  for (let count = 0; count <= MOST; count++) {
    for (const candidate of candidates({ ...space, keys }, count)) {
      if (!candidate.digest(sent.algorithm, candidate.key, candidate.message).startsWith(sent.hex)) continue
      return explanationOf(candidate, sent)
    }
  }
  return null
}

export interface HmacKey {
  readonly text: Key
  readonly object: KeyObject
}

function toHmacKey(text: Key): HmacKey {
  return { text, object: createSecretKey(Buffer.from(text)) }
}

interface Candidate {
  readonly chosen: readonly Alternative<unknown>[]
  readonly key: HmacKey
  readonly digest: Digest
  readonly message: Uint8Array | string
  readonly lines: readonly string[] | null
}

type KeyedSpace = Omit<SearchSpace, 'keys'> & { readonly keys: readonly Alternative<HmacKey>[] }

/** Everything that takes exactly so many mistakes. */
function* candidates(
  { keys, lines, messages, frames = FRAMES, digests = DIGESTS }: KeyedSpace,
  count: number,
): Generator<Candidate> {
  if (lines.length > 0) {
    for (const chosen of combinations([digests, keys, frames, ...lines], count)) {
      const [digest, key, frame, ...parts] = chosen as readonly [
        Alternative<Digest>,
        Alternative<HmacKey>,
        Alternative<Frame>,
        ...Alternative<string>[],
      ]
      const texts = parts.map(({ value }) => value)
      yield { chosen, key: key.value, digest: digest.value, message: frame.value(texts), lines: texts }
    }
  }
  if (messages.length === 0) return
  for (const chosen of combinations([digests, keys, messages], count)) {
    const [digest, key, message] = chosen as readonly [
      Alternative<Digest>,
      Alternative<HmacKey>,
      Alternative<Uint8Array | string>,
    ]
    yield { chosen, key: key.value, digest: digest.value, message: message.value, lines: null }
  }
}

/** One alternative from each list, with exactly so many mistakes in all. The array is the same one each time. */
function* combinations(
  lists: readonly (readonly Alternative<unknown>[])[],
  count: number,
  chosen: Alternative<unknown>[] = [],
  at = 0,
): Generator<readonly Alternative<unknown>[]> {
  const list = lists[at]
  if (!list) {
    if (count === 0) yield chosen
    return
  }
  for (const alternative of list) {
    // Lists begin with the fewest mistakes.
    if (alternative.mistakes.length > count) break
    chosen[at] = alternative
    yield* combinations(lists, count - alternative.mistakes.length, chosen, at + 1)
  }
}

/** Makes lower-case hex of a key and a text. */
export type Digest = (algorithm: Algorithm, key: HmacKey, message: Uint8Array | string) => string

const hmac: Digest = (algorithm, key, message) => createHmac(algorithm, key.object).update(message).digest('hex')

/** The right way. */
export const HMAC: Alternative<Digest> = { value: hmac, mistakes: [], equally: [] }

const DIGESTS: readonly Alternative<Digest>[] = [
  HMAC,
  ...(
    [
      ['plain-hash', (algorithm, key, message) => plain(algorithm, key.text, message)],
      ['plain-hash', (algorithm, key, message) => plain(algorithm, message, key.text)],
      ['plain-hash', (algorithm, _key, message) => plain(algorithm, message)],
      ['hmac-swapped', (algorithm, key, message) => createHmac(algorithm, message).update(key.text).digest('hex')],
    ] as const satisfies readonly (readonly [string, Digest])[]
  ).map(([id, value]) => ({ value, mistakes: [mistake(id)], equally: [] })),
]

function plain(algorithm: Algorithm, ...parts: (Uint8Array | string)[]): string {
  return hash(algorithm, Buffer.concat(parts.map((part) => Buffer.from(part as string))), 'hex')
}

function explanationOf({ chosen, message, lines }: Candidate, sent: SentDigest): Explanation {
  const wrong = chosen.filter(({ mistakes }) => mistakes.length > 0)
  const mistakes = [...sent.mistakes, ...wrong.flatMap((choice) => choice.mistakes)]
  const equally = wrong.flatMap((choice) =>
    choice.equally.map((other) => [
      ...sent.mistakes,
      ...wrong.flatMap((each) => (each === choice ? other : each.mistakes)),
    ]),
  )
  return { mistakes, equally: withoutRepeats(mistakes, equally), message, lines }
}

/** Two spellings of one mistake are no second explanation, nor are two ways to write the same JSON. */
function withoutRepeats(mistakes: readonly Mistake[], others: readonly (readonly Mistake[])[]): (readonly Mistake[])[] {
  const seen = new Set([kindOf(mistakes)])
  return others.filter((other) => {
    const kind = kindOf(other)
    return seen.has(kind) ? false : seen.add(kind)
  })
}

function kindOf(mistakes: readonly Mistake[]): string {
  return mistakes.map(({ id, says }) => (id.startsWith('body-json-') ? 'body-json' : says)).join('\n')
}
