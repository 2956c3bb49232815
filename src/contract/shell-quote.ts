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

/** A request as `curl` would have to send it. */
export interface CurlRequest {
  method: string
  /** Absolute URL; sent with the path as it stands. */
  url: string
  headers: readonly (readonly [name: string, value: string])[]
  body?: string
  /** Read the body from this file instead: the only way for bytes that are not text. */
  bodyFile?: string
}

/**
 * A `curl` command that sends the exact path and body. `--globoff` keeps brackets in a URL as they are, an empty
 * header is written with a semicolon because curl drops `Name:`.
 *
 * @example curlCommand({ method: 'GET', url: 'http://127.0.0.1:4600/api/partner/v1/orders', headers: [] })
 */
export function curlCommand(request: CurlRequest): string {
  const words = ['curl', '-sS', '--globoff', '--path-as-is', ...methodWords(request), request.url]
  for (const [name, value] of request.headers) words.push('-H', value === '' ? `${name};` : `${name}: ${value}`)
  words.push(...bodyWords(request))
  return words.map(shellQuote).join(' ')
}

function methodWords(request: CurlRequest): string[] {
  return request.method === 'HEAD' ? ['--head'] : ['-X', request.method]
}

/** `--data-binary` would read a body that starts with @ as a file name; `--data-raw` does not. */
function bodyWords(request: CurlRequest): string[] {
  if (request.bodyFile !== undefined) return ['--data-binary', `@${request.bodyFile}`]
  if (request.body === undefined || request.body === '') return []
  return [request.body.startsWith('@') ? '--data-raw' : '--data-binary', request.body]
}
