import { formatInstant, LATEST_MS } from '../clock/instant.ts'
import { type Advancing, advancing } from '../sandbox/advance.ts'
import type { World } from '../sandbox/world.ts'

/** A world's clock, and how far a jump has come where one is under way. */
export function presentClock(world: World) {
  const next = world.due.peek(world)
  const jump = advancing(world)
  return {
    mode: world.clock.state.mode,
    now: formatInstant(world.clock.nowMs()),
    pending: world.due.count(world),
    // What is due after the end of time never is.
    next_due: next && next.atMs <= LATEST_MS ? formatInstant(next.atMs) : null,
    auth_clock: world.settings.authClock,
    auth_skew_seconds: world.settings.authSkewSeconds,
    advancing: jump && presentAdvancing(world, jump),
  }
}

function presentAdvancing(world: World, { fromMs, toMs, thingsDone }: Advancing) {
  return {
    from: formatInstant(fromMs),
    to: toMs === null ? null : formatInstant(toMs),
    now: formatInstant(world.clock.nowMs()),
    things_done: thingsDone,
  }
}
