const SAFE_WORD = /^[A-Za-z0-9_\-.,/:=@%+]+$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters need the other kind of quotes
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/**
 * Quotes one word for a POSIX shell. Control characters cannot be shown in single quotes and take `$'…'`, which
 * bash, zsh and ksh understand.
 *
 * @example shellQuote("it's") // `'it'\\''s'`
 */
export function shellQuote(word: string): string {
  if (SAFE_WORD.test(word)) return word
  if (CONTROL.test(word)) return `$'${[...word].map(ansiCEscape).join('')}'`
  return `'${word.replaceAll("'", `'\\''`)}'`
}

function ansiCEscape(character: string): string {
  if (character === '\\' || character === "'") return `\\${character}`
  if (!CONTROL.test(character)) return character
  // Browsers quote, too: nothing of Node here.
  return [...new TextEncoder().encode(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}
