import { parseDuration } from '../../clock/duration.ts'
import { formatInstant, LATEST_MS, parseInstant } from '../../clock/instant.ts'
import type { BodyOf } from '../../operator-api/operations.ts'
import type { Advancing, Environment, JumpReceipt } from '../../sandbox/app/environment.ts'
import { quoted } from '../../sandbox/wire/validation.ts'
import { advance, advancing, type JumpTarget, setClock, stopAdvance } from '../../sandbox/worlds/advance.ts'
import { problem } from '../problems.ts'
import { type HandlersOf, ok } from '../route.ts'

export const clockHandlers: HandlersOf<'clock'> = {
  'clock.show': ({ world }) => ok(presentClock(world)),
  async 'clock.set'({ world, body, hungUp }) {
    const wish = {
      mode: body.mode,
      toMs: body.now === undefined ? undefined : (parseInstant(body.now) as number),
      authClock: body.auth_clock,
      authSkewSeconds: body.auth_skew_seconds,
    }
    return ok(await setClock(world, wish, () => presentClock(world), hungUp))
  },
  async 'clock.advance'({ world, body: { list, ...how }, hungUp }) {
    const options = { stop: hungUp, ...(list !== undefined && { listed: list }) }
    return ok(presentReceipt(await advance(world, readTarget(how), options)))
  },
  // Both, this and the jump itself, answer with the receipt.
  'clock.stop': async ({ world }) => ok(presentReceipt(await stopAdvance(world))),
}

/** More days than `parseDuration` reads: a duration all the same. */
const BEYOND_TIME = /^[1-9]\d{6,}d(?:\d+h)?(?:\d+m)?(?:\d+s)?$/

function readTarget({ by, to, until }: Omit<BodyOf<'clock.advance'>, 'list'>): JumpTarget {
  if ([by, to, until].filter((way) => way !== undefined).length !== 1) throw problem('no-jump-target')
  if (until !== undefined) return { until }
  if (to !== undefined) return { toMs: parseInstant(to) as number }
  const byMs = BEYOND_TIME.test(by as string) ? Number.POSITIVE_INFINITY : parseDuration(by as string)
  if (byMs === null) throw problem('bad-duration', { name: 'by', value: quoted(by) })
  return { byMs }
}

function presentReceipt({ fromMs, toMs, stopped, counts, happened, truncated }: JumpReceipt) {
  return {
    from: formatInstant(fromMs),
    to: formatInstant(toMs),
    stopped,
    counts,
    truncated,
    happened: happened.map(({ atMs, kind, id, summary }) => ({ at: formatInstant(atMs), kind, id, summary })),
  }
}

/** A world's clock, and how far a jump has come where one is under way. */
export function presentClock(world: Environment) {
  const next = nextDue(world)
  const byKind = world.scheduler.countByKind()
  const jump = advancing(world)
  return {
    mode: world.clock.state.mode,
    now: formatInstant(world.clock.nowMs()),
    pending: Object.values(byKind).reduce((sum, count) => sum + count, 0),
    pending_by_kind: byKind,
    next_due: next?.at ?? null,
    next,
    idle: world.scheduler.isIdle(),
    auth_clock: world.settings.authClock,
    auth_skew_seconds: world.settings.authSkewSeconds,
    advancing: jump && presentAdvancing(world, jump),
  }
}

/** What is due after the end of time never is. */
function nextDue(world: Environment) {
  const next = world.scheduler.peek()
  return next && next.atMs <= LATEST_MS ? { at: formatInstant(next.atMs), kind: next.kind, id: next.id } : null
}

function presentAdvancing(world: Environment, { fromMs, toMs, thingsDone }: Advancing) {
  return {
    from: formatInstant(fromMs),
    to: toMs === null ? null : formatInstant(toMs),
    now: formatInstant(world.clock.nowMs()),
    things_done: thingsDone,
  }
}
