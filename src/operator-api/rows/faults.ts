import type { EndpointId } from '../../contract/endpoint-ids.ts'
import { ERROR_CODES } from '../../contract/errors.ts'
import { FAULT_LIMITS } from '../../contract/limits.ts'
import {
  either,
  flag,
  id,
  integer,
  nullable,
  number,
  type ObjectOf,
  object,
  oneOf,
  optional,
  text,
} from '../../contract/schema.ts'
import { del, get, post, returns } from '../operation.ts'

/** A name for each effect, for those who prefer to name it. */
export const EFFECT_KINDS = ['status', 'rate_limit', 'delay', 'drop_before', 'drop_after_commit', 'garbage'] as const

export const GARBAGE_KINDS = ['truncated', 'not-json', 'empty', 'html'] as const

const seconds = integer({ minimum: 1, maximum: FAULT_LIMITS.retryAfterSeconds })
const effect = {
  kind: optional(oneOf(EFFECT_KINDS)),
  status: optional(integer({ minimum: 400, maximum: 599 })),
  code: optional(oneOf(ERROR_CODES)),
  message: optional(text({ format: 'plain', minLength: 1, maxLength: 200 })),
  retry_after: optional(seconds),
  retry_after_seconds: optional(seconds),
  delay_ms: optional(integer({ minimum: 1, maximum: FAULT_LIMITS.delayMs })),
  drop: optional(oneOf(['before-commit', 'after-commit'])),
  garbage: optional(either<boolean | (typeof GARBAGE_KINDS)[number]>(flag(), oneOf(GARBAGE_KINDS))),
}

const match = {
  endpoint: optional(text({ maxLength: 64 })),
  credential: optional(text({ maxLength: 128 })),
  key_id: optional(text({ maxLength: 128 })),
  domain: optional(text({ format: 'domain', maxLength: 255 })),
  public_id: optional(id('order')),
}

export type WrittenEffect = ObjectOf<typeof effect>
export type WrittenMatch = ObjectOf<typeof match>

/** A fault as the server has it. */
export interface Fault {
  id: string
  /** How often it has acted. */
  hits: number
  /** How often it still will; null for ever. */
  left: number | null
  match: Record<'credential' | 'key_id' | 'domain' | 'public_id', string | null> & { endpoint: EndpointId | null }
  effect: WrittenEffect
  times: number | null
  probability: number
  seed: string | null
  /** The call on which it acted last. */
  last_request_id: string | null
}

export const faultRows = {
  'faults.list': get('/v1/worlds/{w}/faults', {
    summary:
      'The rules by which calls go wrong on purpose, in the order they are asked: `faults`, with `hits` and `left`.',
    returns: returns<{ faults: Fault[] }>(),
    command: { usage: 'fault list', summary: 'list all faults, and how often each was applied', shows: 'faults' },
  }),
  'faults.add': post('/v1/worlds/{w}/faults', {
    summary:
      'Adds a rule: 201 with it. `match` takes `endpoint`, `credential` (name or key id), `domain`, `public_id`, and all must fit; `effect` is one of `status` or `code`, `delay_ms`, `drop`, `garbage`; `times` is 1 unless said otherwise, null for ever.',
    body: object({
      match: optional(object(match)),
      effect: object(effect),
      times: optional(nullable(integer({ minimum: 1, maximum: FAULT_LIMITS.times }))),
      probability: optional(number({ minimum: 0, maximum: 1 })),
      seed: optional(text({ format: 'plain', minLength: 1, maxLength: 200 })),
    }),
    returns: returns<Fault>(),
  }),
  'faults.remove': del('/v1/worlds/{w}/faults/{id}', {
    summary: 'Removes a rule: 204.',
    command: { usage: 'fault remove <id>', summary: 'remove a fault', shows: { done: 'removed {0}' } },
  }),
  'faults.clear': del('/v1/worlds/{w}/faults', {
    summary: 'Removes all rules: 204.',
    command: { usage: 'fault clear', summary: 'remove all faults', shows: { done: 'no faults any more' } },
  }),
}
