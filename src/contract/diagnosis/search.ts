import type { Steps } from '../steps.ts'
import type { Frame } from './frame-mistakes.ts'
import { DIGESTS, type Digest } from './key-mistakes.ts'
import type { Mistake, Way } from './mistake.ts'
import { type Key, type KeyedHmac, keyedHmac, type SentDigest } from './signature-header.ts'

/** The members of a sequence that takes long to make, one a step. */
export function* collected<Member>(members: Iterable<Member>): Steps<Member[]> {
  const found: Member[] = []
  for (const member of members) {
    found.push(member)
    yield undefined
  }
  return found
}

/** Everything that may have been signed, and with what. The first way of each list is the likeliest one, and right in most lists. */
export interface SearchSpace {
  readonly keys: readonly Way<Key>[]
  readonly texts: readonly TextSpace[]
  /** How a digest comes of key and text; every known way where left out. */
  readonly digests?: readonly Way<Digest>[]
}

/** Texts that may have been signed: lines, and how they become one text. */
export interface TextSpace {
  readonly frames: readonly Way<Frame>[]
  readonly lines: readonly (readonly Way<string>[])[]
}

/** Texts that are made of no lines. */
export function wholeTexts(texts: readonly Way<string | Uint8Array>[]): TextSpace {
  return { frames: texts.map((way) => ({ ...way, value: () => way.value })), lines: [] }
}

/** What was signed, as found, and everything that was wrong with it. */
export interface Explanation {
  readonly mistakes: readonly Mistake[]
  /** Other mistakes that would have made the very same signature of this call. */
  readonly equally: readonly (readonly Mistake[])[]
  /** The text that was signed. */
  readonly message: Uint8Array | string
  /** The lines it was made of, before they were joined; none where it was not made of lines. */
  readonly lines: readonly string[]
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
  const { texts, digests = DIGESTS } = space
  const keys = space.keys.map((key) => ({ ...key, value: keyedHmac(key.value) }))
  let bytes = 0
  for (const sent of readings) {
    for (let count = 0; count <= MOST; count++) {
      for (const { frames, lines: lists } of texts) {
        for (const choice of choices([digests, keys, frames, ...lists], count)) {
          const [digest, key, frame, ...lines] = choice.map(({ value }) => value) as [
            Digest,
            KeyedHmac,
            Frame,
            ...string[],
          ]
          const message = frame(lines)
          if (digest(sent.algorithm, key, message).startsWith(sent.hex))
            return { ...namesOf(choice, sent), message, lines }
          bytes += TRY_BYTES + message.length
          if (bytes < STEP_BYTES) continue
          bytes = 0
          yield undefined
        }
      }
    }
  }
  return null
}

type Choice = readonly Way<unknown>[]

/**
 * One way from each list, with exactly so many mistakes in all: the first ones, but for one list or two. None
 * where a list is empty. The array is the same one each time.
 */
function* choices(lists: readonly Choice[], count: number): Generator<Choice> {
  if (lists.some((list) => list.length === 0)) return
  const first = lists.map((list) => list[0] as Way<unknown>)
  const wanted = count - first.reduce((sum, { mistakes }) => sum + mistakes.length, 0)
  const others = lists.flatMap((list, at) => {
    const least = first[at]?.mistakes.length ?? 0
    return list.slice(1).map((way) => ({ at, way, further: way.mistakes.length - least }))
  })
  // Those of later lists first.
  others.sort((a, b) => b.at - a.at)
  const withFurther = [0, 1, 2].map((further) => others.filter((other) => other.further === further))
  if (wanted === 0) yield first
  const chosen = [...first]
  for (const one of others) {
    chosen[one.at] = one.way
    for (const other of withFurther[wanted - one.further] ?? []) {
      if (other.at <= one.at) break
      chosen[other.at] = other.way
      yield chosen
      chosen[other.at] = first[other.at] as Way<unknown>
    }
    if (one.further === wanted) yield chosen
    chosen[one.at] = first[one.at] as Way<unknown>
  }
}

function namesOf(choice: Choice, sent: SentDigest): Pick<Explanation, 'mistakes' | 'equally'> {
  const wrong = choice.filter(({ mistakes }) => mistakes.length > 0)
  const mistakes = [...sent.mistakes, ...wrong.flatMap((each) => each.mistakes)]
  const equally = wrong.flatMap((one) =>
    (one.equally ?? []).map((other) => [
      ...sent.mistakes,
      ...wrong.flatMap((each) => (each === one ? other : each.mistakes)),
    ]),
  )
  return { mistakes, equally: withoutRepeats(mistakes, equally) }
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
