import type { GapChoices } from '../../contract/choices.ts'
import { ApiError, type ErrorCode, statusOf } from '../../contract/errors.ts'
import type { Grounds } from '../../contract/grounds.ts'
import { HEADERS } from '../../contract/headers.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { World } from '../kernel/world.ts'
import { type Call, headerValues } from './call.ts'
import type { Answer } from './route.ts'

/**
 * The one place where an error becomes an answer. What is not an {@link ApiError} is our own fault and becomes a bland 500
 * (ERR-04); the cause goes to the request log, never to the caller.
 */
export function errorAnswer(error: unknown, { gaps }: Pick<World, 'gaps'>, requestId: string): Answer {
  const shown = error instanceof ApiError ? error : INTERNAL
  const status = shown.status ?? statusOf(shown.code, gaps)
  const facts = { code: shown.code, message: shown.message, status }
  const headers: Record<string, string> = {}
  if (shown.retryAfterSeconds !== undefined) headers[HEADERS.retryAfter] = String(shown.retryAfterSeconds)
  if (gaps['error-layout'] === 'problem') headers['content-type'] = PROBLEM_TYPE
  return { status, headers, body: JSON.stringify(errorBody(facts, { request_id: requestId }, gaps['error-layout'])) }
}

/** The answer with why, beside code and message in every layout. */
export function withHint(answer: Answer, hint: string): Answer {
  return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), hint }) }
}

/** Content type of an RFC 9457 body. */
export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** The body of a refusal in the layout that was chosen (ERR-05), with what it has besides code and message. */
export function errorBody(
  { code, message, status }: { code: string; message: string; status: number },
  beside: Readonly<Record<string, string>>,
  layout: GapChoices['error-layout'],
): object {
  switch (layout) {
    case 'flat':
      return { code, message, ...beside }
    case 'nested':
      return { error: { code, message }, ...beside }
    case 'list':
      return { errors: [{ code, message }], ...beside }
    case 'problem':
      return { type: 'about:blank', title: code, status, detail: message, code, message, ...beside }
  }
}

/** All that a caller sees of an error of our own. */
export const BLAND = 'internal error; retry with increasing pauses'

const INTERNAL = new ApiError('internal_error', BLAND)

/**
 * Translates what the framework refuses before a handler runs. Everything else passes through unchanged.
 *
 * @param request what was refused, where the log keeps it.
 */
export function fromFramework(error: unknown, request: Pick<Call, 'rawHeaders'> = { rawHeaders: [] }): unknown {
  const { code = '', statusCode = 500 } = (error ?? {}) as { code?: string; statusCode?: number }
  if (!code.startsWith('FST_ERR_') || statusCode >= 500) return error
  const [refusal, message, status] = REFUSALS[code] ?? ['validation_error', 'the request cannot be read', statusCode]
  const grounds = groundsOf(code, request)
  return new ApiError(refusal, message, status === 400 ? { grounds } : { status, grounds })
}

function groundsOf(code: string, request: Pick<Call, 'rawHeaders'>): Grounds {
  const [header, name, expected] = HEADERS_REFUSED[code] ?? []
  if (header === undefined || name === undefined || expected === undefined) return {}
  return { compared: [{ name, sent: headerValues(request, header).join(', ') || null, expected }] }
}

/** The header by which the framework refuses, what it says of the request, and what it should say. */
const HEADERS_REFUSED: Record<string, [header: string, name: string, expected: string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['content-length', 'bytes of the body', `at most ${LIMITS.bodyBytes}`],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['content-type', 'Content-Type', 'application/json'],
}

const REFUSALS: Record<string, [ErrorCode, string, number]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['validation_error', 'the body is larger than 64 KiB', 413],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['validation_error', 'the Content-Type must be application/json', 415],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['validation_error', 'the body does not have the announced length', 400],
  FST_ERR_CHUNKED_HTTP_1_0: ['validation_error', 'HTTP/1.0 does not allow Transfer-Encoding; use HTTP/1.1', 400],
  FST_ERR_BAD_URL: ['validation_error', 'the path holds a percent escape that cannot be decoded', 400],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'the name is too long', 404],
}
