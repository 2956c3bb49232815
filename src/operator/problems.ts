import { DURATION_WORDS } from '../clock/duration.ts'

/**
 * Every refusal of the operator API that is not one of the partner API's: its status and its sentence, in which parameters may
 * stand. The title follows from the status.
 */
export const PROBLEMS = {
  // Any request.
  'no-operation': { status: 404, says: 'there is nothing at this path with this verb' },
  'no-query': { status: 400, says: 'this takes no query' },
  'no-body': { status: 400, says: 'this takes no body' },
  'malformed-query': { status: 400, says: ({ message }: { message: string }) => message },
  'body-too-large': { status: 413, says: ({ mib }: { mib: number }) => `the body is larger than ${mib} MiB` },
  'foreign-host': {
    status: 403,
    says: ({ hosts }: { hosts: readonly string[] }) =>
      `the Host header must be there once and be one of ${hosts.join(', ')}`,
  },
  'foreign-origin': { status: 403, says: 'pages of another origin may not use the operator API' },
  'foreign-site': { status: 403, says: 'pages of another site may not use the operator API' },
  'wrong-token': {
    status: 401,
    says: 'the operator token is missing or wrong; send it as "Authorization: Bearer TOKEN"',
  },
  unexpected: { status: 500, says: 'something went wrong inside the sandbox' },
  storage: { status: 507, says: ({ message }: { message: string }) => message },

  // Durations of any setting.
  'bad-duration': {
    status: 400,
    says: ({ name, orNull, value }: { name: string; orNull: boolean; value: string }) =>
      `${name} must be ${orNull ? 'null or ' : ''}${DURATION_WORDS}, not ${value}`,
  },

  // Worlds.
  'no-world': {
    status: 404,
    says: ({ name, hint }: { name: string; hint: string }) => `there is no world ${JSON.stringify(name)}${hint}`,
  },
  'unusable-world': {
    status: 409,
    says: ({ name, why }: { name: string; why: string }) =>
      `the world ${name} cannot be used: ${why}; restore a sound snapshot of it, reset it or delete it`,
  },
  'world-name-taken': { status: 409, says: ({ message }: { message: string }) => message },
  'world-name-malformed': { status: 400, says: ({ message }: { message: string }) => `name: ${message}` },
  'world-gone': { status: 409, says: ({ message }: { message: string }) => message },
  'world-deleted-meanwhile': { status: 409, says: 'the world was deleted meanwhile' },
  'main-world-stays': {
    status: 409,
    says: ({ name }: { name: string }) => `the world ${name} is always there; reset it instead`,
  },
  'clock-before-1970': { status: 400, says: 'clock must not be before 1970' },
  'unknown-gaps': {
    status: 400,
    says: ({ messages }: { messages: readonly string[] }) => `gaps: ${messages.join('; ')}`,
  },
  'settle-every-too-short': {
    status: 400,
    says: ({ least }: { least: string }) => `settle_every must be null or at least ${least}`,
  },
  'no-snapshot-sent': { status: 415, says: ({ type }: { type: string }) => `send the snapshot itself, as ${type}` },
  'unsound-snapshot': { status: 400, says: ({ message }: { message: string }) => message },
  'world-too-large': {
    status: 409,
    says: ({ message }: { message: string }) => `${message}; with --data, stop the sandbox and copy the file`,
  },

  // The clock and the stream.
  'no-jump-target': { status: 400, says: 'say how far by exactly one of by, to and until' },
  'unknown-stream-kind': {
    status: 400,
    says: ({ kinds, value }: { kinds: readonly string[]; value: string }) =>
      `only must name ${kinds.join(', ')}, with commas between them, not ${value}`,
  },
  'unknown-event': { status: 400, says: 'after is no event of this world' },

  // What the lists show.
  'no-order': { status: 404, says: 'there is no such order in this world' },
  'no-case': { status: 404, says: 'there is no such case in this world' },
  'no-checkout-session': { status: 404, says: 'there is no such checkout session in this world' },
  'no-settlement-run': { status: 404, says: 'there is no such settlement run in this world' },
  'no-payout-run': { status: 404, says: 'there is no such payout run in this world' },
  'no-delivery': { status: 404, says: 'there is no such delivery in this world' },
  'no-listing': { status: 404, says: 'no listing has that name' },
  'no-key': { status: 404, says: 'this world has no such key id' },
  'not-logged': {
    status: 404,
    says: ({ id, where, entries }: { id: string; where: string; entries: number }) =>
      `there is no request ${id} in ${where}: the log keeps the latest ${entries.toLocaleString('en')} calls of a world, fewer where they are large, and nothing over a restart or a reset`,
  },
  'bad-status-filter': { status: 400, says: 'status must be a status such as 401, or a class of them such as 4xx' },
  'refused-step': { status: 409, says: ({ message }: { message: string }) => message },

  // Deliveries and credentials.
  'delay-too-long': { status: 400, says: 'delay must be 365 days at most' },
  'partner-twice': { status: 400, says: 'partner and partner_id say the same; give one' },

  // Listings in CSV.
  'not-csv': {
    status: 400,
    says: ({ line }: { line: number }) =>
      `line ${line}: this is no CSV: quotes stand around a whole cell and are doubled inside it, and lines end with LF or CRLF`,
  },
  'not-utf8': { status: 400, says: 'the file is not UTF-8' },
  'csv-empty': {
    status: 400,
    says: ({ columns }: { columns: string }) => `the file is empty; its first line names the columns: ${columns}`,
  },
  'csv-too-long': { status: 400, says: ({ rows }: { rows: number }) => `the file has more than ${rows} listings` },
  'csv-without-listing': { status: 400, says: 'the file has no listing below its line of column names' },
  'csv-mistakes': { status: 400, says: ({ message }: { message: string }) => message },
  'csv-conflict': { status: 409, says: ({ message }: { message: string }) => message },
  'csv-unknown-column': {
    status: 400,
    says: ({ line, name, hint }: { line: number; name: string; hint: string }) =>
      `line ${line}: there is no column ${name}${hint}`,
  },
  'csv-column-twice': {
    status: 400,
    says: ({ line, name }: { line: number; name: string }) =>
      `line ${line}: the column ${name} is there more than once`,
  },
  'csv-column-missing': {
    status: 400,
    says: ({ line, name }: { line: number; name: string }) => `line ${line}: the column ${name} is missing`,
  },
  'csv-cell-count': {
    status: 400,
    says: ({ cells, columns }: { cells: number; columns: number }) =>
      `it has ${cells} cells, and the first line names ${columns} columns`,
  },

  // Faults.
  'fault-never': { status: 400, says: 'probability must be more than 0: such a fault would do nothing' },
  'fault-seed-alone': { status: 400, says: 'seed goes with probability: nothing is drawn without one' },
  'match-credential-twice': {
    status: 400,
    says: 'match.credential takes a name or a key id; give it or match.key_id',
  },
  'match-domain-and-order': {
    status: 400,
    says: 'match.domain and match.public_id exclude each other: no call names both',
  },
  'match-no-order': {
    status: 400,
    says: ({ value }: { value: string }) => `match.public_id: there is no order ${value}`,
  },
  'match-no-endpoint': {
    status: 400,
    says: ({ value, hint }: { value: string; hint: string }) => `match.endpoint: there is no endpoint ${value}${hint}`,
  },
  'match-no-credential': {
    status: 400,
    says: ({ value, hint }: { value: string; hint: string }) =>
      `match.credential: there is no credential ${value} in this world${hint}`,
  },
  'match-never-named': {
    status: 400,
    says: ({ member, endpoint, namers }: { member: string; endpoint: string; namers: readonly string[] }) =>
      `match.${member}: no call to ${endpoint} names one; these do: ${namers.join(', ')}`,
  },
  'effect-garbage-false': { status: 400, says: 'effect.garbage must not be false' },
  'effect-delay-missing': { status: 400, says: 'effect.delay_ms is required' },
  'effect-not-one': {
    status: 400,
    says: 'effect must be exactly one of status or code, delay_ms, drop, garbage',
  },
  'effect-contradiction': {
    status: 400,
    says: ({ member, kind }: { member: string; kind: string }) => `effect.${member} does not go with kind ${kind}`,
  },
  'effect-status-illegal': {
    status: 400,
    says: ({ legal, code, status }: { legal: readonly number[]; code: string; status: number }) =>
      `effect.status must be ${legal.join(' or ')} for ${code}, not ${status}`,
  },
  'effect-message-unsaid': {
    status: 400,
    says: 'effect.message cannot be given for internal_error: it tells nobody anything',
  },
  'effect-code-missing': { status: 400, says: 'effect.status or effect.code is required' },
  'effect-code-open': {
    status: 400,
    says: ({ status, hint }: { status: number; hint: string }) => `effect.status ${status}: ${hint}`,
  },
  'effect-retry-after-twice': {
    status: 400,
    says: 'effect.retry_after and effect.retry_after_seconds are the same; give one',
  },
  'effect-retry-after-alone': {
    status: 400,
    says: ({ code }: { code: string }) => `effect.retry_after goes with rate_limited only, not with ${code}`,
  },
} as const satisfies Record<string, { status: number; says: string | ((facts: never) => string) }>

export type ProblemId = keyof typeof PROBLEMS
