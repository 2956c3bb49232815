import { CliError } from '../operator/session.ts'

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\', "'": "'", '"': '"' }

/** One word of single quotes, `$'…'`, double quotes, escapes and bare characters. */
const PIECE = /'([^']*)'|\$'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|\\([\s\S])|([^\s'"\\]+)|(\s+)/gy

/**
 * Takes a command line apart as a POSIX shell does, `$'…'` included; nothing is expanded.
 *
 * @throws CliError where a quotation mark has no partner.
 * @example shellWords(`-H 'a: b' "c d"`) // ['-H', 'a: b', 'c d']
 */
export function shellWords(text: string): string[] {
  const words: string[] = []
  let word: string | null = null
  PIECE.lastIndex = 0
  while (PIECE.lastIndex < text.length) {
    const found = PIECE.exec(text)
    if (!found) throw new CliError('a quotation mark of the curl line has no partner')
    const [, single, ansi, double, escaped, bare, space] = found
    if (space !== undefined) {
      if (word !== null) words.push(word)
      word = null
    } else if (escaped !== '\n')
      word = (word ?? '') + (single ?? bare ?? escaped ?? (ansi === undefined ? undouble(double ?? '') : unansi(ansi)))
  }
  return word === null ? words : [...words, word]
}

function undouble(text: string): string {
  return text.replaceAll(/\\([$`"\\\n])/g, (_, character: string) => (character === '\n' ? '' : character))
}

/** Bytes above ASCII are written as several `\x..`, which together are one character of UTF-8. */
function unansi(text: string): string {
  return text.replaceAll(/(?:\\x[0-9a-fA-F]{1,2})+|\\u([0-9a-fA-F]{4})|\\(.)/gs, (whole, unit, character) => {
    if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16))
    if (character !== undefined) return ESCAPES[character] ?? character
    const bytes = whole
      .split('\\x')
      .slice(1)
      .map((digits: string) => Number.parseInt(digits, 16))
    return Buffer.from(bytes).toString('utf8')
  })
}
