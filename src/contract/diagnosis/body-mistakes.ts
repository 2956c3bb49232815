import { hash } from 'node:crypto'
import { hasUnsignedBody } from '../canonical-string.ts'
import { bodySha256 } from '../signature.ts'
import { type Mistake, type Mistakes, type Pieces, upToTwo, type Way } from './mistake.ts'

/** The line of the body hash in the making. */
interface BodyDraft {
  readonly sent: SentBody
  /** What is taken for the body. */
  readonly bytes: Uint8Array
  readonly hex: string
  readonly line: string
}

interface SentBody {
  readonly bytes: Uint8Array
  /** Whether it takes part in the signature. */
  readonly isSigned: boolean
  /** Null where it is empty, or too long to be rewritten in every style. */
  readonly text: string | null
  readonly writeJson: JsonWriter
}

/** No caller signs a longer one in place of its hash, and it would make every try slow. */
const LONGEST_UNHASHED_BYTES = 8 * 1024

const HASHES = {
  'body-hash-upper-case': [
    'the hash of the body was signed in upper-case hex',
    (draft) => [{ ...draft, line: draft.hex.toUpperCase() }],
  ],
  'body-hash-base64': [
    'the hash of the body was signed in base64 instead of hex',
    (draft) =>
      (['base64', 'base64url'] as const).map((encoding) => ({
        ...draft,
        line: Buffer.from(draft.hex, 'hex').toString(encoding),
      })),
  ],
  'body-unhashed': [
    'the body itself was signed instead of its hash',
    (draft) =>
      // Of an empty body that is an empty line, which has a name of its own.
      draft.bytes.length === 0 || draft.bytes.length > LONGEST_UNHASHED_BYTES
        ? []
        : [{ ...draft, line: Buffer.from(draft.bytes).toString('utf8') }],
  ],
  'body-hash-line-empty': [
    'the line of the body hash was empty; without a body it is the hash of zero bytes',
    (draft) => [{ ...draft, line: '' }],
  ],
  'body-hash-twice': ['the body was hashed twice', (draft) => [{ ...draft, line: hash('sha256', draft.hex, 'hex') }]],
} as const satisfies Mistakes<BodyDraft>

const ENDS = {
  'body-newline-added': [
    'the body was hashed with a newline at its end that was not sent',
    (draft) => ['\n', '\r\n'].map((end) => withBytes(draft, Buffer.concat([draft.bytes, Buffer.from(end)]))),
    'the same with a newline at its end fits',
  ],
} as const satisfies Mistakes<BodyDraft>

const CONTENTS = {
  // Before the white space, as which JavaScript takes it too.
  'body-without-bom': [
    'the body was hashed without the byte order mark that was sent',
    rewritten((text) => text.replace(/^\ufeff/, '')),
    'the same without its byte order mark fits',
  ],
  'body-trimmed': [
    'the body was hashed without the white space around it',
    rewritten((text) => text.trim()),
    'the same without the white space around it fits',
  ],
  'body-json-compact': reserialised('compact JSON, as JSON.stringify writes it,', { byJavaScript: true }, {}),
  'body-json-spaced': reserialised('JSON with a space after commas and colons, as json.dumps writes it,', {
    gap: ' ',
  }),
  'body-json-spaced-ascii': reserialised('JSON with spaces and non-ASCII escaped, as json.dumps writes it,', {
    gap: ' ',
    escaped: ascii,
  }),
  'body-json-slashes': reserialised('compact JSON with escaped slashes, as json_encode writes it,', {
    escaped: slashes,
  }),
  'body-json-slashes-ascii': reserialised(
    'compact JSON with slashes and non-ASCII escaped, as json_encode writes it,',
    { escaped: (json) => ascii(slashes(json)) },
  ),
  'body-json-indented-2': reserialised('JSON indented by two spaces', { indent: '  ' }),
  'body-json-indented-4': reserialised('JSON indented by four spaces', { indent: '    ' }),
  'body-json-indented-tab': reserialised('JSON indented by tabs', { indent: '\t' }),
  'body-json-sorted': reserialised('compact JSON with sorted keys', { sorted: true }),
  'body-json-sorted-spaced': reserialised('spaced JSON with sorted keys', { gap: ' ', sorted: true }),
  'body-json-sorted-ascii': reserialised('JSON with sorted keys, spaces and non-ASCII escaped', {
    gap: ' ',
    sorted: true,
    escaped: ascii,
  }),
  'body-json-ascii': reserialised('compact JSON with non-ASCII escaped', { escaped: ascii }),
  'body-json-html': reserialised(
    'compact JSON with < > & escaped, as encoding/json writes it,',
    // Go sorts the keys of a map, and keeps the order of a struct.
    { sorted: true, escaped: html },
    { escaped: html },
  ),
  'body-json-python': reserialised('the text of a dict, as str() of Python writes it,', {
    gap: ' ',
    escaped: (json) => `'${json.slice(1, -1)}'`,
  }),
  'body-crlf': [
    'the body was hashed with CRLF line ends that were not sent',
    rewritten((text) => text.replaceAll(/\r?\n/g, '\r\n')),
    'the same with CRLF line ends fits',
  ],
  'body-lf': [
    'the body was hashed with LF line ends and sent with CRLF',
    rewritten((text) => text.replaceAll('\r\n', '\n')),
    'the same with LF line ends fits',
  ],
  'body-latin1': [
    'the body was hashed as Latin-1 and sent as UTF-8',
    rewritten((text) => Buffer.from(text, 'latin1')),
    'the same in Latin-1 fits',
  ],
  'body-utf16': [
    'the body was hashed as UTF-16 and sent as UTF-8',
    rewritten((text) => Buffer.from(text, 'utf16le')),
    'the same in UTF-16 fits',
  ],
  'body-form': ['the body was hashed form-encoded and sent as JSON', rewritten(formOf), 'the same form-encoded fits'],
  'body-hashed-empty': [
    'the hash of an empty body was signed',
    (draft) => (draft.bytes.length > 0 ? [withBytes(draft, NOTHING)] : []),
    'an empty body fits',
  ],
  'body-of-get-hashed': [
    'the body of a GET was hashed; for a GET it is always the hash of zero bytes',
    (draft) => (draft.sent.isSigned || draft.sent.bytes.length === 0 ? [] : [withBytes(draft, draft.sent.bytes)]),
  ],
  'body-empty-object': [
    'an empty JSON object was hashed instead of zero bytes',
    (draft) => (draft.bytes.length === 0 ? [withBytes(draft, Buffer.from('{}'))] : []),
    'an empty JSON object fits, but no bytes arrived',
  ],
  'body-null': [
    'the word null was hashed instead of zero bytes',
    (draft) => (draft.bytes.length === 0 ? [withBytes(draft, Buffer.from('null'))] : []),
    'the word null fits, but no bytes arrived',
  ],
} as const satisfies Mistakes<BodyDraft>

/** Other lines of the body hash than the right one. */
export const BODY_MISTAKES = { ...HASHES, ...ENDS, ...CONTENTS } as const

const NOTHING = new Uint8Array(0)

function withBytes(draft: BodyDraft, bytes: Uint8Array): BodyDraft {
  const hex = bodySha256(bytes)
  return { ...draft, bytes, hex, line: hex }
}

function rewritten(write: (text: string) => string | Uint8Array | null): (draft: BodyDraft) => BodyDraft[] {
  return (draft) => {
    const made = draft.sent.text === null ? null : write(draft.sent.text)
    return made === null ? [] : [withBytes(draft, Buffer.from(made as string))]
  }
}

function reserialised(words: string, ...styles: readonly JsonStyle[]) {
  return [
    `the body was signed re-serialized: ${words} was hashed instead of the bytes sent`,
    (draft: BodyDraft) => styles.flatMap(draft.sent.writeJson).map((json) => withBytes(draft, Buffer.from(json))),
    `written as ${words.replace(/,$/, '')}, it fits`,
  ] as const
}

export const DATA_ALONE = {
  'data-alone': ['the member data was signed alone; a delivery signs its whole raw body', dataOf],
} as const satisfies Mistakes<Uint8Array>

function dataOf(body: Uint8Array): Uint8Array[] {
  try {
    const event: unknown = JSON.parse(Buffer.from(body).toString('utf8'))
    const data = typeof event === 'object' && event !== null && 'data' in event ? event.data : undefined
    return data === undefined ? [] : [Buffer.from(JSON.stringify(data))]
  } catch {
    return []
  }
}

function formOf(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    const pairs = Object.entries(value).map(([key, member]) => [key, String(member)] as [string, string])
    return new URLSearchParams(pairs).toString()
  } catch {
    return null
  }
}

/** Longer bodies than a call may have are not rewritten in every style. */
const LONGEST_REWRITTEN_BYTES = 64 * 1024

function rightDraft(method: string, body: Uint8Array): BodyDraft {
  const isSigned = !hasUnsignedBody(method)
  const isRewritten = isSigned && body.length > 0 && body.length <= LONGEST_REWRITTEN_BYTES
  const text = isRewritten ? Buffer.from(body).toString('utf8') : null
  const sent = { bytes: body, isSigned, text, writeJson: jsonWriter(text ?? '') }
  return withBytes({ sent, bytes: NOTHING, hex: '', line: '' }, isSigned ? body : NOTHING)
}

/** The line of the body hash as it is signed rightly and wrongly, with one mistake and with two. */
export function bodyWays(method: string, body: Uint8Array): Pieces<Way<BodyDraft>[]> {
  return upToTwo<BodyDraft>([HASHES, ENDS, CONTENTS], rightDraft(method, body))
}

/** Bytes that may have been taken for the body: the right ones, then the wrong ones. */
export function bodyContents(method: string, body: Uint8Array): Pieces<Way<Uint8Array>[]> {
  return upToTwo<BodyDraft>([CONTENTS], rightDraft(method, body)).map(
    (piece) => () => piece().map(({ value, mistakes }) => ({ value: value.bytes, mistakes })),
  )
}

const KEEP = 'keep the bytes as they arrive, before anything parses or rewrites them, and verify these bytes'

/**
 * A body that differs from the signed one, as its receiver needs to read it: the sender signed what it sent.
 *
 * @example asReceived(mistake).says // 'this body is not the raw bytes that were signed (written as compact JSON, …'
 */
export function asReceived(mistake: Mistake): Mistake {
  const [, , fits] = (BODY_MISTAKES as Mistakes<BodyDraft>)[mistake.id] ?? []
  return fits === undefined
    ? mistake
    : { ...mistake, says: `this body is not the raw bytes that were signed (${fits}): ${KEEP}` }
}

/** How a program writes JSON. */
interface JsonStyle {
  /** After a comma and after a colon, where nothing is indented. */
  readonly gap?: ' '
  readonly indent?: string
  readonly sorted?: true
  readonly escaped?: (json: string) => string
  /** With numbers and keys as JavaScript reads them. */
  readonly byJavaScript?: true
}

/** Writes one text in a style; nothing where it is not JSON, or where the style would only repeat another one. */
type JsonWriter = (style: JsonStyle) => readonly string[]

/**
 * A JSON text as other programs would write it.
 *
 * @example jsonWriter('{"a":1.0}')({ gap: ' ' }) // ['{"a": 1.0}']
 */
function jsonWriter(text: string): JsonWriter {
  let parsed: { value: unknown; marked: Marked } | null | undefined
  return (style) => {
    if (parsed === undefined) parsed = parse(text)
    if (parsed === null || !matters(style, text)) return []
    return [style.byJavaScript ? JSON.stringify(parsed.value) : write(parsed.marked, style, '\n')]
  }
}

/** In a longer text, styles that come to the same are not worth their time. */
const SHORT_CHARACTERS = 4_096

/** Escaping is the same as not escaping where there is nothing to escape. */
function matters({ escaped }: JsonStyle, text: string): boolean {
  return text.length < SHORT_CHARACTERS || !escaped || escaped(text) !== text || text.includes('\\')
}

/**
 * JSON whose texts and keys begin with a quotation mark, and whose other values are texts without one. So numbers stay as they are
 * written, which other languages than JavaScript keep (1.0), and so do keys of digits in their order.
 */
type Marked = string | readonly Marked[] | { readonly [key: string]: Marked }

/** Bodies are limited in depth before they are used; a log keeps those that were refused for it too. */
const DEEPEST = 64

const SCALARS = /"((?:[^"\\]|\\.)*)"|[^\s{}[\],:"]+/g

function parse(text: string): { value: unknown; marked: Marked } | null {
  try {
    const value: unknown = JSON.parse(text)
    const marked = text.replaceAll(SCALARS, (scalar, inner?: string) =>
      inner === undefined ? `"${scalar}"` : `"\\"${inner}"`,
    )
    return isDeep(value) ? null : { value, marked: JSON.parse(marked) as Marked }
  } catch {
    return null
  }
}

function isDeep(value: unknown, depth = 0): boolean {
  if (depth > DEEPEST) return true
  return typeof value === 'object' && value !== null && Object.values(value).some((inner) => isDeep(inner, depth + 1))
}

function write(json: Marked, style: JsonStyle, lineBreak: string): string {
  if (typeof json === 'string') return scalar(json, style)
  const inner = lineBreak + (style.indent ?? '')
  if (Array.isArray(json)) {
    const items = json.map((item: Marked) => write(item, style, inner))
    return bracketed('[]', items, style, lineBreak)
  }
  const colon = style.gap || style.indent ? ': ' : ':'
  const entries = Object.entries(json)
  if (style.sorted) entries.sort(([a], [b]) => (a < b ? -1 : 1))
  const members = entries.map(([key, member]) => scalar(key, style) + colon + write(member, style, inner))
  return bracketed('{}', members, style, lineBreak)
}

function scalar(marked: string, { escaped = (json) => json }: JsonStyle): string {
  return marked.startsWith('"') ? escaped(JSON.stringify(marked.slice(1))) : marked
}

function bracketed(brackets: '[]' | '{}', parts: string[], { gap, indent }: JsonStyle, lineBreak: string): string {
  const [open, close] = brackets
  if (parts.length === 0) return brackets
  if (indent === undefined) return `${open}${parts.join(gap ? `,${gap}` : ',')}${close}`
  return `${open}${lineBreak}${indent}${parts.join(`,${lineBreak}${indent}`)}${lineBreak}${close}`
}

export function ascii(json: string): string {
  return json.replaceAll(/[\u007f-\uffff]/g, unicodeEscape)
}

export function slashes(json: string): string {
  return json.replaceAll('/', '\\/')
}

export function html(json: string): string {
  return json.replaceAll(/[<>&\u2028\u2029]/g, unicodeEscape)
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
