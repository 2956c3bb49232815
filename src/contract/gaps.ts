/**
 * What the document leaves open. Each open point has an id, its legal values, the one our sandbox takes by default,
 * and the reason. A dialect is a choice of these values; nothing here is ever a failure of a foreign target.
 */
export interface Gap<Value> {
  /** The open row of the requirements that this point belongs to. */
  readonly requirement: string
  readonly question: string
  readonly values: readonly Value[]
  readonly default: Value
  readonly reason: string
}

const REFUSAL_STATUSES = [401, 400, 403] as const

export const GAPS = {
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
  'created-status': gap({
    requirement: 'ORD-16',
    question: 'Status of a call that creates something',
    values: [201, 200],
    default: 201,
    reason: 'The usual answer to a POST that made a resource.',
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

export type GapId = keyof typeof GAPS

/** One legal value for every open point. */
export type GapChoices = { [Id in GapId]: (typeof GAPS)[Id]['values'][number] }

/** The choices our sandbox makes unless told otherwise. */
export const DEFAULT_GAPS: GapChoices = Object.fromEntries(
  Object.entries(GAPS).map(([id, { default: value }]) => [id, value]),
) as GapChoices

function gap<const Value>(definition: Gap<Value>): Gap<Value> {
  return definition
}
