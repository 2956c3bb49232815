import { formatInstant, LATEST_MS } from '../clock/instant.ts'
import { advancing } from '../sandbox/worlds/advance.ts'
import type { Advancing, Environment } from '../sandbox/worlds/environment.ts'

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
