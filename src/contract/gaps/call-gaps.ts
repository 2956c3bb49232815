import { gap } from './gap.ts'

const REFUSAL_STATUSES = [401, 400, 403] as const

/** What is open about any call: authentication, canonical string, timestamp, nonce, errors, limits. */
export const CALL_GAPS = {
  'missing-headers-status': gap({
    requirement: 'AUTH-17',
    question: 'Status of missing_signature_headers',
    values: REFUSAL_STATUSES,
    default: 401,
    reason: 'Every other failed authentication of the error table is a 401.',
  }),
  'timestamp-status': gap({
    requirement: 'AUTH-17',
    question: 'Status of invalid_timestamp',
    values: REFUSAL_STATUSES,
    default: 401,
    reason: 'The error table counts a wrong timestamp among the reasons for a 401.',
  }),
  'replay-status': gap({
    requirement: 'AUTH-17',
    question: 'Status of replay_detected',
    values: [401, 400, 403, 409],
    default: 401,
    reason: 'The error table counts a wrong nonce among the reasons for a 401.',
  }),
  'missing-idempotency-key-status': gap({
    requirement: 'IDEM-08',
    question: 'Status of missing_idempotency_key',
    values: [400, 422, 428],
    default: 400,
    reason: 'A required header is absent: the request is malformed.',
  }),
  'error-layout': gap({
    requirement: 'ERR-05',
    question: 'Where code and message stand in an error body',
    values: ['flat', 'nested'],
    default: 'flat',
    reason: 'The document names code and message and no wrapper around them.',
  }),
  'skew-edge': gap({
    requirement: 'TIME-06',
    question: 'A timestamp exactly 300 seconds off',
    values: ['accepted', 'refused'],
    default: 'accepted',
    reason: 'The document says within 300 seconds.',
  }),
  'astral-sort': gap({
    requirement: 'CANON-15',
    question: 'Sort order of characters beyond U+FFFF',
    values: ['code-point', 'utf-16'],
    default: 'code-point',
    reason: 'It is UTF-8 byte order as well, so most languages agree.',
  }),
} as const
