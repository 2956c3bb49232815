import { STATUS_CODES } from 'node:http'
import type { errorCodes } from 'fastify'
import { DURATION_WORDS } from '../clock/duration.ts'
import { DEFAULT_GAPS } from '../contract/choices.ts'
import { ApiError, ERROR_CODES, statusOf } from '../contract/errors.ts'
import type { NamesIn } from '../operator-api/operations.ts'
import { StorageError, storageFailure } from '../sandbox/worlds/worlds.ts'

/** Its status, its sentence with its facts in braces, and its code where that does not follow from its id. */
type ProblemRow = readonly [status: number, sentence: string, code?: string]

/**
 * Every refusal of the operator API that is not one of the partner API's. The title follows from the status. The code is
 * `validation_error` for a 400; otherwise the id with underscores, so that an id is public.
 */
const PROBLEMS = {
  // Any request.
  'no-endpoint': [404, 'no such endpoint; GET /v1 lists them, and the console is at / in a browser'],
  'no-console': [404, 'the console is not built; run `npm run build`, then open this address again'],
  'no-query': [400, 'this takes no query'],
  'no-body': [400, 'this takes no body'],
  'malformed-query': [400, '{message}'],
  'needs-sandbox': [
    409,
    'this is a proxy in front of {target}; {operation} needs a sandbox with a world of its own: start one with `serve`',
  ],
  'body-too-large': [413, 'the body is larger than {mib} MiB'],
  'name-too-long': [404, 'nothing has a name that long'],
  'wrong-type': [
    415,
    'the Content-Type must be application/json; of a snapshot application/vnd.sqlite3, of a CSV file text/csv',
    'validation_error',
  ],
  'wrong-length': [400, 'the body does not have the announced length'],
  'chunked-http-1.0': [400, 'HTTP/1.0 does not allow Transfer-Encoding; use HTTP/1.1'],
  'malformed-path': [400, 'the path holds a percent escape that cannot be decoded'],
  'unreadable-request': [400, 'the request cannot be read'],
  'not-a-proxy': [405, '{message}'],
  'request-timeout': [408, '{message}'],
  'unknown-expectation': [417, '{message}'],
  'headers-too-large': [431, '{message}'],
  'not-http': [400, '{message}'],
  'foreign-host': [403, 'the Host header must be there once and be one of {hosts}'],
  'foreign-origin': [403, 'pages of another origin may not use the operator API'],
  'foreign-site': [403, 'pages of another site may not use the operator API'],
  'wrong-token': [401, 'the operator token is missing or wrong; send it as "Authorization: Bearer TOKEN"'],
  'internal-error': [500, 'something went wrong inside the sandbox'],
  storage: [507, '{message}'],

  // Durations of any setting.
  'bad-duration': [400, `{name} must be ${DURATION_WORDS}, not {value}`],
  'bad-duration-or-null': [400, `{name} must be null or ${DURATION_WORDS}, not {value}`],

  // Worlds.
  'no-world': [404, 'no such world: {name}{hint}'],
  'unusable-world': [
    409,
    'the file of the world {name} cannot be used: {why}; stop the sandbox and move the file elsewhere, or put a valid one in its place',
  ],
  'world-name-taken': [409, '{message}'],
  'world-name-malformed': [400, 'name: {message}'],
  'world-gone': [409, '{message}'],
  'world-replaced-meanwhile': [409, 'the world was reset, restored or deleted meanwhile; ask again'],
  'world-deleted-meanwhile': [409, 'the world was deleted meanwhile'],
  'main-world-stays': [409, 'the world {name} is always there; reset it instead'],
  'clock-before-1970': [400, 'clock must not be before 1970'],
  'unknown-gaps': [400, 'gaps: {messages}'],
  'settle-every-too-short': [400, 'settle_every must be null or at least {least}'],
  'no-snapshot-sent': [415, 'send the snapshot itself, as {type}'],
  'unsound-snapshot': [400, '{message}'],
  'world-too-large': [409, '{message}; with --data, stop the sandbox and copy the file'],

  // The clock and the stream.
  'no-jump-target': [400, 'say how far by exactly one of by, to and until'],
  'unknown-stream-kind': [400, 'only must name {kinds}, with commas between them, not {value}'],
  'unknown-event': [400, 'after is not an event of this world'],

  // What the lists show.
  'no-order': [404, 'no such order in this world'],
  'no-case': [404, 'no such case in this world'],
  'no-checkout-session': [404, 'no such checkout session in this world'],
  'run-interrupted': [
    507,
    'the settlement run {run} has begun, but a later batch could not be written: {why}. It goes on by itself once the disk can be written; do not start another',
  ],
  'no-settlement-run': [404, 'no such settlement run in this world'],
  'no-payout-run': [404, 'no such payout run in this world'],
  'unknown-partner': [404, 'no partner of this world is called {partner}: it has {partners}'],
  'no-event': [404, 'no such event in this world'],
  'no-delivery': [404, 'no such delivery in this world'],
  'no-listing': [404, 'no listing has that name'],
  'no-credential': [404, 'this world has no such key id'],
  'not-logged': [
    404,
    'no such request in {where}: {id}; the log keeps the latest {entries} calls of a world (fewer if they are large) and is cleared by a restart, a reset or a restore',
  ],
  'bad-status-filter': [400, 'status must be a status such as 401, or a class of them such as 4xx'],
  'refused-step': [409, '{message}', 'conflict'],

  // Deliveries and credentials.
  'delay-too-long': [400, 'delay must be 365 days at most'],
  'partner-twice': [400, 'partner and partner_id say the same; give one'],

  // Listings in CSV.
  'not-csv': [
    400,
    'line {line}: not valid CSV: put quotes around a whole cell, double quotes inside it, and end lines with LF or CRLF',
  ],
  'not-utf8': [400, 'the file is not UTF-8'],
  'csv-empty': [400, 'the file is empty; its first line names the columns: {columns}'],
  'csv-too-long': [400, 'the file has more than {rows} listings'],
  'csv-without-listing': [400, 'the file has no listing below its line of column names'],
  'csv-mistakes': [400, '{message}'],
  'csv-conflict': [409, '{message}'],
  'csv-unknown-column': [400, 'line {line}: {message}'],
  'csv-column-twice': [400, 'line {line}: the column {name} is there more than once'],
  'csv-column-missing': [400, 'line {line}: the column {name} is missing'],
  'csv-cell-count': [400, 'it has {cells} cells, and the first line names {columns} columns'],

  // Faults.
  'fault-never': [400, 'probability must be more than 0: such a fault would do nothing'],
  'fault-seed-alone': [400, 'seed goes with probability: nothing is drawn without one'],
  'match-credential-twice': [400, 'match.credential takes a name or a key id; give it or match.key_id'],
  'match-domain-and-order': [400, 'match.domain and match.public_id exclude each other: no call names both'],
  'match-no-order': [400, 'match.public_id: no such order: {value}'],
  'match-no-endpoint': [400, 'match.endpoint: no such endpoint: {value}{hint}'],
  'match-no-credential': [400, 'match.credential: no such credential in this world: {value}{hint}'],
  'match-never-named': [400, 'match.{member}: no call to {endpoint} names one; these do: {namers}'],
  'effect-garbage-false': [400, 'effect.garbage must not be false'],
  'effect-delay-missing': [400, 'effect.delay_ms is required'],
  'effect-not-one': [400, 'effect must be exactly one of status or code, delay_ms, drop, garbage'],
  'effect-contradiction': [400, 'effect.{member} does not go with kind {kind}'],
  'effect-status-illegal': [400, 'effect.status must be {legal} for {code}, not {status}'],
  'effect-message-unsaid': [400, 'effect.message cannot be given for internal_error, whose message is fixed'],
  'effect-code-missing': [400, 'effect.status or effect.code is required'],
  'effect-code-open': [400, 'effect.status {status}: {hint}'],
  'effect-retry-after-twice': [400, 'effect.retry_after and effect.retry_after_seconds are the same; give one'],
  'effect-retry-after-alone': [400, 'effect.retry_after goes with rate_limited only, not with {code}'],
} as const satisfies Record<string, ProblemRow>

type ProblemId = keyof typeof PROBLEMS

/** The code of a problem, which a program can compare: the one of its row, or that of a malformed call, or its id. */
function codeOf(id: ProblemId): string {
  const [status, , code]: ProblemRow = PROBLEMS[id]
  return code ?? (status === 400 ? 'validation_error' : id.replaceAll('-', '_'))
}

/** Every code that a refusal may have: the operator API's own, and those of the partner API, whose rules may refuse. */
export const PROBLEM_CODES: readonly string[] = [
  ...new Set([...(Object.keys(PROBLEMS) as ProblemId[]).map(codeOf), ...ERROR_CODES]),
]

/** What the answer has besides its sentence. */
interface More {
  /** Instead of the code of its row. */
  code?: string
  /** Further members, e.g. the state of an order and the steps it allows. */
  members?: Readonly<Record<string, unknown>>
  headers?: Readonly<Record<string, string>>
}

/** A refusal of the operator API, with fields that help the caller beside its sentence. */
export class Problem extends Error {
  override name = 'Problem'
  readonly status: number
  readonly code: string
  readonly members: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: string, detail: string, { members = {}, headers = {} }: Omit<More, 'code'> = {}) {
    super(detail)
    this.status = status
    this.code = code
    this.members = members
    this.headers = headers
  }
}

type FactsOfProblem<Id extends ProblemId> = Readonly<Record<NamesIn<(typeof PROBLEMS)[Id][1]>, string | number>>

/**
 * A refusal of the table.
 *
 * @example throw problem('no-world', { name: '"ci"', hint: '' }) // 404, 'no such world: "ci"'
 */
export function problem<Id extends ProblemId>(
  id: Id,
  ...[facts, more]: Record<never, never> extends FactsOfProblem<Id>
    ? [facts?: FactsOfProblem<Id>, more?: More]
    : [facts: FactsOfProblem<Id>, more?: More]
): Problem {
  const [status, sentence] = PROBLEMS[id]
  const given: Readonly<Record<string, string | number>> = facts ?? {}
  const detail = sentence.replace(/\{(\w+)\}/g, (_braces, name: string) => String(given[name]))
  return new Problem(status, more?.code ?? codeOf(id), detail, more)
}

type NotThere = Exclude<Extract<ProblemId, `no-${string}`>, 'no-world' | 'no-snapshot-sent'>

/**
 * What was looked for.
 *
 * @throws Problem of the table if there is none.
 * @example required(findOrder(world, publicId), 'no-order')
 */
export function required<Found>(found: Found | null | undefined, id: NotThere): Found {
  if (found === null || found === undefined) throw problem(id)
  return found
}

/** Takes a step. One that the state does not allow is a problem that says the state of the order or case and what that allows (STATE-07). */
export function stepOrProblem<Result>(take: () => Result, standing: () => Readonly<Record<string, unknown>>): Result {
  try {
    return take()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'conflict') throw error
    throw problem('refused-step', { message: error.message }, { members: standing() })
  }
}

/**
 * Turns anything that was thrown into an RFC 9457 answer: the one place where an error of the operator API becomes one.
 * An unexpected error is a bland 500, because internals do not belong on an operator's screen either.
 *
 * @example problemAnswer(new ApiError('not_found', 'no such order')).status // 404
 */
export function problemAnswer(error: unknown, call = 'an operator call') {
  const { status, code, message, members, headers } = asProblem(error, call)
  const facts = { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail: message, code }
  return { status, headers, body: JSON.stringify({ ...facts, ...members }) }
}

function asProblem(error: unknown, call: string): Problem {
  if (error instanceof Problem) return error
  if (error instanceof ApiError) {
    const status = error.status ?? statusOf(error.code, DEFAULT_GAPS)
    return new Problem(status, error.code, error.message)
  }
  const failure = error instanceof StorageError ? error.message : storageFailure(error)
  if (failure) return problem('storage', { message: failure })
  return fromFramework(error) ?? unexpected(error, call)
}

/** The answer does not show the error, so the terminal of the sandbox does, with the call, whose path names the world. */
function unexpected(error: unknown, call: string): Problem {
  const { name, message, stack } = error instanceof Error ? error : new Error('something else than an error was thrown')
  process.emitWarning(`${call} failed: ${name}: ${message}`, { type: 'OperatorWarning', detail: stack ?? '' })
  return problem('internal-error')
}

/** The framework's, and our own of HTTP/1.0: a code that neither has does not compile. */
type FrameworkCode = keyof typeof errorCodes | 'FST_ERR_CHUNKED_HTTP_1_0'

const REFUSALS: Partial<Record<FrameworkCode, () => Problem>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => problem('body-too-large', { mib: 1 }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => problem('wrong-type'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => problem('wrong-length'),
  FST_ERR_CHUNKED_HTTP_1_0: () => problem('chunked-http-1.0'),
  FST_ERR_BAD_URL: () => problem('malformed-path'),
  FST_ERR_MAX_PARAM_LENGTH: () => problem('name-too-long'),
}

/** What the framework refuses before a handler runs; its own texts are not for people. */
function fromFramework(error: unknown): Problem | null {
  const { code = '', statusCode = 500 } = (error ?? {}) as { code?: string; statusCode?: number }
  if (!code.startsWith('FST_ERR_') || statusCode < 400 || statusCode >= 500) return null
  return REFUSALS[code as FrameworkCode]?.() ?? problem('unreadable-request')
}

const UNREAD: Readonly<
  Record<number, 'not-a-proxy' | 'request-timeout' | 'unknown-expectation' | 'headers-too-large'>
> = {
  405: 'not-a-proxy',
  408: 'request-timeout',
  417: 'unknown-expectation',
  431: 'headers-too-large',
}

/** What never became a call: the connection says with which status, and why. */
export function unreadProblem(status: number, message: string): Problem {
  return problem(UNREAD[status] ?? 'not-http', { message })
}
