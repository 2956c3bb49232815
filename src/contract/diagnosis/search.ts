import { createHmac, hash } from 'node:crypto'
import { type KeyedHmac, keyedHmac } from './fast-hmac.ts'
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

/** A search that can be interrupted: it yields where it has run for a few milliseconds at most, and returns what it found. */
export type Search = Generator<undefined, Explanation | null>

/**
 * Makes the signature in every known way, with no mistake first, then with one, then with two, until it is the one
 * that was sent.
 *
 * @param readings of the signature header, the likeliest first.
 */
export function* search(space: SearchSpace, readings: readonly SentDigest[]): Search {
  const { frames = FRAMES, digests = DIGESTS, lines, messages } = space
  const keys = space.keys.map((key) => ({ ...key, value: toHmacKey(key.value) }))
  const byLines: Recipe = { lists: [digests, keys, frames, ...lines], candidateOf: candidateOfLines }
  const byMessage: Recipe = { lists: [digests, keys, messages], candidateOf: candidateOfMessage }
  const recipes = [...(lines.length > 0 ? [byLines] : []), ...(messages.length > 0 ? [byMessage] : [])]
  for (const sent of readings) {
    for (let count = 0; count <= MOST; count++) {
      for (const recipe of recipes) {
        const found = yield* searchWith(recipe, count, sent)
        if (found) return explanationOf(found, sent)
      }
    }
  }
  return null
}

export interface HmacKey {
  readonly text: Key
  readonly hmac: KeyedHmac
}

function toHmacKey(text: Key): HmacKey {
  return { text, hmac: keyedHmac(text) }
}

interface Candidate {
  readonly chosen: readonly Alternative<unknown>[]
  readonly key: HmacKey
  readonly digest: Digest
  readonly message: Uint8Array | string
  readonly lines: readonly string[] | null
}

type Lists = readonly (readonly Alternative<unknown>[])[]
type Choice = readonly Alternative<unknown>[]

/** What a signature may have been made from, and how it is made of one alternative from each list. */
interface Recipe {
  readonly lists: Lists
  candidateOf(chosen: Choice): Candidate
}

function candidateOfLines(chosen: Choice): Candidate {
  const [digest, key, frame, ...parts] = chosen as readonly [
    Alternative<Digest>,
    Alternative<HmacKey>,
    Alternative<Frame>,
    ...Alternative<string>[],
  ]
  const lines = parts.map(({ value }) => value)
  return { chosen, key: key.value, digest: digest.value, message: frame.value(lines), lines }
}

function candidateOfMessage(chosen: Choice): Candidate {
  const [digest, key, message] = chosen as readonly [
    Alternative<Digest>,
    Alternative<HmacKey>,
    Alternative<Uint8Array | string>,
  ]
  return { chosen, key: key.value, digest: digest.value, message: message.value, lines: null }
}

type Found = Generator<undefined, Candidate | null>

/** Tries all that takes exactly so many mistakes. */
function* searchWith({ lists, candidateOf }: Recipe, count: number, { algorithm, hex }: SentDigest): Found {
  for (const batch of choices(lists, count)) {
    for (const chosen of batch) {
      const candidate = candidateOf(chosen)
      if (!candidate.digest(algorithm, candidate.key, candidate.message).startsWith(hex)) continue
      return { ...candidate, chosen: [...chosen] }
    }
    yield undefined
  }
  return null
}

/**
 * One alternative from each list, with exactly so many mistakes in all, in batches that are tried quickly. Deviations in later
 * lists come first. The array is the same one each time.
 */
function* choices(lists: Lists, count: number): Generator<Iterable<Choice>> {
  const chosen = lists.map(([first]) => first as Alternative<unknown>)
  // Where a list has nothing that is right, one of its wrong ways is part of every choice.
  const forced = lists.flatMap((list, at) => (list[0]?.mistakes.length === 0 ? [] : [at]))
  const isWhole = (...at: number[]) => forced.every((one) => at.includes(one))
  if (count === 0) {
    if (isWhole()) yield [chosen]
    return
  }
  for (let at = lists.length - 1; at >= 0; at--) {
    for (const alternative of withMistakes(lists, at, count - 1)) {
      yield pairs(lists, chosen, at, alternative, isWhole)
    }
    if (isWhole(at)) yield alone(lists, chosen, at, count)
  }
}

function withMistakes(lists: Lists, at: number, count: number): Choice {
  return count === 0 ? [] : (lists[at] as Choice).filter(({ mistakes }) => mistakes.length === count)
}

/** Everything wrong comes from one list. */
function* alone(lists: Lists, chosen: Alternative<unknown>[], at: number, count: number): Generator<Choice> {
  const right = chosen[at] as Alternative<unknown>
  for (const alternative of withMistakes(lists, at, count)) {
    chosen[at] = alternative
    yield chosen
  }
  chosen[at] = right
}

/** One mistake comes of the alternative given, another one of a later list. */
function* pairs(
  lists: Lists,
  chosen: Alternative<unknown>[],
  at: number,
  alternative: Alternative<unknown>,
  isWhole: (...at: number[]) => boolean,
): Generator<Choice> {
  const right = chosen[at] as Alternative<unknown>
  for (let other = lists.length - 1; other > at; other--) {
    if (!isWhole(at, other)) continue
    chosen[at] = alternative
    yield* alone(lists, chosen, other, 1)
  }
  chosen[at] = right
}

/** Makes lower-case hex of a key and a text. */
export type Digest = (algorithm: Algorithm, key: HmacKey, message: Uint8Array | string) => string

const hmac: Digest = (algorithm, key, message) => key.hmac(algorithm, message)

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
