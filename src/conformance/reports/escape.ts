/**
 * Text from a target is hostile until it has gone through here: it must not move a cursor, recolor a
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

/**
 * A value as JSON in which no character acts instead of being shown: JSON itself lets C1 controls and overrides stand.
 * A parser reads the same value from it.
 */
export function jsonText(value: unknown, indent?: number): string {
  // Line feeds are between the tokens only; inside a string JSON has written them as escapes.
  return JSON.stringify(value, null, indent).replace(UNSAFE, (character) =>
    character === '\n' ? character : jsonEscape(character),
  )
}

function jsonEscape(character: string): string {
  return character.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const XML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

function withEntities(text: string): string {
  return text.replace(/[&<>"']/g, (character) => XML_ENTITIES[character] ?? '')
}

/** Text for an XML attribute: one line, markup escaped. What XML 1.0 forbids has become an escape by then. */
export function escapeXmlAttribute(text: string): string {
  return withEntities(escapeLine(text))
}

/**
 * Text between XML tags: line feeds stay, markup is escaped, so `]]>` is harmless too. Nor does a line of it look like a
 * command to a CI system that reads it on standard output.
 */
export function escapeXmlText(text: string): string {
  return escapeMarkup(withEntities(text))
}

/** What remains to be done where markup is escaped: what could act without being seen becomes an escape. */
export function escapeMarkup(markup: string): string {
  return escapeLines(markup).replace(
    /^(\s*)([:#])(?=[:#])/gmu,
    (_, blanks: string, sign: string) => `${blanks}&#${sign.charCodeAt(0)};`,
  )
}

/**
 * Text within a line of Markdown: no emphasis, link, heading, list, table cell or HTML can begin in it. What a target said goes
 * into `markdownCode` instead, where no address and no name becomes a link either.
 *
 * @example escapeMarkdown('*a* <b>') // '\\*a\\* \\<b\\>'
 */
export function escapeMarkdown(text: string): string {
  return escapeLine(text)
    .replace(/[\\`*[\]<>&|~$#]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|:(?=\/\/)|(?<=www)\./giu, '\\$&')
    .replaceAll('@', '@&#8203;')
    .replace(/^(\s*)([-+=]|\d+(?=[.)]))/, (_all, blanks: string, start: string) =>
      /\d/.test(start) ? `${blanks}${start}\\` : `${blanks}\\${start}`,
    )
}

/**
 * Text as it came, as a code span of Markdown, safe for any content.
 *
 * @example markdownCode('a`b') // '``a`b``'
 */
export function markdownCode(text: string): string {
  const line = escapeLine(text)
  if (line === '') return '(empty)'
  const fence = fenceFor([line], 1)
  const padding = /^[ `]|[ `]$/.test(line) ? ' ' : ''
  return `${fence}${padding}${line}${padding}${fence}`
}

/** More backticks than any of the lines has in a row. */
export function fenceFor(lines: readonly string[], atLeast: number): string {
  const longest = lines.flatMap((line) => line.match(/`+/g) ?? []).map((run) => run.length)
  return '`'.repeat(Math.max(atLeast, ...longest.map((length) => length + 1)))
}

/** Longer values are cut in reports for people; the JSON report has them whole. */
export const MAX_VALUE_CHARACTERS = 600

/**
 * Cuts a text that is too long for a report and says how much is missing.
 *
 * @example shorten('abcdef', 3) // 'abc… (3 more characters)'
 */
export function shorten(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  return `${text.slice(0, maxCharacters)}… (${text.length - maxCharacters} more characters)`
}
