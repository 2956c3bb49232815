import { type Frame, frameWays } from './frame-mistakes.ts'
import { type Digest, digestWays } from './key-mistakes.ts'
import { type Key, type KeyedHmac, keyedHmac } from './keyed-hmac.ts'
import type { Alternative, Mistake, Way } from './mistake.ts'
import type { SentDigest } from './signature-header.ts'

/** Work in short steps: the caller decides what happens between them. */
export type Steps<Result> = Generator<undefined, Result>

/** Runs all steps without a pause. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** The members of a sequence that takes long to make, one a step. */
export function* collected<Member>(members: Iterable<Member>): Steps<Member[]> {
  const found: Member[] = []
  for (const member of members) {
    found.push(member)
    yield undefined
  }
  return found
}

/** Everything that may have been signed, and with what. The first alternative of each list is the likeliest one, and right in most lists. */
export interface SearchSpace {
  readonly keys: readonly Alternative<Key>[]
  /** The six lines of a canonical string; empty where none was signed. */
  readonly lines: readonly (readonly Alternative<string>[])[]
  /** Whole texts that may have been signed instead of what a right signature covers. */
  readonly messages: readonly Alternative<Uint8Array | string>[]
  /** How the lines become one text; every known way where left out. */
  readonly frames?: readonly Alternative<Frame>[]
  /** How a digest comes of key and text; every known way where left out. */
  readonly digests?: readonly Alternative<Digest>[]
}

/** What was signed, as found, and everything that was wrong with it. */
export interface Explanation extends SignedText {
  readonly mistakes: readonly Mistake[]
  /** Other mistakes that would have made the very same signature of this call. */
  readonly equally: readonly (readonly Mistake[])[]
}

interface SignedText {
  /** The text that was signed. */
  readonly message: Uint8Array | string
  /** The lines it was made of, before they were joined; null where it was not made of lines. */
  readonly lines: readonly string[] | null
}

/** Most mistakes at a time, besides those that the form of the header shows. */
const MOST = 2

/** A step hashes so many bytes, in less than a millisecond. A try counts for some, however short its text. */
const STEP_BYTES = 128 * 1024
const TRY_BYTES = 1_024

/**
 * Makes the signature in every known way, with no mistake first, then with one, then with two, until it is the one
 * that was sent.
 *
 * @param readings of the signature header, the likeliest first.
 */
export function* search(space: SearchSpace, readings: readonly SentDigest[]): Steps<Explanation | null> {
  const recipes = recipesOf(space)
  let bytes = 0
  for (const sent of readings) {
    for (let count = 0; count <= MOST; count++) {
      for (const { lists, textOf } of recipes) {
        for (const choice of choices(lists, count)) {
          const [digest, key, ...parts] = choice.map(({ value }) => value) as [Digest, KeyedHmac, ...unknown[]]
          const signed = textOf(parts)
          if (digest(sent.algorithm, key, signed.message).startsWith(sent.hex)) return explained(choice, signed, sent)
          bytes += TRY_BYTES + signed.message.length
          if (bytes < STEP_BYTES) continue
          bytes = 0
          yield undefined
        }
      }
    }
  }
  return null
}

/** What a signature may have been made from: one alternative of each list, those of digest and key first. */
interface Recipe {
  readonly lists: readonly Choice[]
  textOf(parts: readonly unknown[]): SignedText
}

type Choice = readonly Alternative<unknown>[]

function recipesOf({ keys, lines, messages, frames = FRAMES, digests = DIGESTS }: SearchSpace): Recipe[] {
  const around = [digests, keys.map((key) => ({ ...key, value: keyedHmac(key.value) }))]
  const byLines = { lists: [...around, frames, ...lines], textOf: textOfLines }
  const byMessage = { lists: [...around, messages], textOf: textOfMessage }
  return lines.length > 0 ? [byLines, byMessage] : [byMessage]
}

function textOfLines(parts: readonly unknown[]): SignedText {
  const [frame, ...lines] = parts as [Frame, ...string[]]
  return { message: frame(lines), lines }
}

function textOfMessage(parts: readonly unknown[]): SignedText {
  const [message] = parts as [Uint8Array | string]
  return { message, lines: null }
}

/**
 * One alternative from each list, with exactly so many mistakes in all: the first ones, but for one list or two. None
 * where a list is empty. The array is the same one each time.
 */
function* choices(lists: readonly Choice[], count: number): Generator<Choice> {
  if (lists.some((list) => list.length === 0)) return
  const first = lists.map((list) => list[0] as Alternative<unknown>)
  const wanted = count - first.reduce((sum, { mistakes }) => sum + mistakes.length, 0)
  const others = lists.flatMap((list, at) => {
    const least = first[at]?.mistakes.length ?? 0
    return list.slice(1).map((alternative) => ({ at, alternative, further: alternative.mistakes.length - least }))
  })
  // Those of later lists first.
  others.sort((a, b) => b.at - a.at)
  const withFurther = [0, 1, 2].map((further) => others.filter((other) => other.further === further))
  if (wanted === 0) yield first
  const chosen = [...first]
  for (const one of others) {
    chosen[one.at] = one.alternative
    for (const other of withFurther[wanted - one.further] ?? []) {
      if (other.at <= one.at) break
      chosen[other.at] = other.alternative
      yield chosen
      chosen[other.at] = first[other.at] as Alternative<unknown>
    }
    if (one.further === wanted) yield chosen
    chosen[one.at] = first[one.at] as Alternative<unknown>
  }
}

/** How six lines become one text, the right way first. */
export const FRAMES = withNothingEqual([...frameWays()].sort((a, b) => a.mistakes.length - b.mistakes.length))
const DIGESTS = withNothingEqual([...digestWays()])

/** The right way to make a digest. */
export const RIGHT_DIGEST = DIGESTS.slice(0, 1)

function withNothingEqual<Value>(ways: readonly Way<Value>[]): Alternative<Value>[] {
  return ways.map((way) => ({ ...way, equally: [] }))
}

function explained(choice: Choice, signed: SignedText, sent: SentDigest): Explanation {
  const wrong = choice.filter(({ mistakes }) => mistakes.length > 0)
  const mistakes = [...sent.mistakes, ...wrong.flatMap((each) => each.mistakes)]
  const equally = wrong.flatMap((one) =>
    one.equally.map((other) => [...sent.mistakes, ...wrong.flatMap((each) => (each === one ? other : each.mistakes))]),
  )
  return { ...signed, mistakes, equally: withoutRepeats(mistakes, equally) }
}

/** Two spellings of one mistake are not a second explanation, nor are two ways to write the same JSON. */
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
