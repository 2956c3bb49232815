import { ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import { ERROR_CODES, ERRORS, type ErrorCode, statusOf } from '../../contract/errors.ts'
import type { GapChoices, GapId } from '../../contract/gaps.ts'
import { HEADERS } from '../../contract/headers.ts'
import { gapMark } from './gap-marks.ts'
import { EVERY_CALL, OPERATIONS } from './operations.ts'
import type { Json } from './standard-schema.ts'

/** What each code means, in our words. */
export const CODE_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  validation_error: 'something in the request is missing or malformed; the message names it',
  invalid_signature: 'the signature does not fit the request and the credential, or the credential is not valid here',
  missing_credentials: 'the key id is missing',
  forbidden: 'the credential may not do this: a scope, the affiliate account or the merchant of record is missing',
  not_found: 'there is nothing of that name for this partner',
  conflict: 'what is there already stands against it; the message says what',
  price_mismatch: 'the expected price is not the current one',
  quote_expired: 'the quote is older than its ten minutes',
  rate_limited: 'too many calls; wait as long as Retry-After says and sign anew',
  internal_error: 'something went wrong inside; try again after a pause that grows each time',
  invalid_timestamp: 'the timestamp is no Unix time in whole seconds, or more than 300 seconds off',
  replay_detected: 'the nonce has been used before',
  missing_signature_headers: 'one of the other three authentication headers is missing or there twice',
  missing_idempotency_key: 'the Idempotency-Key is missing',
}

/** Refusals of a body before it is read, with the statuses HTTP has for them (ERR-02). */
const BODY_STATUSES: Readonly<Record<string, string>> = {
  '413': 'The body is larger than 64 KiB.',
  '415': 'The body is not announced as application/json, or is compressed.',
}

/**
 * The statuses an operation may be refused with, each with the codes that go with it.
 *
 * @example refusalsOf('pricing', DEFAULT_GAPS).get(404) // ['not_found']
 */
export function refusalsOf(id: EndpointId, gaps: GapChoices): Map<number, ErrorCode[]> {
  const codes = [...EVERY_CALL, ...OPERATIONS[id].refusals]
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes) {
    const status = statusOf(code, gaps)
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  if (hasBody(ENDPOINTS[id]))
    for (const status of Object.keys(BODY_STATUSES)) byStatus.set(Number(status), ['validation_error'])
  return new Map([...byStatus].sort(([a], [b]) => a - b))
}

export function hasBody({ method }: Endpoint): boolean {
  return method !== 'GET'
}

/** The body of every refusal, as the open point of its layout decides (ERR-01, ERR-05). */
export function errorSchema(gaps: GapChoices): Json {
  const facts = {
    code: { type: 'string', enum: ERROR_CODES, description: 'What programs decide by.' },
    message: { type: 'string', description: 'One sentence for a person.' },
  }
  const requestId = {
    type: 'string',
    description: `The value of ${HEADERS.requestId}: the handle under which the request log keeps the call.`,
  }
  const nested = gaps['error-layout'] === 'nested'
  return {
    description: 'Why a call was refused.',
    ...closed(nested ? { error: closed(facts), request_id: requestId } : { ...facts, request_id: requestId }),
    'x-gap': gapMark('error-layout', gaps),
  }
}

function closed(properties: Json): Json {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

/** One refusal as a response. */
export function refusalResponse(status: number, codes: readonly ErrorCode[], gaps: GapChoices): Json {
  const marks = codes.flatMap((code) => {
    const row = ERRORS[code] as { gap?: GapId }
    return row.gap ? [{ code, ...gapMark(row.gap, gaps) }] : []
  })
  return {
    description: BODY_STATUSES[status] ?? codes.map((code) => `- \`${code}\`: ${CODE_MEANINGS[code]}.`).join('\n'),
    headers: {
      [HEADERS.requestId]: { $ref: '#/components/headers/RequestId' },
      ...(codes.includes('rate_limited') && { [HEADERS.retryAfter]: { $ref: '#/components/headers/RetryAfter' } }),
    },
    content: {
      'application/json': { schema: narrowed(codes, gaps), example: errorExample(codes[0] as ErrorCode, gaps) },
    },
    ...(marks.length > 0 && { 'x-gap': marks }),
  }
}

function narrowed(codes: readonly ErrorCode[], gaps: GapChoices): Json {
  const code = { properties: { code: { enum: codes } } }
  return {
    $ref: '#/components/schemas/Error',
    ...(gaps['error-layout'] === 'nested' ? { properties: { error: code } } : code),
  }
}

function errorExample(code: ErrorCode, gaps: GapChoices): Json {
  const facts = { code, message: CODE_MEANINGS[code] }
  const request_id = 'req_4jq0w3xk000001'
  return gaps['error-layout'] === 'nested' ? { error: facts, request_id } : { ...facts, request_id }
}
