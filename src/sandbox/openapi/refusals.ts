import type { GapChoices, GapId } from '../../contract/choices.ts'
import { ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import { ERROR_CODES, ERRORS, type ErrorCode, isErrorCode, statusOf } from '../../contract/errors.ts'
import { HEADERS } from '../../contract/headers.ts'
import { errorBody } from '../wire/error-answer.ts'
import { gapMark } from './components.ts'
import type { Json } from './standard-schema.ts'

/** What each code means, in our words. */
export const CODE_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  validation_error: 'something in the request is missing or malformed; the message names it',
  invalid_signature: 'the signature does not match the request and the credential, or the credential is not valid here',
  missing_credentials: 'the key id is missing',
  forbidden: 'the credential may not do this: a scope, the affiliate account or the merchant of record is missing',
  not_found: 'this partner has nothing with that name',
  conflict: 'the request conflicts with the current state; the message says how',
  price_mismatch: 'the expected price is not the current one',
  quote_expired: 'the quote is older than its ten minutes',
  rate_limited: 'too many calls; wait for Retry-After, then sign again',
  internal_error: 'internal error; retry with increasing pauses',
  invalid_timestamp: 'the timestamp is not a Unix time in whole seconds, or more than 300 seconds off',
  replay_detected: 'the nonce has been used before',
  missing_signature_headers: 'one of the other three authentication headers is missing or given twice',
  missing_idempotency_key: 'the Idempotency-Key is missing',
}

/** Refusals of a body before it is read, with the statuses HTTP has for them (ERR-02). */
const BODY_STATUSES: Readonly<Record<string, string>> = {
  '413': 'The body is larger than 64 KiB.',
  '415': 'The Content-Type is not application/json, or the body is compressed.',
}

/** What any signed call may be refused with, at every endpoint. */
const EVERY_CALL: readonly ErrorCode[] = [
  'validation_error',
  'missing_credentials',
  'missing_signature_headers',
  'invalid_signature',
  'invalid_timestamp',
  'replay_detected',
  'forbidden',
  'rate_limited',
  'internal_error',
]

/**
 * The statuses an operation may be refused with, each with the codes that go with it.
 *
 * @example refusalsOf('pricing', DEFAULT_GAPS).get(404) // ['not_found']
 */
export function refusalsOf(id: EndpointId, gaps: GapChoices): Map<number, ErrorCode[]> {
  const { effect, refusals }: Endpoint = ENDPOINTS[id]
  // A choice of an open point may also be not to refuse.
  const own = refusals.map((row) => (typeof row === 'string' ? row : gaps[row.gap])).filter(isErrorCode)
  const codes = new Set<ErrorCode>([...EVERY_CALL, ...own])
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes) {
    const status = statusOf(code, gaps)
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  if (effect === 'write')
    for (const status of Object.keys(BODY_STATUSES)) byStatus.set(Number(status), ['validation_error'])
  return new Map([...byStatus].sort(([a], [b]) => a - b))
}

/** The body of every refusal, as the open point of its layout decides (ERR-01, ERR-05). */
export function errorSchema(gaps: GapChoices): Json {
  const facts = {
    code: { type: 'string', enum: ERROR_CODES, description: 'The code, for programs.' },
    message: { type: 'string', description: 'One sentence for a person.' },
  }
  const requestId = {
    type: 'string',
    description: `The value of ${HEADERS.requestId}: the id of the call in the request log.`,
  }
  const members = closed(laidOut(facts, { request_id: requestId }, gaps))
  return {
    description: 'Why a call was refused.',
    ...members,
    properties: { ...members.properties, hint: HINT },
    'x-gap': gapMark('error-layout', gaps),
  }
}

const HINT: Json = {
  type: 'string',
  description:
    'Why an authentication check refused the call, and the command that shows more. Only in a world whose setting `hints` is on: the world `default` of `partner-sandbox serve` without `--strict`, and others that ask for it (`npx partner-sandbox world hints NAME --on`).',
}

/** The members of an error body, in the layout of wire/error-answer.ts (ERR-05). */
function laidOut(facts: Json, beside: Json, gaps: GapChoices): Json {
  switch (gaps['error-layout']) {
    case 'flat':
      return { ...facts, ...beside }
    case 'nested':
      return { error: closed(facts), ...beside }
    case 'list':
      return { errors: { type: 'array', items: closed(facts), minItems: 1, maxItems: 1 }, ...beside }
    case 'problem':
      return { ...PROBLEM_MEMBERS, ...facts, ...beside }
  }
}

const PROBLEM_MEMBERS = {
  type: { type: 'string', enum: ['about:blank'] },
  title: { type: 'string', description: 'The code.' },
  status: { type: 'integer', description: 'The status of the answer.' },
  detail: { type: 'string', description: 'The message.' },
}

function closed(properties: Json) {
  return { ...open(properties), additionalProperties: false }
}

function open(properties: Json) {
  return { type: 'object', properties, required: Object.keys(properties) }
}

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
      [gaps['error-layout'] === 'problem' ? 'application/problem+json' : 'application/json']: {
        schema: narrowed(codes, gaps),
        example: errorExample(codes[0] as ErrorCode, status, gaps),
      },
    },
    ...(marks.length > 0 && { 'x-gap': marks }),
  }
}

/** By `allOf`, since many tools ignore what is next to a reference. */
function narrowed(codes: readonly ErrorCode[], gaps: GapChoices): Json {
  const code = open({ code: { type: 'string', enum: codes } })
  return { allOf: [{ $ref: '#/components/schemas/Error' }, narrowedBy(code, gaps)] }
}

function narrowedBy(code: Json, gaps: GapChoices): Json {
  switch (gaps['error-layout']) {
    case 'nested':
      return open({ error: code })
    case 'list':
      return open({ errors: { type: 'array', items: code } })
    default:
      return code
  }
}

function errorExample(code: ErrorCode, status: number, gaps: GapChoices): object {
  const facts = { code, message: CODE_MEANINGS[code], status }
  return errorBody(facts, { request_id: 'req_4jq0w3xk000001' }, gaps['error-layout'])
}
