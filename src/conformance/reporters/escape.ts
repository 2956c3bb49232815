/**
 * Text from a target is hostile until it has gone through here: nothing it says may move a cursor, recolour a
 * terminal, reorder a line or end an XML element.
 */

/** C0 and C1 controls, DEL, line separators, bidirectional marks and overrides, invisible joiners, the BOM, lone surrogates. */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e007f}\p{Cs}]/gu

/**
 * One line that is safe on a terminal: every character that could act instead of being shown is written as an escape.
 *
 * @example escapeLine('ok\u001b[31m\n') // 'ok\\x1b[31m\\n'
 */
export function escapeLine(text: string): string {
  return text.replace(UNSAFE, visibleEscape)
}

const NAMED_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function visibleEscape(character: string): string {
  const named = NAMED_ESCAPES[character]
  if (named !== undefined) return named
  const code = character.codePointAt(0) ?? 0
  if (code > 0xffff) return `\\u{${code.toString(16)}}`
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}

/** The same for text of several lines: line feeds stay. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeLine).join('\n')
}

const XML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Text for an XML attribute: one line, markup escaped. What XML 1.0 forbids has become an escape by then. */
export function escapeXmlAttribute(text: string): string {
  return escapeLine(text).replace(/[&<>"']/g, (character) => XML_ENTITIES[character] ?? '')
}

/** Text between XML tags: line feeds stay, markup is escaped, so `]]>` is harmless too. */
export function escapeXmlText(text: string): string {
  return escapeLines(text).replace(/[&<>"']/g, (character) => XML_ENTITIES[character] ?? '')
}

/**
 * Cuts a text that is too long for a report and says how much is missing.
 *
 * @example shorten('abcdef', 3) // 'abc… (3 more characters)'
 */
export function shorten(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  return `${text.slice(0, maxCharacters)}… (${text.length - maxCharacters} more characters)`
}
