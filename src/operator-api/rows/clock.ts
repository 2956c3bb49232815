import { SETTING_LIMITS } from '../../contract/limits.ts'
import { integer, object, oneOf, optional, text } from '../../contract/schema.ts'
import { del, get, instant, post, put, returns } from '../operation.ts'

export interface ClockFacts {
  mode: 'running' | 'frozen'
  now: string
  /** How many things are due some day. */
  pending: number
  pending_by_kind: Record<string, number>
  next_due: string | null
  /** What is due at that instant. */
  next: { at: string; kind: string; id: string } | null
  /** Whether waiting would change nothing: at most settlement runs come round that would find nothing. */
  idle: boolean
  auth_clock: 'wall' | 'world'
  auth_skew_seconds: number
  /** How far the jump under way has come; null if there is none. */
  advancing: { from: string; to: string | null; now: string; things_done: number } | null
}

/** All that happened while a clock was moved, in the order of its time. */
export interface Receipt {
  from: string
  to: string
  /** Whether it was stopped before it had come to its end. */
  stopped: boolean
  /** How many things of each kind. */
  counts: Record<string, number>
  happened: { at: string; kind: string; id: string; summary: string }[]
  /** More happened than is listed. */
  truncated: boolean
}

/** As much as one jump may do, and more than a person reads. */
const MOST_LISTED = 1_000_000

export const clockRows = {
  'clock.show': get('/v1/worlds/{w}/clock', {
    summary:
      'The clock: `mode`, `now`, how many things are `pending` (`pending_by_kind`), what is due `next`, whether waiting for it would change nothing (`idle`: a settlement run that would find nothing comes round for ever), how signatures are judged, and during a jump how far it has come (`advancing`).',
    returns: returns<ClockFacts>(),
    command: { usage: 'clock show', summary: 'show mode, time and what is due next', shows: 'clock' },
  }),
  'clock.set': put('/v1/worlds/{w}/clock', {
    summary: 'Sets what is given: mode, instant, the clock that judges signatures, its skew. The clock as it is then.',
    body: object({
      mode: optional(oneOf(['running', 'frozen'])),
      now: instant,
      auth_clock: optional(oneOf(['wall', 'world'])),
      auth_skew_seconds: optional(
        integer({ minimum: -SETTING_LIMITS.authSkewSeconds, maximum: SETTING_LIMITS.authSkewSeconds }),
      ),
    }),
    returns: returns<ClockFacts>(),
    command: [
      { usage: 'clock freeze', summary: 'stop the clock', sends: { mode: 'frozen' }, shows: 'clock' },
      { usage: 'clock run', summary: 'let the clock run', sends: { mode: 'running' }, shows: 'clock' },
    ],
  }),
  'clock.advance': post('/v1/worlds/{w}/clock/advance', {
    summary:
      'Moves the clock by exactly one of `by`, `to` and `until`. The receipt: `from`, `to`, `stopped`, `counts` by kind, and what `happened` on the way: the first 10,000 things, or as many as `list` says; `truncated` says whether there were more.',
    body: object({
      by: optional(text({ maxLength: 40 })),
      to: instant,
      until: optional(oneOf(['next', 'idle'])),
      list: optional(integer({ minimum: 0, maximum: MOST_LISTED })),
    }),
    returns: returns<Receipt>(),
  }),
  'clock.stop': del('/v1/worlds/{w}/clock/advance', {
    summary: 'Stops a jump that is under way. Its receipt so far, with `stopped: true`.',
    returns: returns<Receipt>(),
  }),
}
