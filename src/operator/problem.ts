import { STATUS_CODES } from 'node:http'
import type { errorCodes } from 'fastify'
import { ApiError, statusOf } from '../contract/errors.ts'
import { DEFAULT_GAPS } from '../contract/gaps.ts'
import type { NamesIn } from '../operator-api/operations.ts'
import { StorageError, storageFailure } from '../sandbox/worlds/worlds.ts'
import { PROBLEMS, type ProblemId } from './problems.ts'

/** What the answer has besides its sentence. */
interface More {
  /** Further members, e.g. the state of an order and the steps it allows. */
  members?: Readonly<Record<string, unknown>>
  headers?: Readonly<Record<string, string>>
}

/** A refusal of the operator API, with fields that help the caller beside its sentence. */
export class Problem extends Error {
  override name = 'Problem'
  readonly status: number
  readonly members: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, detail: string, { members = {}, headers = {} }: More = {}) {
    super(detail)
    this.status = status
    this.members = members
    this.headers = headers
  }
}

type FactsOf<Id extends ProblemId> = Readonly<Record<NamesIn<(typeof PROBLEMS)[Id][1]>, string | number>>

/**
 * A refusal of the table.
 *
 * @example throw problem('no-world', { name: '"ci"', hint: '' }) // 404, 'no such world: "ci"'
 */
export function problem<Id extends ProblemId>(
  id: Id,
  ...[facts, more]: Record<never, never> extends FactsOf<Id>
    ? [facts?: FactsOf<Id>, more?: More]
    : [facts: FactsOf<Id>, more?: More]
): Problem {
  const [status, sentence] = PROBLEMS[id]
  const given: Readonly<Record<string, string | number>> = facts ?? {}
  const detail = sentence.replace(/\{(\w+)\}/g, (_braces, name: string) => String(given[name]))
  return new Problem(status, detail, more)
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
    throw problem('refused-step', { message: error.message }, { members: { code: error.code, ...standing() } })
  }
}

/**
 * Turns anything that was thrown into an RFC 9457 answer: the one place where an error of the operator API becomes one.
 * An unexpected error is a bland 500, because internals do not belong on an operator's screen either.
 *
 * @example problemAnswer(new ApiError('not_found', 'no such order')).status // 404
 */
export function problemAnswer(error: unknown) {
  const { status, message, members, headers } = asProblem(error)
  const facts = { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail: message }
  // A malformed request gets the code that a partner's would get.
  const code = status === 400 && { code: 'validation_error' }
  return { status, headers, body: JSON.stringify({ ...facts, ...code, ...members }) }
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof ApiError) {
    const status = error.status ?? statusOf(error.code, DEFAULT_GAPS)
    return new Problem(status, error.message, { members: { code: error.code } })
  }
  const failure = error instanceof StorageError ? error.message : storageFailure(error)
  if (failure) return problem('storage', { message: failure })
  return fromFramework(error) ?? problem('unexpected')
}

/** The framework's, and our own of HTTP/1.0: a code that neither has does not compile. */
type FrameworkCode = keyof typeof errorCodes | 'FST_ERR_CHUNKED_HTTP_1_0'

const REFUSALS: Partial<Record<FrameworkCode, [status: number, detail: string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'the body is larger than 1 MiB'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'the Content-Type must be application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, 'the body does not have the announced length'],
  FST_ERR_CHUNKED_HTTP_1_0: [400, 'HTTP/1.0 does not allow Transfer-Encoding; use HTTP/1.1'],
  FST_ERR_BAD_URL: [400, 'the path holds a percent escape that cannot be decoded'],
  FST_ERR_MAX_PARAM_LENGTH: [404, 'nothing has a name that long'],
}

/** What the framework refuses before a handler runs; its own texts are not for people. */
function fromFramework(error: unknown): Problem | null {
  const { code = '', statusCode = 500 } = (error ?? {}) as { code?: string; statusCode?: number }
  if (!code.startsWith('FST_ERR_') || statusCode < 400 || statusCode >= 500) return null
  const [status, detail] = REFUSALS[code as FrameworkCode] ?? [statusCode, 'the request cannot be read']
  return new Problem(status, detail)
}
