import { formatInstant } from '../../clock/instant.ts'
import type { ClockMode } from '../../clock/world-clock.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Environment } from '../app/environment.ts'
import type { Progress, WorldSettings } from '../kernel/settings.ts'
import { advance, refuseDuringAdvance, refuseInstant } from './advance.ts'
import { changeSettings, commitClock } from './commit-clock.ts'

/**
 * Changes settings of a world. What is in the outbox keeps its copies and its delay, what is booked stays as it is, a
 * brokerage case keeps the rate on which it was opened, and calls already made count for another rate limit.
 */
export function setSettings(world: Environment, changed: Partial<Omit<WorldSettings, 'progress'>>): void {
  commitClock(world, () => changeSettings(world, changed))
}

/** Sets how a world's orders and settlements go on by themselves. Every wait begins again now. */
export function setProgress(world: Environment, wanted: Omit<Progress, 'sinceMs'>): void {
  commitClock(world, () => changeSettings(world, { progress: { ...wanted, sinceMs: world.clock.nowMs() } }))
}

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
 * @param present says what it came to, in the transaction that ends it.
 * @param stop stops the move on its way.
 * @throws ApiError as advance does, before anything is changed where the instant cannot be; conflict where the move was
 *   stopped, and then the clock is where it had arrived.
 */
export async function setClock<Presented>(
  world: Environment,
  wish: ClockWish,
  present: () => Presented,
  stop?: AbortSignal,
): Promise<Presented> {
  const set = () => {
    const { authClock, authSkewSeconds } = wish
    if (wish.mode === 'frozen') world.clock.setMode('frozen')
    if (authClock !== undefined) changeSettings(world, { authClock })
    if (authSkewSeconds !== undefined) changeSettings(world, { authSkewSeconds })
  }
  refuseDuringAdvance(world)
  if (wish.toMs !== undefined) {
    refuseInstant(wish.toMs, world.clock.nowMs())
    commitClock(world, set)
    await moveClock(world, wish.toMs, stop)
  }
  const presented = commitClock(world, () => {
    if (wish.toMs === undefined) set()
    if (wish.mode === 'running') world.clock.setMode('running')
    return present()
  })
  world.feed.publish({ kind: 'clock' })
  return presented
}

async function moveClock(world: Environment, notBeforeMs: number, stop?: AbortSignal): Promise<void> {
  const { stopped, toMs } = await advance(world, { notBeforeMs }, stop && { stop })
  if (stopped) throw new ApiError('conflict', `the clock was stopped on its way: it is ${formatInstant(toMs)} there`)
}
