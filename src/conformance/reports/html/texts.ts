import { MAX_VALUE_CHARACTERS, shorten } from '../escape.ts'

/** Longer bodies are cut, and the page says so; the log of the run has more of them. */
export const MAX_BODY_CHARACTERS = 2_000
export const MAX_HEADER_CHARACTERS = 300
export const MAX_HEADERS = 40

export function value(text: string): string {
  return shorten(text, MAX_VALUE_CHARACTERS)
}

/** @example capital('not run') // 'Not run' */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** @example withCommas(1_234) // '1,234' */
export function withCommas(count: number): string {
  return count.toLocaleString('en-GB')
}

/**
 * A number with its noun.
 *
 * @example countOf(2, 'check') // '2 checks'
 */
export function countOf(count: number, noun: string): string {
  return `${withCommas(count)} ${noun}${count === 1 ? '' : 's'}`
}

/**
 * A length of time in the unit that fits.
 *
 * @example duration(11_046) // '11.0 s'
 */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  return ms < 120_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`
}

/** Deeper levels are not indented further, so that an answer of brackets alone does not grow without bound. */
const MAX_INDENTS = 12

/** What a body of JSON is laid out by: texts, what is empty, marks, and blanks. */
const PIECES = /"(?:[^"\\]|\\.)*"|[{[]\s*[\]}]|[{}[\],:]|\s+/g

/**
 * A JSON body over several lines, each value as it was sent; what is not JSON is left as it is.
 *
 * @example indented('{"a":1.0}') // '{\n  "a": 1.0\n}'
 */
export function indented(body: string): string {
  try {
    JSON.parse(body)
  } catch {
    return body
  }
  return laidOut(body)
}

/** A text of JSON over several lines, even if its end is missing. */
export function laidOut(json: string): string {
  let depth = 0
  const lineBreak = (by: number) => {
    depth += by
    return `\n${'  '.repeat(Math.min(depth, MAX_INDENTS))}`
  }
  return json.replace(PIECES, (piece) => {
    if (piece === '{' || piece === '[') return piece + lineBreak(1)
    if (piece === '}' || piece === ']') return lineBreak(-1) + piece
    if (piece === ',') return piece + lineBreak(0)
    if (piece === ':') return ': '
    return piece.startsWith('"') ? piece : piece.replace(/\s+/, '')
  })
}
