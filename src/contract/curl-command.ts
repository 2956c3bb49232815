import { isShown, printfOf, shellQuote } from './shell-quote.ts'

export interface CurlRequest {
  readonly method: string
  /** Scheme, host and port: the only server that the command calls, whatever the target says. */
  readonly origin: string
  /** What stands behind the origin, byte for byte. */
  readonly target: string
  /** Those that curl does not make itself. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** A file is read when the command runs. */
  readonly body: Uint8Array | string | { readonly file: string } | null
}

/** A line for the shell, or why curl cannot send this request. */
export type CurlCommand = { readonly line: string } | { readonly impossible: string }

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/
/** curl cuts a target at `#`, and does not send spaces and characters outside ASCII as they are. */
const SENT_AS_IT_IS = /^\/[!-"$-~]*$/
/** Linux limits one word of a command to 128 KiB. `printf` is part of the shell and has no limit. */
const MAX_WORD_BYTES = 100_000

/**
 * A `curl` command that sends exactly this request: the target is not normalized, brackets in it are not expanded, a text that
 * begins with `@` is not read as a file. It works in any POSIX shell, with bodies of any bytes. A request comes from strangers,
 * so nothing in it becomes an option, a file, another host or a command.
 *
 * @example curlCommand({ method: 'GET', origin: 'http://127.0.0.1:4600', target: '/orders', headers: [], body: null }) // { line: 'curl -sS --globoff --path-as-is -X GET http://127.0.0.1:4600/orders' }
 */
export function curlCommand(request: CurlRequest): CurlCommand {
  const body = bodyOf(request)
  const impossible = whyImpossible(request, body)
  if (impossible !== null) return { impossible }
  const { method, origin, target, headers } = request
  const verb = method === 'HEAD' ? ['--head'] : ['-X', method]
  const words = ['curl', '-sS', '--globoff', '--path-as-is', ...verb, origin + target, ...headerWords(headers, body)]
  const line = (...bodyWords: string[]) => [...words, ...bodyWords].map(shellQuote).join(' ')
  if (body === null) return { line: line() }
  if (!(body instanceof Uint8Array)) return { line: line('--data-binary', `@${body.file}`) }
  const text = shownText(body)
  if (text !== null) return { line: line('--data-raw', text) }
  return { line: `${printfOf(body)} | ${line('--data-binary', '@-')}` }
}

type Body = Uint8Array | { readonly file: string } | null

function bodyOf({ body }: CurlRequest): Body {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return bytes instanceof Uint8Array && bytes.length === 0 ? null : bytes
}

function whyImpossible({ method, target, headers }: CurlRequest, body: Body): string | null {
  if (!TOKEN.test(method)) return 'its method is not an HTTP method'
  if (method === 'HEAD' && body !== null) return 'curl sends no body with HEAD'
  if (!SENT_AS_IT_IS.test(target)) return 'curl cannot send its target as it is'
  const bad = headers.find(([name, value]) => !(TOKEN.test(name) && /^[ -~]*$/.test(value)))
  return bad === undefined ? null : `curl cannot send its header ${JSON.stringify(bad[0])} as it is`
}

/** curl drops a header without a value unless it ends in a semicolon, and adds a type to a body that has none. */
function headerWords(headers: CurlRequest['headers'], body: Body): string[] {
  const lines = headers.map(([name, value]) => (value.trim() === '' ? `${name};` : `${name}: ${value}`))
  const hasType = headers.some(([name]) => name.toLowerCase() === 'content-type')
  if (body !== null && !hasType) lines.push('Content-Type:')
  return lines.flatMap((line) => ['-H', line])
}

function shownText(bytes: Uint8Array): string | null {
  if (bytes.length > MAX_WORD_BYTES) return null
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return isShown(text) ? text : null
  } catch {
    return null
  }
}
