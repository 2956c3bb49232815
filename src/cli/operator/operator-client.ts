import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { HEADERS } from '../../contract/headers.ts'
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts'
import { CliError } from './session.ts'

/** Where the operator of a sandbox is to be found, and as whom. */
export interface OperatorAddress {
  url: string
  token: string | undefined
}

/** The operator said no: an RFC 9457 problem with a plain detail. */
export class OperatorRefusal extends CliError {
  override name = 'OperatorRefusal'
  readonly status: number
  /** Whatever else the problem says, e.g. the state of an order and the steps it allows. */
  readonly problem: Readonly<Record<string, unknown>>

  constructor(status: number, problem: Readonly<Record<string, unknown>>) {
    super(describe(status, problem), exitCodeOf(status))
    this.status = status
    this.problem = problem
  }
}

/** A wrong argument or token is the caller's, a refusal the sandbox's will, a 5xx its fault. */
function exitCodeOf(status: number): ExitCode {
  if (status >= 500) return EXIT_CODES.harness
  return status === 400 || status === 401 || status === 403 ? EXIT_CODES.usage : EXIT_CODES.refused
}

function describe(status: number, problem: Readonly<Record<string, unknown>>): string {
  const detail = problem['detail'] ?? problem['title']
  if (typeof detail !== 'string') return `the operator answered ${status} without a word: is it an operator port?`
  return detail + (status === 401 ? '; give --operator-token, or set PARTNER_SANDBOX_OPERATOR_TOKEN' : '')
}

/** An answer of whatever listens where an operator was expected. */
interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/**
 * What an answer says that is no 2xx. The partner API is told by what only its answers carry: it listens next to the
 * operator, so the two are easily mixed up.
 */
export function refusalOf(at: OperatorAddress, { status, headers, text }: Answered): CliError {
  const answer = parse(text)
  const problem = isRecord(answer) ? answer : {}
  if (headers[HEADERS.requestId.toLowerCase()] !== undefined || isRecord(problem['error'])) {
    return new CliError(`${at.url} is the partner API; the operator port is the other one (4601 by default)`)
  }
  return new OperatorRefusal(status, problem)
}

/** A body that is no JSON. */
export interface RawContent {
  readonly contentType: string
  readonly bytes: Uint8Array
}

function isRaw(body: unknown): body is RawContent {
  return isRecord(body) && body['bytes'] instanceof Uint8Array
}

function contentOf(body: unknown): RawContent | undefined {
  if (body === undefined || isRaw(body)) return body
  return { contentType: 'application/json', bytes: Buffer.from(JSON.stringify(body)) }
}

/** Long enough for an advance that makes webhook attempts for real. */
const TIMEOUT_MS = 600_000
const MAX_ANSWER_BYTES = 256 * 1024 * 1024

/**
 * Asks the operator API of a running sandbox and returns its JSON, null for an answer without a body.
 *
 * @param body written as JSON, but for a {@link RawContent}.
 * @throws OperatorRefusal for any answer but 2xx; CliError where nobody answers.
 * @example await askOperator({ url: 'http://127.0.0.1:4601', token: undefined }, 'GET', '/v1/worlds')
 */
export async function askOperator(at: OperatorAddress, method: string, path: string, body?: unknown): Promise<unknown> {
  const answered = await exchange(at, method, path, contentOf(body))
  if (!isSuccess(answered)) throw refusalOf(at, answered)
  const answer = parse(answered.text)
  if (answer === undefined) throw new CliError(`${at.url} answered something that is no JSON: is it an operator port?`)
  return answer
}

function isSuccess({ status }: Answered): boolean {
  return status >= 200 && status < 300
}

/**
 * Asks the operator API for something that is no JSON and returns its text.
 *
 * @throws OperatorRefusal for any answer but 2xx; CliError where nobody answers.
 */
export async function askOperatorForText(at: OperatorAddress, path: string): Promise<string> {
  const answered = await exchange(at, 'GET', path, undefined)
  if (!isSuccess(answered)) throw refusalOf(at, answered)
  return answered.text
}

export function parse(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a value is an object with named members. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function exchange(at: OperatorAddress, method: string, path: string, body: RawContent | undefined): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const url = addressOf(at.url)
    const outgoing = httpRequest({
      ...{ host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port || 80, method, path, timeout: TIMEOUT_MS },
      headers: headersOf(url, at.token, body),
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error('it did not answer in time')))
    outgoing.on('error', (error) => reject(unreachable(at.url, error)))
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = []
      let size = 0
      incoming.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > MAX_ANSWER_BYTES) incoming.destroy(new Error('its answer is too long'))
        else chunks.push(chunk)
      })
      incoming.on('error', (error) => reject(unreachable(at.url, error)))
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    outgoing.end(body?.bytes)
  })
}

export function headersOf(url: URL, token: string | undefined, body: RawContent | undefined): Record<string, string> {
  return {
    host: url.host,
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': body.contentType, 'content-length': String(body.bytes.length) }),
  }
}

export function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 'http:') {
    throw new CliError(`--sandbox must be the http:// address of an operator port, not ${JSON.stringify(text)}`)
  }
  return url
}

export function unreachable(url: string, error: Error & { code?: string }): CliError {
  const why = error.code === 'ECONNREFUSED' ? 'nothing listens there' : error.message || (error.code ?? 'no connection')
  return new CliError(
    `no sandbox answers at ${url} (${why}); start one with "partner-sandbox serve", or name another with --sandbox`,
    EXIT_CODES.unreachable,
  )
}
