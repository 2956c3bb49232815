import { readFile, stat } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { ArrivedCall } from '../../contract/diagnosis/diagnose-call.ts'
import { headerValuesOf } from '../../contract/headers.ts'
import { CliError } from '../session.ts'
import { readUrl } from './signer.ts'

/** A captured call: the raw text of an HTTP request, or a curl command line. Never trimmed: a body may end in a newline. */
export async function readCall(bytes: Buffer): Promise<ArrivedCall> {
  if (/^\s*\$?\s*(?:printf '|curl\s)/.test(bytes.subarray(0, 64).toString('latin1'))) {
    return readCurl(bytes.toString('utf8'))
  }
  return readHttp(bytes)
}

const REQUEST_LINE = /^([A-Za-z]+) (\S+)(?: HTTP\/[\d.]+)?$/

function readHttp(bytes: Buffer): ArrivedCall {
  const { head, body } = splitHead(bytes)
  const [first = '', ...lines] = head.split(/\r?\n/)
  const [, method, target] = REQUEST_LINE.exec(first) ?? []
  if (method === undefined || target === undefined) {
    throw new CliError(
      'the call must begin with a request line such as "GET /api/partner/v1/orders HTTP/1.1", or be a curl command line',
    )
  }
  const rawHeaders = lines.flatMap((line, at) => headerOf(line, at + 2))
  const path = target.startsWith('/') ? target : readUrl(target).target
  return { method, target: path, rawHeaders, body: announcedBody(body, rawHeaders) }
}

function splitHead(bytes: Buffer): { head: string; body: Buffer } {
  const text = bytes.toString('latin1')
  const end = /\r?\n\r?\n/.exec(text)
  if (!end) return { head: text.replace(/\r?\n$/, ''), body: Buffer.alloc(0) }
  return { head: text.slice(0, end.index), body: bytes.subarray(end.index + end[0].length) }
}

function headerOf(line: string, lineNumber: number): [name: string, value: string] {
  const colon = line.indexOf(':')
  if (colon < 1) throw new CliError(`line ${lineNumber} of the call is not a header: ${JSON.stringify(line)}`)
  return [line.slice(0, colon), line.slice(colon + 1).trim()]
}

/** An editor may have put a newline after the body; what was announced is what was sent. */
function announcedBody(body: Buffer, rawHeaders: readonly string[]): Buffer {
  if (headerValuesOf(rawHeaders, 'transfer-encoding').length > 0) {
    throw new CliError('the call has a Transfer-Encoding; save it with its body decoded and without that header')
  }
  const announced = Number(headerValuesOf(rawHeaders, 'content-length')[0] ?? body.length)
  if (body.length < announced) {
    throw new CliError(`the call announces a body of ${announced} bytes, but has ${body.length}`)
  }
  return body.subarray(0, announced)
}

/** What curl takes a word for, and what changes the call otherwise; all other options are switches that do not. */
const CURL_OPTIONS = {
  request: { type: 'string', short: 'X' },
  head: { type: 'boolean', short: 'I' },
  url: { type: 'string' },
  header: { type: 'string', short: 'H' },
  data: { type: 'string', short: 'd' },
  'data-ascii': { type: 'string' },
  'data-raw': { type: 'string' },
  'data-binary': { type: 'string' },
  json: { type: 'string' },
  get: { type: 'boolean', short: 'G' },
  form: { type: 'string', short: 'F' },
  'upload-file': { type: 'string', short: 'T' },
  output: { type: 'string', short: 'o' },
  'max-time': { type: 'string', short: 'm' },
  'connect-timeout': { type: 'string' },
  'write-out': { type: 'string', short: 'w' },
  cacert: { type: 'string' },
  resolve: { type: 'string' },
  proxy: { type: 'string', short: 'x' },
  retry: { type: 'string' },
} as const

interface CurlCall {
  /** What is piped into curl. */
  readonly input: Buffer | null
  method: string
  url: string
  rawHeaders: string[]
  data: Buffer[]
}

/** Reads a curl command line, as `sign --curl` prints it or a browser copies it. */
async function readCurl(text: string): Promise<ArrivedCall> {
  const [, printed, line] = /^\s*\$?\s*(?:printf '([^']*)'\s*\|\s*)?curl(\s[\s\S]*)$/.exec(text) ?? []
  if (line === undefined) throw new CliError("only a curl line, or printf '...' | curl ..., can be read")
  const args = shellWords(line)
  const { tokens } = parseArgs({ args, options: CURL_OPTIONS, strict: false, tokens: true })
  const input = printed === undefined ? null : printedBytes(printed)
  const call: CurlCall = { input, method: '', url: '', rawHeaders: [], data: [] }
  for (const token of tokens) {
    if (token.kind === 'positional') call.url = token.value
    if (token.kind === 'option') await takeOption(call, token.name, token.value ?? '', token.rawName)
  }
  const { url, rawHeaders, data } = call
  if (url === '') throw new CliError('the curl line has no URL')
  return {
    method: call.method || (data.length > 0 ? 'POST' : 'GET'),
    target: readUrl(url).target,
    rawHeaders: ['Host', new URL(url).host, ...rawHeaders],
    body: Buffer.concat(data.flatMap((piece, at) => (at === 0 ? [piece] : [Buffer.from('&'), piece]))),
  }
}

async function takeOption(call: CurlCall, name: string, value: string, asWritten: string): Promise<void> {
  if (name === 'request') call.method = value
  else if (name === 'head') call.method = 'HEAD'
  else if (name === 'url') call.url = value
  else if (name === 'header') {
    const [, header, mark, text = ''] = /^([^:;]+)([:;])\s*(.*)$/s.exec(value) ?? []
    // curl sends a header without a value only if it is written with a semicolon.
    if (header !== undefined && (mark === ';' || text !== '')) call.rawHeaders.push(header, text.trim())
  } else if (/^(?:json|data(?:-ascii|-raw|-binary)?)$/.test(name)) call.data.push(await dataOf(name, value, call.input))
  else if (name === 'get' || name === 'form' || name === 'upload-file') {
    throw new CliError(`the curl option ${asWritten} cannot be read; save the call as raw HTTP text instead`)
  }
}

const MAX_BODY_BYTES = 1024 * 1024

async function dataOf(option: string, value: string, input: Buffer | null): Promise<Buffer> {
  if (!value.startsWith('@') || option === 'data-raw') return Buffer.from(value, 'utf8')
  if (value === '@-' && input !== null) return input
  const file = value.slice(1)
  const found = await stat(file).catch(() => null)
  // A device never ends, and no body of this API is larger.
  if (found && (!found.isFile() || found.size > MAX_BODY_BYTES))
    throw new CliError(`the curl line sends the file ${file}: not a plain file of at most 1 MiB`)
  const bytes = await readFile(file).catch(() => {
    throw new CliError(`the curl line sends the file ${file}, which cannot be read`)
  })
  // curl takes line ends out of a file that is not sent as binary.
  return option === 'data-binary' || option === 'json'
    ? bytes
    : Buffer.from(bytes.toString('latin1').replaceAll(/[\r\n]/g, ''), 'latin1')
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\', "'": "'", '"': '"' }

/** One word of `"$(printf '…')"`, single quotes, `$'…'`, double quotes, escapes and bare characters. */
const PIECE =
  /"\$\(printf '([^']*)'\)"|'([^']*)'|\$'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|\\([\s\S])|([^\s'"\\]+)|(\s+)/gy

/** Takes a command line apart as a POSIX shell does, `$'…'` and what `shellQuote` writes included; without any other expansion. */
function shellWords(text: string): string[] {
  const words: string[] = []
  let word: string | null = null
  PIECE.lastIndex = 0
  while (PIECE.lastIndex < text.length) {
    const found = PIECE.exec(text)
    if (!found) throw new CliError('the curl line has an unclosed quotation mark')
    const [, printed, single, ansi, double, escaped, bare, space] = found
    if (space !== undefined) {
      if (word !== null) words.push(word)
      word = null
    } else if (escaped !== '\n')
      word =
        (word ?? '') +
        ((printed === undefined ? undefined : printedBytes(printed).toString('utf8')) ??
          single ??
          bare ??
          escaped ??
          (ansi === undefined ? unescapeDoubleQuoted(double ?? '') : unescapeAnsiQuoted(ansi)))
  }
  return word === null ? words : [...words, word]
}

/** The bytes that `printf` makes of a format that `printfOf` wrote. */
function printedBytes(format: string): Buffer {
  const bytes = format.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  )
  return Buffer.from(bytes, 'latin1')
}

function unescapeDoubleQuoted(text: string): string {
  return text.replaceAll(/\\([$`"\\\n])/g, (_, character: string) => (character === '\n' ? '' : character))
}

/** Bytes above ASCII are written as several `\x..`, which together are one character of UTF-8. */
function unescapeAnsiQuoted(text: string): string {
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
