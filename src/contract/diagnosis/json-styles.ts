/** How a program writes JSON. */
export interface JsonStyle {
  /** After a comma and after a colon, where nothing is indented. */
  readonly gap?: ' '
  readonly indent?: string
  readonly sorted?: true
  readonly escaped?: (json: string) => string
  /** With numbers and keys as JavaScript reads them. */
  readonly byJavaScript?: true
}

/** Writes one text in a style; nothing where it is not JSON, or where the style would only repeat another one. */
export type JsonWriter = (style: JsonStyle) => readonly string[]

/**
 * A JSON text as other programs would write it.
 *
 * @example jsonWriter('{"a":1.0}')({ gap: ' ' }) // ['{"a": 1.0}']
 */
export function jsonWriter(text: string): JsonWriter {
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
