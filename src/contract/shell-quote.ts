/** How this program is called in text that may be pasted in any folder: reports, files, pages, answers over HTTP. */
export const PROGRAM = 'npx partner-sandbox'

/** A word that no shell changes. A leading `=` is left out: zsh replaces `=name` by a path. */
const SAFE_WORD = /^(?!=)[A-Za-z0-9_\-.,/:=@%+]+$/
/** Characters that a terminal obeys or hides instead of showing them. A line feed is shown: as a new line. */
const UNSHOWN = /((?:(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}])+)/u

/**
 * Quotes one word for any POSIX shell (and fish). Line feeds stay as they are; what a terminal would not show becomes a `printf`,
 * so that pasting it does what the line says. A word cannot hold U+0000: it is lost.
 *
 * @example shellQuote("it's") // `'it'\\''s'`
 * @example shellQuote('a\tb') // `'a'"$(printf '\\011')"'b'`
 */
export function shellQuote(word: string): string {
  if (SAFE_WORD.test(word)) return word
  const pieces = word.split(UNSHOWN).map((piece, at) => {
    if (piece === '') return ''
    return at % 2 === 0 ? quoteText(piece) : `"$(${printfOf(new TextEncoder().encode(piece))})"`
  })
  return pieces.join('') || "''"
}

/** fish reads `\'` and `\\` within single quotes, so a backslash that could begin one of them stands outside. */
function quoteText(text: string): string {
  return `'${text.replace(/'|\\(?=['\\]|$)/g, "'\\$&'")}'`
}

/**
 * A command that prints these bytes in every POSIX shell, written in visible ASCII.
 *
 * @example printfOf(new Uint8Array([97, 0, 10])) // "printf 'a\\000\\012'"
 */
export function printfOf(bytes: Uint8Array): string {
  return `printf '${Array.from(bytes, printfByte).join('')}'`
}

function printfByte(byte: number): string {
  const character = String.fromCharCode(byte)
  return /[ -~]/.test(character) && !/[%\\']/.test(character) ? character : `\\${byte.toString(8).padStart(3, '0')}`
}

/** Whether a text stands within a quoted word as it is, line feeds included. */
export function isShown(text: string): boolean {
  return !UNSHOWN.test(text)
}
