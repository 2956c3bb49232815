import type { PresentedDiagnosis } from '../../contract/diagnosis/present.ts'
import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoint-ids.ts'
import { ERROR_CODES } from '../../contract/errors.ts'
import { integer, object, oneOf, optional, text } from '../../contract/schema.ts'
import { get, type Page, returns } from '../operation.ts'

/** One line of the request log. */
export interface LoggedRequest {
  request_id: string
  position: number
  /** By the machine's clock. */
  at: string
  world_time: string
  method: string
  target: string
  endpoint: EndpointId | null
  status: number
  code: string | null
  /** Why a 4xx was answered, in a sentence; null for any other status. */
  reason: string | null
  /** The check that refused; `request` for a 4xx that no check gave, null for any other status. */
  refused_by: string | null
  key_id: string | null
  credential: string | null
  /** What went wrong with it on purpose, by a fault or by a magic name. */
  mishap: 'refuse' | 'delay' | 'drop' | 'garbage' | null
  /** Id of the fault that acted on it. */
  fault: string | null
  /** Of the `traceparent` it was sent with (W3C Trace Context); null if there was none, or not one valid one. */
  trace_id: string | null
  took_ms: number
  /** What a proxy noticed besides, in sentences; absent in the log of a sandbox. */
  findings?: readonly string[]
}

/**
 * Why a call was answered with a 4xx: one sentence, what was sent beside what was expected, and what to do. Of a signature also
 * the mistakes and the two canonical strings.
 */
export type Diagnosis = PresentedDiagnosis

export interface WholeRequest extends LoggedRequest {
  checks: { check: string; verdict: 'passed' | 'refused' | 'not_reached' }[]
  detail: string | null
  canonical_string: string | null
  /** Null unless the status is a 4xx. */
  diagnosis: Diagnosis | null
  /** Name of the world whose credential made it. */
  world: string
  request: {
    headers: [name: string, value: string][]
    body_bytes: number
    body: string
    body_encoding: 'utf-8' | 'base64'
  }
  answer: { status: number; headers: Record<string, unknown>; body: string }
  failure: string | null
}

/** Something that an operator has changed. */
export interface WrittenAct {
  position: number
  at: string
  world_time: { from: string; to: string }
  /** Position of the last call that was logged before. */
  after_request: number
  operation: string
  params: Readonly<Record<string, string>>
  body: unknown
}

const nextCursor = 'next_cursor of the page before.'

export const requestRows = {
  'requests.list': get('/v1/worlds/{w}/requests', {
    summary:
      'The request log, newest first: `requests`, `next_cursor`; of each 4xx the `reason`. Calls that belong to no world, as with an unknown key id, are in the log of `default`.',
    query: object({
      status: optional(text({ maxLength: 3, description: 'A status, or a class of them such as `4xx`.' })),
      code: optional(text({ maxLength: 64 })),
      key_id: optional(text({ maxLength: 256 })),
      credential: optional(text({ maxLength: 256, description: 'Name of a credential.' })),
      endpoint: optional(oneOf(ENDPOINT_IDS)),
      method: optional(text({ maxLength: 16 })),
      q: optional(
        text({ minLength: 1, maxLength: 256, description: 'Text in the target, a header, the body or the answer.' }),
      ),
      since: optional(text({ format: 'instant', description: 'Arrived at this wall time or later.' })),
      until: optional(text({ format: 'instant', description: 'Arrived before this wall time.' })),
      refused: optional(oneOf(['true', 'false'], 'Only calls that were answered 4xx, or only the rest.')),
      authentication: optional(
        oneOf(
          ['true', 'false'],
          'Only calls that a check of headers, key, time, signature or nonce refused, or only the rest.',
        ),
      ),
      limit: optional(integer({ minimum: 1, maximum: 1_000 })),
      cursor: optional(integer({ minimum: 1, description: nextCursor })),
    }),
    returns: returns<Page<'requests', LoggedRequest>>(),
    command: {
      usage: 'request list',
      summary: 'list the latest calls, newest first',
      flags: {
        refused: ['--refused', 'only calls that were answered 4xx'],
        authentication: ['--authentication', 'only calls that an authentication check refused'],
        status: ['--status <n>', 'only answers with this status or class: 401, 4xx', 'filled'],
        code: ['--code <code>', 'only refusals with this code', ERROR_CODES],
        endpoint: ['--endpoint <id>', 'only calls of this endpoint'],
        method: ['--method <verb>', 'only calls with this verb'],
        key_id: ['--key <id>', 'only calls with this key id'],
        credential: ['--credential <name>', 'only calls of this credential, e.g. main'],
        q: ['--search <text>', 'only calls with this text in target, headers, body or answer', 'filled'],
        since: ['--since <iso>', 'only calls that arrived at or after this real time (AT of the list)'],
        until: ['--until <iso>', 'only calls that arrived before this real time (AT of the list)'],
        limit: ['--limit <n>', 'number of rows'],
        cursor: ['--cursor <n>', 'continue after this row (from the page before)'],
      },
      helpAfter: 'A call with an unknown key id is in the log of the world "default".',
      shows: 'requests',
    },
  }),
  'requests.show': get('/v1/worlds/{w}/requests/{request_id}', {
    summary:
      'One logged call: what was sent, the canonical string, the verdict of each check, what was answered; of a 4xx the `diagnosis`.',
    returns: returns<WholeRequest>(),
  }),
  'requests.find': get('/v1/requests/{request_id}', {
    summary: 'The same of whichever world: the `X-Request-Id` of an answer is all that is needed.',
    returns: returns<WholeRequest>(),
  }),
  'acts.list': get('/v1/worlds/{w}/acts', {
    summary:
      'What operators have changed, oldest first: `acts`, `next_cursor`. `after_request` puts each after a call of the log.',
    query: object({
      limit: optional(integer({ minimum: 1, maximum: 1_000 })),
      cursor: optional(integer({ minimum: 0, description: nextCursor })),
    }),
    returns: returns<Page<'acts', WrittenAct>>(),
  }),
}
