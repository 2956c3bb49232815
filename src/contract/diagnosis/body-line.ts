import { hash } from 'node:crypto'
import { bodySha256, hasUnsignedBody } from '../canonical-string.ts'
import { jsonStyles } from './json-styles.ts'
import { type Alternative, distinct, type Mistake, type MistakeId, upToTwo, type Variation } from './mistake.ts'
import { mistake } from './mistakes.ts'

/** Longer bodies than a call may have are not written anew in every style. */
const LONGEST_REWRITTEN_BYTES = 64 * 1024

type Content = Variation<Uint8Array>

/** Bytes that may have been taken for the body: the right ones, then the wrong ones. */
export function bodyContents(method: string, body: Uint8Array): Content[] {
  if (hasUnsignedBody(method)) return contentsOfNothing(body, 'body-of-get-hashed')
  if (body.length === 0) return contentsOfNothing(body, null)
  return [
    { mistake: null, value: body },
    ...(body.length <= LONGEST_REWRITTEN_BYTES ? rewritten(Buffer.from(body).toString('utf8')) : []),
    { mistake: mistake('body-hashed-empty'), value: NOTHING },
  ]
}

const NOTHING = new Uint8Array(0)

function contentsOfNothing(body: Uint8Array, sent: MistakeId | null): Content[] {
  return [
    { mistake: null, value: NOTHING },
    ...(sent && body.length > 0 ? [{ mistake: mistake(sent), value: body }] : []),
    { mistake: mistake('body-empty-object'), value: Buffer.from('{}') },
    { mistake: mistake('body-null'), value: Buffer.from('null') },
  ]
}

function rewritten(text: string): Content[] {
  const ways: [MistakeId, string | Uint8Array][] = [
    // Before the white space, as which JavaScript takes it too.
    ['body-without-bom', text.replace(/^\ufeff/, '')],
    ['body-trimmed', text.trim()],
    ...jsonStyles(text),
    ['body-crlf', text.replaceAll(/\r?\n/g, '\r\n')],
    ['body-lf', text.replaceAll('\r\n', '\n')],
    ['body-latin1', Buffer.from(text, 'latin1')],
    ['body-utf16', Buffer.from(text, 'utf16le')],
    ...formOf(text),
  ]
  return ways.map(([id, value]) => ({
    mistake: mistake(id),
    value: typeof value === 'string' ? Buffer.from(value) : value,
  }))
}

function formOf(text: string): [MistakeId, string][] {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
    const pairs = Object.entries(value).map(([key, member]) => [key, String(member)] as [string, string])
    return [['body-form', new URLSearchParams(pairs).toString()]]
  } catch {
    return []
  }
}

const ENDS: Variation<string>[] = [
  { mistake: null, value: '' },
  { mistake: mistake('body-newline-added'), value: '\n' },
  { mistake: mistake('body-newline-added'), value: '\r\n' },
]

/** A longer one is signed in place of its hash by nobody, and would make every try slow. */
const LONGEST_UNHASHED_BYTES = 8 * 1024

const HASHES: Variation<(hex: string, bytes: Uint8Array) => string>[] = [
  { mistake: null, value: (hex) => hex },
  { mistake: mistake('body-hash-upper-case'), value: (hex) => hex.toUpperCase() },
  { mistake: mistake('body-hash-base64'), value: (hex) => Buffer.from(hex, 'hex').toString('base64') },
  { mistake: mistake('body-hash-base64'), value: (hex) => Buffer.from(hex, 'hex').toString('base64url') },
  {
    mistake: mistake('body-unhashed'),
    value: (hex, bytes) => (bytes.length <= LONGEST_UNHASHED_BYTES ? Buffer.from(bytes).toString('utf8') : hex),
  },
  { mistake: mistake('body-hash-line-empty'), value: () => '' },
  { mistake: mistake('body-hash-twice'), value: (hex) => hash('sha256', hex, 'hex') },
]

/** The body that was hashed where it is not the one that was sent, by the line that came of it. */
export type HashedBodies = ReadonlyMap<string, Uint8Array>

/** The line of the body hash as it is signed rightly and wrongly, with one mistake and with two. */
export function bodyAlternatives(
  method: string,
  body: Uint8Array,
): { lines: Alternative<string>[]; hashed: HashedBodies } {
  const hashed = new Map<string, Uint8Array>()
  const ways: { value: string; mistakes: Mistake[] }[] = []
  for (const content of contentsWithEnds(method, body)) {
    const hex = bodySha256(content.bytes)
    for (const { mistake: wrong, value: hashOf } of HASHES) {
      if (wrong && content.mistakes.length === 2) continue
      const value = hashOf(hex, content.bytes)
      if (!hashed.has(value)) hashed.set(value, content.bytes)
      ways.push({ value, mistakes: wrong ? [...content.mistakes, wrong] : content.mistakes })
    }
  }
  return { lines: distinct(ways, String), hashed }
}

function contentsWithEnds(method: string, body: Uint8Array): { bytes: Uint8Array; mistakes: Mistake[] }[] {
  return [...upToTwo([bodyContents(method, body), ENDS] as const)].map(({ values: [bytes, end], mistakes }) => ({
    bytes: end === '' ? bytes : Buffer.concat([bytes, Buffer.from(end)]),
    mistakes,
  }))
}
