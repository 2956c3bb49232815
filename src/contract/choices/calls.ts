const REFUSAL_STATUSES = [401, 400, 403] as const

/** What is open about calls of any endpoint. */
export const CALL_CHOICES = {
  // How a call is authenticated.
  'missing-headers-status': {
    requirement: 'AUTH-17',
    question: 'Status of missing_signature_headers',
    values: REFUSAL_STATUSES,
    reason: 'Every other failed authentication of the error table is a 401.',
  },
  'timestamp-status': {
    requirement: 'AUTH-17',
    question: 'Status of invalid_timestamp',
    values: REFUSAL_STATUSES,
    reason: 'The error table counts a wrong timestamp among the reasons for a 401.',
  },
  'replay-status': {
    requirement: 'AUTH-17',
    question: 'Status of replay_detected',
    values: [401, 400, 403, 409],
    reason: 'The error table counts a wrong nonce among the reasons for a 401.',
  },
  'check-order': {
    requirement: 'AUTH-18',
    question: 'Order in which a call with all its headers and a known key is judged',
    values: [
      'timestamp, signature, nonce, rate limit, scope',
      'signature, timestamp, nonce, rate limit, scope',
      'timestamp, signature, scope, nonce, rate limit',
      'rate limit, timestamp, signature, nonce, scope',
      'timestamp, nonce, signature, rate limit, scope',
    ],
    reason: 'What needs no look-up comes first, and only the holder of the secret can use up a nonce.',
  },
  'idempotency-key-checked': {
    requirement: 'AUTH-18',
    question: 'Whether a missing or known Idempotency-Key is noticed before the fields of the body are judged',
    values: ['before the body', 'after the body'],
    reason: 'A replay returns the stored answer, even if its body would be refused today.',
  },
  'duplicate-header': {
    requirement: 'AUTH-19',
    question: 'An authentication header that appears twice',
    values: [
      'missing_signature_headers',
      'invalid_signature',
      'validation_error',
      'the first counts',
      'the last counts',
    ],
    reason: 'Two values are ambiguous: another reader may take the other one.',
  },
  'nonce-retention-seconds': {
    requirement: 'NONCE-05',
    question: 'How many seconds a nonce is remembered from its first use',
    values: [600, 900, 86_400],
    reason: 'Twice the accepted skew: no accepted timestamp outlives its nonce.',
  },
  'nonce-within': {
    requirement: 'NONCE-06',
    question: 'What a nonce is unique within',
    values: ['credential', 'partner', 'environment'],
    reason: 'Two credentials are often two programs that know nothing of each other.',
  },
  'nonce-max-length': {
    requirement: 'NONCE-07',
    question: 'The longest nonce, in characters',
    values: [128, 64, 255],
    reason: 'Room for any usual identifier, and an index that stays small.',
  },
  'nonce-form-refusal': {
    requirement: 'NONCE-07',
    question: 'How a nonce is refused that is too long or not visible ASCII',
    values: ['missing_signature_headers', 'invalid_signature', 'validation_error'],
    reason: 'A header that cannot be used is treated like a missing one.',
  },
  'kept-over-restart': {
    requirement: 'NONCE-08',
    question: 'Whether remembered nonces and idempotency keys survive a restart',
    values: ['with the data'],
    reason: 'They are rows like all others: a file keeps them, memory loses them.',
    chosenBy: 'serve --data',
  },

  // The canonical string and the timestamp in it.
  'plus-sign': {
    requirement: 'CANON-12',
    question: 'A literal plus sign in a query',
    values: ['a space', 'a plus sign'],
    reason: 'Form decoding has it so, and most frameworks decode queries as forms.',
  },
  'malformed-escape': {
    requirement: 'CANON-14',
    question: 'A query whose percent-encoding is broken',
    values: ['validation_error', 'invalid_signature'],
    reason: 'Such a query has no canonical string, so its signature cannot be judged.',
  },
  'astral-sort': {
    requirement: 'CANON-15',
    question: 'Sort order of characters beyond U+FFFF',
    values: ['code-point', 'utf-16'],
    reason: 'It is UTF-8 byte order as well, so most languages agree.',
  },
  'skew-edge': {
    requirement: 'TIME-06',
    question: 'A timestamp exactly 300 seconds off',
    values: ['accepted', 'refused'],
    reason: 'The document says within 300 seconds.',
  },
  'timestamp-clock': {
    requirement: 'TIME-07',
    question: 'Which clock judges timestamps once the clock of a world has been moved',
    values: ['the clock that the operator says'],
    reason: 'The machine’s clock by default, so that a jump in time does not break clients.',
    chosenBy: 'the clock of a world (auth_clock and auth_skew_seconds)',
  },

  // Refusals and limits.
  'not-merchant-endpoints': {
    requirement: 'SCOPE-10',
    question: 'What is closed to a partner that is not merchant of record',
    values: ['orders', 'orders and quotes'],
    reason: 'A quote costs nothing, and the price is useful before a hosted sale too.',
  },
  'not-merchant-refusal': {
    requirement: 'SCOPE-10',
    question: 'How such a partner is refused there',
    values: ['forbidden', 'conflict', 'validation_error'],
    reason: 'The credential may not do this, no matter what the call contains.',
  },
  'missing-idempotency-key-status': {
    requirement: 'IDEM-08',
    question: 'Status of missing_idempotency_key',
    values: [400, 422, 428],
    reason: 'A required header is absent: the request is malformed.',
  },
  'error-layout': {
    requirement: 'ERR-05',
    question: 'Where code and message are in an error body',
    values: ['flat', 'nested', 'list', 'problem'],
    reason: 'The document names code and message and no wrapper around them.',
  },
  'rate-limit': {
    requirement: 'ERR-06',
    question: 'How many calls are allowed in which time',
    values: ['as many as the operator says'],
    reason: 'A thousand calls in ten seconds by default: more than a client under test makes.',
    chosenBy: 'serve --rate-limit',
  },
} as const
