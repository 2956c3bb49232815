import { compareByCodePoint, compareByUtf16Unit, decodeQuery, encodeComponent } from '../canonical-string.ts'
import { type Mistakes, type Pieces, upToTwo, type Way, wrongWays } from './mistake.ts'

/** How a server reads a query, as far as the document leaves it open. */
export interface QueryReading {
  /** How texts are ordered (CANON-15); by code point unless said otherwise. */
  readonly compare?: Compare
  /** What a literal plus sign stands for (CANON-12); a space unless said otherwise. */
  readonly plus?: ' ' | '+'
}

type Compare = (a: string, b: string) => number

/** One pair of a query: decoded, and as it stands in the URL. */
interface QueryPiece {
  readonly key: string
  readonly value: string
  readonly raw: string
}

/** A query line in the making: what each step of it does. */
interface QueryDraft extends Required<QueryReading> {
  readonly sent: string
  readonly pieces: readonly QueryPiece[]
  order(draft: QueryDraft): readonly QueryPiece[]
  encode(text: string): string
  /** A pair as it is written; without the equals sign of a key without value where `bareBlanks` is set. */
  write(piece: QueryPiece, draft: QueryDraft): string
  readonly bareBlanks: boolean
  /** The line, where it is not made of the pieces. */
  readonly text: string | null
  readonly start: '' | '?'
}

/**
 * The query line as it is signed rightly and wrongly, with one mistake and with two.
 *
 * @throws MalformedQueryError where the query is broken: then nothing can be signed rightly.
 */
export function queryWays(sent: string, reading: QueryReading): Pieces<Way<string>[]> {
  const right = draftOf(sent, { compare: reading.compare ?? compareByCodePoint, plus: reading.plus ?? ' ' })
  return draftWays(right).map((piece) => () => piece().map((way) => ({ ...way, value: lineOf(way.value) })))
}

function draftWays(right: QueryDraft): Pieces<Way<QueryDraft>[]> {
  if (right.sent === '') return [() => [{ value: right, mistakes: [] }]]
  return [
    () => wrongWays<QueryDraft, QueryDraft>(OTHER_READINGS, right),
    ...upToTwo<QueryDraft>(STEPS, right),
    () => wrongWays<QueryDraft, QueryDraft>(SORTED_TEXTS, right),
  ]
}

function draftOf(sent: string, reading: Required<QueryReading>): QueryDraft {
  const raws = sent.split('&').filter((piece) => piece !== '')
  const pieces = decodeQuery(sent, reading.plus).map(([key, value], at) => ({ key, value, raw: raws[at] ?? '' }))
  return { ...reading, sent, pieces, ...RIGHT }
}

const RIGHT = {
  order: ({ pieces, compare }) => sortedBy(pieces, ({ key, value }) => [key, value], compare),
  encode: encodeComponent,
  write: ({ key, value }, { encode, bareBlanks }) =>
    bareBlanks && value === '' ? encode(key) : `${encode(key)}=${encode(value)}`,
  bareBlanks: false,
  text: null,
  start: '',
} as const satisfies Partial<QueryDraft>

function lineOf(draft: QueryDraft): string {
  const pieces = () => draft.order(draft).map((piece) => draft.write(piece, draft))
  return draft.start + (draft.text ?? pieces().join('&'))
}

/** Sorted by key, then by value. */
function sortedBy(
  pieces: readonly QueryPiece[],
  halvesOf: (piece: QueryPiece) => Halves,
  compare: Compare,
): readonly QueryPiece[] {
  return pieces
    .map((piece) => ({ piece, halves: halvesOf(piece) }))
    .sort(({ halves: [keyA, valueA] }, { halves: [keyB, valueB] }) => compare(keyA, keyB) || compare(valueA, valueB))
    .map(({ piece }) => piece)
}

type Halves = readonly [key: string, value: string]

function halves(text: string): Halves {
  const equals = text.indexOf('=')
  return equals === -1 ? [text, ''] : [text.slice(0, equals), text.slice(equals + 1)]
}

function set(changes: Partial<QueryDraft>): (draft: QueryDraft) => [QueryDraft] {
  return (draft) => [{ ...draft, ...changes }]
}

/** Made alone: they change what is read. */
const OTHER_READINGS = {
  'query-plus-kept': [
    'a plus sign in the query was signed as a plus sign (%2B); here it means a space',
    ({ sent, compare, plus }) => (plus === ' ' ? [draftOf(sent, { compare, plus: '+' })] : []),
  ],
  'query-plus-as-space': [
    'a plus sign in the query was signed as a space; here it means a plus sign',
    ({ sent, compare, plus }) => (plus === '+' ? [draftOf(sent, { compare, plus: ' ' })] : []),
  ],
  'query-empty': ['the query was left out: its line was signed empty', set({ text: '' })],
} as const satisfies Mistakes<QueryDraft>

const TEXTS = {
  'query-raw': [
    'the query was signed as it is in the URL; decode, sort and re-encode it',
    (draft) => [{ ...draft, text: draft.sent }],
  ],
} as const satisfies Mistakes<QueryDraft>

const SORTED_RAW = 'the query pairs were sorted but not re-encoded'

const ENCODINGS = {
  'query-plus': [
    'spaces in the query were signed as + instead of %20',
    set({ encode: (text) => plusForSpace(encodeComponent(text)) }),
  ],
  'query-five-bare': ["the characters ! ' ( ) * in the query were left unencoded", set({ encode: encodeURIComponent })],
  'query-lower-hex': [
    'the escapes of the query were written in lower-case hex',
    set({ encode: (text) => encodeComponent(text).replaceAll(/%[0-9A-F]{2}/g, (found) => found.toLowerCase()) }),
  ],
  'query-decoded': [
    'the query was signed decoded; keys and values are percent-encoded',
    set({ encode: (text) => text }),
  ],
  'query-encoded-twice': [
    'the query was percent-encoded twice',
    set({ encode: (text) => encodeComponent(encodeComponent(text)) }),
  ],
  'query-slash-bare': [
    'slashes in the query were left unencoded',
    set({ encode: (text) => encodeComponent(text).replaceAll('%2F', '/') }),
  ],
  'query-form': [
    'the query was encoded as a form: + for space, * bare, ~ encoded',
    set({ encode: (text) => plusForSpace(encodeComponent(text)).replaceAll('%2A', '*').replaceAll('~', '%7E') }),
  ],
  'query-sorted-raw': [
    SORTED_RAW,
    set({ write: ({ raw, value }, { bareBlanks }) => (bareBlanks && value === '' ? raw.replace(/=$/, '') : raw) }),
  ],
} as const satisfies Mistakes<QueryDraft>

function plusForSpace(encoded: string): string {
  return encoded.replaceAll('%20', '+')
}

const ORDERS = {
  'query-unsorted': ['the query was signed in the order of the URL, unsorted', set({ order: ({ pieces }) => pieces })],
  'query-sorted-by-key-only': [
    'the query was sorted by its keys alone; equal keys are sorted by their values too',
    set({ order: ({ pieces, compare }) => sortedBy(pieces, ({ key }) => [key, ''], compare) }),
  ],
  'query-sorted-after-encoding': [
    'the query was sorted after it was encoded; it is sorted first',
    set({ order: (draft) => byUtf16(draft.pieces, (piece) => halves(draft.write(piece, draft))) }),
  ],
  'query-sorted-as-text': [
    'the query was sorted by the whole text of each pair; keys are compared first',
    set({ order: ({ pieces }) => byUtf16(pieces, ({ key, value }) => [`${key}=${value}`, '']) }),
  ],
  'query-sorted-ignoring-case': [
    'the query was sorted without regard to case',
    set({ order: ({ pieces }) => byUtf16(pieces, ({ key, value }) => [key.toLowerCase(), value.toLowerCase()]) }),
  ],
  'query-sorted-utf16': [
    'the query was sorted by UTF-16 unit; here code points decide beyond U+FFFF',
    (draft) => (draft.compare === compareByUtf16Unit ? [] : [{ ...draft, compare: compareByUtf16Unit }]),
  ],
  'query-sorted-code-point': [
    'the query was sorted by code point; here UTF-16 units decide beyond U+FFFF',
    (draft) => (draft.compare === compareByUtf16Unit ? [{ ...draft, compare: compareByCodePoint }] : []),
  ],
} as const satisfies Mistakes<QueryDraft>

function byUtf16(pieces: readonly QueryPiece[], halvesOf: (piece: QueryPiece) => Halves): readonly QueryPiece[] {
  return sortedBy(pieces, halvesOf, compareByUtf16Unit)
}

const DUPLICATES = {
  'query-duplicates-first': ['of pairs with the same key only the first was signed', merged((first) => first)],
  'query-duplicates-last': ['of pairs with the same key only the last was signed', merged((_first, last) => last)],
  'query-duplicates-joined': ['the values of the same key were joined by commas into one pair', merged(joined)],
} as const satisfies Mistakes<QueryDraft>

const BLANKS = {
  'query-blank-dropped': [
    'pairs with a blank value were dropped from the query',
    (draft) => [{ ...draft, pieces: draft.pieces.filter(({ value }) => value !== '') }],
  ],
  'query-blank-bare': ['pairs with a blank value were signed without their equals sign', set({ bareBlanks: true })],
} as const satisfies Mistakes<QueryDraft>

const MARKS = {
  'query-with-mark': ['the query was signed with its question mark', set({ start: '?' })],
} as const satisfies Mistakes<QueryDraft>

/** Made alone: who sorts the text of the URL never decodes it. */
const SORTED_TEXTS = {
  'query-sorted-raw': [
    SORTED_RAW,
    (draft) => {
      const raws = draft.pieces.map(({ raw }) => raw).sort(compareByUtf16Unit)
      const pairs = byUtf16(draft.pieces, ({ raw }) => halves(raw)).map(({ raw }) => raw)
      const decodedFirst = draft.order(draft).map(({ raw }) => raw)
      const texts = new Set([raws, pairs].map((each) => each.join('&')))
      texts.delete(decodedFirst.join('&'))
      return [...texts].map((text) => ({ ...draft, text }))
    },
  ],
} as const satisfies Mistakes<QueryDraft>

/** Steps of making the line, the last one first. */
const STEPS = [TEXTS, ENCODINGS, ORDERS, DUPLICATES, BLANKS, MARKS] as const

/** Other query lines than the right one. */
export const QUERY_MISTAKES = {
  ...OTHER_READINGS,
  ...TEXTS,
  ...ENCODINGS,
  ...ORDERS,
  ...DUPLICATES,
  ...BLANKS,
  ...MARKS,
} as const

export type QueryMistakeId = keyof typeof QUERY_MISTAKES

/** The query line as it is signed with this mistake; the right one where the mistake cannot be made. */
export function wrongQuery(sent: string, id: QueryMistakeId): string {
  const right = draftOf(sent, { compare: compareByCodePoint, plus: ' ' })
  const [wrong = right] = QUERY_MISTAKES[id][1](right)
  return lineOf(wrong)
}

function merged(merge: (first: QueryPiece, next: QueryPiece) => QueryPiece): (draft: QueryDraft) => [QueryDraft] {
  return (draft) => {
    const byKey = new Map<string, QueryPiece>()
    for (const piece of draft.pieces) {
      const earlier = byKey.get(piece.key)
      byKey.set(piece.key, earlier ? merge(earlier, piece) : piece)
    }
    return [{ ...draft, pieces: [...byKey.values()] }]
  }
}

function joined(first: QueryPiece, next: QueryPiece): QueryPiece {
  const value = `${first.value},${next.value}`
  return { key: first.key, value, raw: `${first.raw},${next.raw.slice(next.raw.indexOf('=') + 1)}` }
}
