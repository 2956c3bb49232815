import {
  canonicalQueryOf,
  compareByCodePoint,
  compareByUtf16Unit,
  decodeQuery,
  encodeComponent,
  type QueryPair,
} from '../canonical-string.ts'
import { type Alternative, distinct, type Mistake, upToTwo, type Variation } from './mistake.ts'
import { mistake } from './mistakes.ts'

/** One pair of a query: decoded, and as it stands in the URL. */
interface Piece {
  readonly key: string
  readonly value: string
  readonly raw: string
}

/** How a server reads a query, as far as the document leaves it open. */
export interface QueryReading {
  /** How texts are ordered (CANON-15); by code point unless said otherwise. */
  readonly compare?: Compare
  /** What a literal plus sign stands for (CANON-12); a space unless said otherwise. */
  readonly plus?: ' ' | '+'
}

type Compare = (a: string, b: string) => number
type Encode = (text: string) => string
type Order = (pieces: readonly Piece[], write: (piece: Piece) => string) => Piece[]

/**
 * The query line as it is signed rightly and wrongly, with one mistake and with two.
 *
 * @throws MalformedQueryError where the query is broken: then nothing can be signed rightly.
 */
export function queryAlternatives(rawQuery: string, reading: QueryReading = {}): Alternative<string>[] {
  const { compare = compareByCodePoint, plus = ' ' } = reading
  const pairs = decodeQuery(rawQuery, plus)
  if (pairs.length === 0 && rawQuery === '') return [{ value: '', mistakes: [], equally: [] }]
  const pieces = piecesOf(rawQuery, pairs)
  const right = { value: canonicalQueryOf(pairs, compare), mistakes: [] }
  const otherwise = readOtherwise(rawQuery, compare, plus)
  const whole = wholeWays(rawQuery, right.value)
  return distinct([right, otherwise, ...whole, ...writtenWays(pieces, compare), ...rawSorted(pieces, compare)], String)
}

function readOtherwise(rawQuery: string, compare: Compare, plus: ' ' | '+'): { value: string; mistakes: Mistake[] } {
  const pairs = decodeQuery(rawQuery, plus === '+' ? ' ' : '+')
  const made = mistake(plus === '+' ? 'query-plus-as-space' : 'query-plus-kept')
  return { value: canonicalQueryOf(pairs, compare), mistakes: [made] }
}

function piecesOf(rawQuery: string, pairs: readonly QueryPair[]): Piece[] {
  const raws = rawQuery.split('&').filter((piece) => piece !== '')
  return pairs.map(([key, value], at) => ({ key, value, raw: raws[at] ?? '' }))
}

function wholeWays(rawQuery: string, right: string): { value: string; mistakes: Mistake[] }[] {
  return [
    { value: rawQuery, mistakes: [mistake('query-raw')] },
    { value: '', mistakes: [mistake('query-empty')] },
    { value: `?${right}`, mistakes: [mistake('query-with-mark')] },
    { value: `?${rawQuery}`, mistakes: [mistake('query-with-mark'), mistake('query-raw')] },
  ]
}

/** One mistake, although it comes out otherwise than {@link WRITERS} has it: who sorts the text of the URL never decodes it. */
function rawSorted(pieces: readonly Piece[], compare: Compare): { value: string; mistakes: Mistake[] }[] {
  const decodedFirst = byPair(pieces, compare).map(({ raw }) => raw)
  const asText = pieces.map(({ raw }) => raw).sort(compareByUtf16Unit)
  const asPairs = byEncoded(pieces, ({ raw }) => raw).map(({ raw }) => raw)
  const values = new Set([asText.join('&'), asPairs.join('&')])
  values.delete(decodedFirst.join('&'))
  return [...values].map((value) => ({ value, mistakes: [mistake('query-sorted-raw')] }))
}

function* writtenWays(pieces: readonly Piece[], compare: Compare): Generator<{ value: string; mistakes: Mistake[] }> {
  const groups = [MARKS, BLANKS, DUPLICATES, ordersWith(compare), WRITERS] as const
  for (const { values, mistakes } of upToTwo(groups)) {
    const [mark, blanks, duplicates, order, writer] = values
    const write = writer(blanks.bare)
    const line = order(duplicates(pieces.filter(blanks.keeps)), write)
      .map(write)
      .join('&')
    yield { value: mark + line, mistakes }
  }
}

const MARKS: Variation<string>[] = [
  { mistake: null, value: '' },
  { mistake: mistake('query-with-mark'), value: '?' },
]

const BLANKS: Variation<{ keeps: (piece: Piece) => boolean; bare: boolean }>[] = [
  { mistake: null, value: { keeps: () => true, bare: false } },
  { mistake: mistake('query-blank-dropped'), value: { keeps: ({ value }) => value !== '', bare: false } },
  { mistake: mistake('query-blank-bare'), value: { keeps: () => true, bare: true } },
]

const DUPLICATES: Variation<(pieces: readonly Piece[]) => readonly Piece[]>[] = [
  { mistake: null, value: (pieces) => pieces },
  { mistake: mistake('query-duplicates-first'), value: (pieces) => merged(pieces, (first) => first) },
  { mistake: mistake('query-duplicates-last'), value: (pieces) => merged(pieces, (_, last) => last) },
  { mistake: mistake('query-duplicates-joined'), value: (pieces) => merged(pieces, joined) },
]

function merged(pieces: readonly Piece[], merge: (first: Piece, next: Piece) => Piece): Piece[] {
  const byKey = new Map<string, Piece>()
  for (const piece of pieces) {
    const earlier = byKey.get(piece.key)
    byKey.set(piece.key, earlier ? merge(earlier, piece) : piece)
  }
  return [...byKey.values()]
}

function joined(first: Piece, next: Piece): Piece {
  const value = `${first.value},${next.value}`
  return { key: first.key, value, raw: `${first.raw},${next.raw.slice(next.raw.indexOf('=') + 1)}` }
}

function ordersWith(compare: Compare): Variation<Order>[] {
  const otherwise = compare === compareByUtf16Unit
  const other = otherwise ? compareByCodePoint : compareByUtf16Unit
  return [
    { mistake: null, value: (pieces) => byPair(pieces, compare) },
    { mistake: mistake('query-unsorted'), value: (pieces) => [...pieces] },
    {
      mistake: mistake('query-sorted-by-key-only'),
      value: (pieces) => [...pieces].sort((a, b) => compare(a.key, b.key)),
    },
    { mistake: mistake('query-sorted-after-encoding'), value: (pieces, write) => byEncoded(pieces, write) },
    {
      mistake: mistake('query-sorted-as-text'),
      value: (pieces) => [...pieces].sort((a, b) => compareByUtf16Unit(`${a.key}=${a.value}`, `${b.key}=${b.value}`)),
    },
    { mistake: mistake('query-sorted-ignoring-case'), value: (pieces) => byPair(pieces, ignoringCase) },
    {
      mistake: mistake(otherwise ? 'query-sorted-code-point' : 'query-sorted-utf16'),
      value: (pieces) => byPair(pieces, other),
    },
  ]
}

function byPair(pieces: readonly Piece[], compare: Compare): Piece[] {
  return [...pieces].sort((a, b) => compare(a.key, b.key) || compare(a.value, b.value))
}

/** Sorted by encoded key, then by encoded value, as whoever encodes first has them. */
function byEncoded(pieces: readonly Piece[], write: (piece: Piece) => string): Piece[] {
  const parts = new Map(pieces.map((piece) => [piece, halves(write(piece))]))
  return [...pieces].sort((a, b) => {
    const [leftKey, leftValue] = parts.get(a) as Halves
    const [rightKey, rightValue] = parts.get(b) as Halves
    return compareByUtf16Unit(leftKey, rightKey) || compareByUtf16Unit(leftValue, rightValue)
  })
}

type Halves = readonly [key: string, value: string]

function halves(text: string): Halves {
  const equals = text.indexOf('=')
  return equals === -1 ? [text, ''] : [text.slice(0, equals), text.slice(equals + 1)]
}

function ignoringCase(a: string, b: string): number {
  return compareByUtf16Unit(a.toLowerCase(), b.toLowerCase())
}

/** How a pair is written, with or without the equals sign of a blank value. */
type Writer = (bareBlanks: boolean) => (piece: Piece) => string

function written(encode: Encode): Writer {
  return (bareBlanks) => (piece) =>
    bareBlanks && piece.value === '' ? encode(piece.key) : `${encode(piece.key)}=${encode(piece.value)}`
}

const WRITERS: Variation<Writer>[] = [
  { mistake: null, value: written(encodeComponent) },
  { mistake: mistake('query-plus'), value: written((text) => encodeComponent(text).replaceAll('%20', '+')) },
  { mistake: mistake('query-five-bare'), value: written(encodeURIComponent) },
  { mistake: mistake('query-lower-hex'), value: written((text) => lowerEscapes(encodeComponent(text))) },
  { mistake: mistake('query-decoded'), value: written((text) => text) },
  { mistake: mistake('query-encoded-twice'), value: written((text) => encodeComponent(encodeComponent(text))) },
  { mistake: mistake('query-slash-bare'), value: written((text) => encodeComponent(text).replaceAll('%2F', '/')) },
  { mistake: mistake('query-form'), value: written(formEncoded) },
  { mistake: mistake('query-sorted-raw'), value: (bareBlanks) => (piece) => rawOf(piece, bareBlanks) },
]

function lowerEscapes(text: string): string {
  return text.replaceAll(/%[0-9A-F]{2}/g, (found) => found.toLowerCase())
}

function formEncoded(text: string): string {
  return encodeComponent(text).replaceAll('%20', '+').replaceAll('%2A', '*').replaceAll('~', '%7E')
}

function rawOf({ raw, value }: Piece, bareBlanks: boolean): string {
  return bareBlanks && value === '' ? raw.replace(/=$/, '') : raw
}
