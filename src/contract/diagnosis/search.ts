import type { Frame } from './frame-mistakes.ts'
import { DIGESTS, type Digest } from './key-mistakes.ts'
import type { Mistake, Pieces, Way } from './mistake.ts'
import { type Key, type KeyedHmac, keyedHmac, type SentDigest } from './signature-header.ts'

/** Called between two pieces of work; gives a promise if others are to be served first. */
export type Rest = () => Promise<unknown> | undefined

export const WITHOUT_REST: Rest = () => undefined

/** What pieces of work come to, with rests in between. */
export async function inPieces<Member>(pieces: Pieces<readonly Member[]>, rest: Rest): Promise<Member[]> {
  const members: Member[] = []
  for (const piece of pieces) {
    members.push(...piece())
    const resting = rest()
    if (resting !== undefined) await resting
  }
  return members
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
export interface Match {
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

/**
 * Makes the signature in every known way, with no mistake first, then with one, then with two, until it is the one
 * that was sent.
 *
 * @param readings of the signature header, the likeliest first.
 */
export async function search(space: SearchSpace, readings: readonly SentDigest[], rest: Rest): Promise<Match | null> {
  for (const round of roundsOf(space, readings)) {
    for (const tries of round()) {
      const found = tries()
      if (found) return found
      const resting = rest()
      if (resting !== undefined) await resting
    }
  }
  return null
}

/** The same without a rest. */
export function searchAtOnce(space: SearchSpace, readings: readonly SentDigest[]): Match | null {
  for (const round of roundsOf(space, readings)) {
    for (const tries of round()) {
      const found = tries()
      if (found) return found
    }
  }
  return null
}

/** All tries with so many mistakes, for one reading after the other. */
function roundsOf(
  { keys, texts, digests = DIGESTS }: SearchSpace,
  readings: readonly SentDigest[],
): Pieces<Pieces<Match | null>> {
  const keyed = keys.map((key) => ({ ...key, value: keyedHmac(key.value) }))
  const spaces = texts.map(({ frames, lines }) => [digests, keyed, frames, ...lines])
  const counts = Array.from({ length: MOST + 1 }, (_, count) => count)
  return readings.flatMap((sent) =>
    counts.flatMap((count) => spaces.map((lists) => () => triesWith(lists, count, (way) => matchBy(way, sent)))),
  )
}

type CombinedWays = readonly Way<unknown>[]

/** What was signed, if it was made in this way. */
function matchBy(choice: CombinedWays, sent: SentDigest): Match | null {
  const [digest, key, frame, ...lines] = choice.map(({ value }) => value) as [Digest, KeyedHmac, Frame, ...string[]]
  const message = frame(lines)
  const isIt = digest(sent.algorithm, key, message).startsWith(sent.hex)
  return isIt ? { ...namesOf(choice, sent), message, lines } : null
}

/**
 * Tries one way from each list, with exactly so many mistakes in all: the first ones, but for one list or two. None
 * where a list is empty. A piece tries one other way, alone or beside each of those of later lists.
 */
function triesWith<Result>(
  lists: readonly CombinedWays[],
  count: number,
  attempt: (choice: CombinedWays) => Result | null,
): Pieces<Result | null> {
  if (lists.some((list) => list.length === 0)) return []
  const first = lists.map((list) => list[0] as Way<unknown>)
  const wanted = count - first.reduce((sum, { mistakes }) => sum + mistakes.length, 0)
  const others = lists.flatMap((list, at) => {
    const least = first[at]?.mistakes.length ?? 0
    return list.slice(1).map((way) => ({ at, way, further: way.mistakes.length - least }))
  })
  // Those of later lists first.
  others.sort((a, b) => b.at - a.at)
  const withFurther = [0, 1, 2].map((further) => others.filter((other) => other.further === further))
  const right = wanted === 0 ? [() => attempt(first)] : []
  const wrong = others.map((one) => () => {
    // One array for all tries: there may be hundreds of thousands.
    const chosen = [...first]
    chosen[one.at] = one.way
    for (const other of withFurther[wanted - one.further] ?? []) {
      if (other.at <= one.at) break
      chosen[other.at] = other.way
      const found = attempt(chosen)
      if (found) return found
      chosen[other.at] = first[other.at] as Way<unknown>
    }
    return one.further === wanted ? attempt(chosen) : null
  })
  return [...right, ...wrong]
}

function namesOf(choice: CombinedWays, sent: SentDigest): Pick<Match, 'mistakes' | 'equally'> {
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
