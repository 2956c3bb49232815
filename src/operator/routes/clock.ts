import { DURATION_WORDS, parseDuration } from '../../clock/duration.ts'
import { formatInstant, parseInstant } from '../../clock/instant.ts'
import { integer, object, oneOf, optional, text } from '../../contract/schema.ts'
import { quoted } from '../../sandbox/wire/validation.ts'
import { advance, type JumpTarget, stopAdvance } from '../../sandbox/worlds/advance.ts'
import type { Receipt } from '../../sandbox/worlds/receipt.ts'
import { setClock } from '../../sandbox/worlds/settings.ts'
import { SETTING_LIMITS } from '../../sandbox/worlds/world-facts.ts'
import { presentClock } from '../present-clock.ts'
import { Problem } from '../problem.ts'
import { ok, worldRoute } from '../route.ts'

/** As much as one jump may do, and more than anybody reads. */
const MOST_LISTED = 1_000_000

const instant = optional(text({ format: 'instant', maxLength: 40 }))

const show = worldRoute('GET', '/clock', {
  summary:
    'The clock: `mode`, `now`, how many things are `pending` (`pending_by_kind`), what is due `next`, whether waiting for it would change nothing (`idle`: a settlement run that would find nothing comes round for ever), how signatures are judged, and during a jump how far it has come (`advancing`).',
  handle: ({ world }) => ok(world.commits.commitNow(() => presentClock(world))),
})

const set = worldRoute('PUT', '/clock', {
  summary: 'Sets what is given: mode, instant, the clock that judges signatures, its skew. The clock as it is then.',
  body: object({
    mode: optional(oneOf(['running', 'frozen'])),
    now: instant,
    auth_clock: optional(oneOf(['wall', 'world'])),
    auth_skew_seconds: optional(
      integer({ minimum: -SETTING_LIMITS.authSkewSeconds, maximum: SETTING_LIMITS.authSkewSeconds }),
    ),
  }),
  async handle({ world, body, hungUp }) {
    const wish = {
      mode: body.mode,
      toMs: body.now === undefined ? undefined : (parseInstant(body.now) as number),
      authClock: body.auth_clock,
      authSkewSeconds: body.auth_skew_seconds,
    }
    return ok(await setClock(world, wish, () => presentClock(world), hungUp))
  },
})

const jump = worldRoute('POST', '/clock/advance', {
  summary:
    'Moves the clock by exactly one of `by`, `to` and `until`. The receipt: `from`, `to`, `stopped`, `counts` by kind, and what `happened` on the way: the first 10,000 things, or as many as `list` says; `truncated` says whether there were more.',
  body: object({
    by: optional(text({ maxLength: 40 })),
    to: instant,
    until: optional(oneOf(['next', 'idle'])),
    list: optional(integer({ minimum: 0, maximum: MOST_LISTED })),
  }),
  handle: async ({ world, body: { list, ...how }, hungUp }) =>
    ok(
      presentReceipt(
        await advance(world, readTarget(how), { stop: hungUp, ...(list !== undefined && { listed: list }) }),
      ),
    ),
})

/** Both, this and the jump itself, answer with the receipt. */
const stop = worldRoute('DELETE', '/clock/advance', {
  summary: 'Stops a jump that is under way. Its receipt so far, with `stopped: true`.',
  handle: async ({ world }) => ok(presentReceipt(await stopAdvance(world))),
})

function readTarget({ by, to, until }: { by?: string; to?: string; until?: 'next' | 'idle' }): JumpTarget {
  if ([by, to, until].filter((way) => way !== undefined).length !== 1) {
    throw new Problem(400, 'say how far by exactly one of by, to and until')
  }
  if (until !== undefined) return { until }
  if (to !== undefined) return { toMs: parseInstant(to) as number }
  const byMs = parseDuration(by as string)
  if (byMs === null) throw new Problem(400, `by must be ${DURATION_WORDS}, not ${quoted(by)}`)
  return { byMs }
}

function presentReceipt({ fromMs, toMs, stopped, counts, happened, truncated }: Receipt) {
  return {
    from: formatInstant(fromMs),
    to: formatInstant(toMs),
    stopped,
    counts,
    truncated,
    happened: happened.map(({ atMs, kind, id, summary }) => ({ at: formatInstant(atMs), kind, id, summary })),
  }
}

export const clockRoutes = [show, set, jump, stop]
