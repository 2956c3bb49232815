import { formatInstant } from '../../clock/instant.ts'
import type { ClockMode } from '../../clock/world-clock.ts'
import { ApiError } from '../../contract/errors.ts'
import type { WorldSettings } from '../kernel/settings.ts'
import { advance, refuseDuringAdvance, refuseInstant } from './advance.ts'
import { commitClock } from './commit-clock.ts'
import type { Environment } from './environment.ts'

/** What an operator wants of a clock; what is undefined stays as it is. */
export interface ClockWish {
  mode: ClockMode | undefined
  /** An instant that has not passed. */
  toMs: number | undefined
  authClock: WorldSettings['authClock'] | undefined
  /** Seconds by which the clock that judges timestamps is to be ahead (TIME-07). */
  authSkewSeconds: number | undefined
}

/**
 * Sets a world's clock. Freezing comes before moving and running after it, so that the time that was asked for is the
 * time that is shown. Moving runs what falls due on the way, as {@link advance} does.
 *
 * @param tell says what it came to, in the transaction that ends it.
 * @param stop stops the move on its way.
 * @throws ApiError as advance does, before anything is changed where the instant cannot be; conflict where the move was
 *   stopped, and then the clock stands where it had come to.
 * @example await setClock(world, { mode: 'frozen', toMs: Date.UTC(2026, 5, 1), authClock: undefined, authSkewSeconds: undefined }, () => null)
 */
export async function setClock<Told>(
  world: Environment,
  wish: ClockWish,
  tell: () => Told,
  stop?: AbortSignal,
): Promise<Told> {
  const set = () => {
    if (wish.mode === 'frozen') world.clock.setMode('frozen')
    if (wish.authClock !== undefined) world.settings.authClock = wish.authClock
    if (wish.authSkewSeconds !== undefined) world.settings.authSkewSeconds = wish.authSkewSeconds
  }
  refuseDuringAdvance(world)
  if (wish.toMs !== undefined) {
    refuseInstant(wish.toMs, world.clock.nowMs())
    commitClock(world, set)
    await moveTo(world, wish.toMs, stop)
  }
  const told = commitClock(world, () => {
    if (wish.toMs === undefined) set()
    if (wish.mode === 'running') world.clock.setMode('running')
    return tell()
  })
  world.feed.publish({ kind: 'clock' })
  return told
}

async function moveTo(world: Environment, notBeforeMs: number, stop?: AbortSignal): Promise<void> {
  const { stopped, toMs } = await advance(world, { notBeforeMs }, stop && { stop })
  if (stopped) throw new ApiError('conflict', `the clock was stopped on its way: it is ${formatInstant(toMs)} there`)
}
