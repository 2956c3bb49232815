import { formatInstant } from '../../clock/instant.ts'
import type { ClockMode } from '../../clock/world-clock.ts'
import { ApiError } from '../../contract/errors.ts'
import type { CommissionRates, DeliveryProfile, Progress, ReviewRule, WorldSettings } from '../kernel/settings.ts'
import { advance, refuseDuringAdvance, refuseInstant } from './advance.ts'
import { changeSettings, commitClock } from './commit-clock.ts'
import type { Environment } from './environment.ts'

/**
 * Sets how a world misbehaves when it delivers webhooks. What is in the outbox already keeps its copies and its delay.
 */
export function setDeliveryProfile(world: Environment, delivery: DeliveryProfile): void {
  commitClock(world, () => changeSettings(world, { delivery }))
}

/** Sets how a world's orders and settlements go on by themselves. Every wait begins again now. */
export function setProgress(world: Environment, wanted: Omit<Progress, 'sinceMs'>): void {
  commitClock(world, () => changeSettings(world, { progress: { ...wanted, sinceMs: world.clock.nowMs() } }))
}

/**
 * Sets how many calls each credential of a world may make in so many seconds; null for no limit (ERR-06). Calls already
 * made count.
 */
export function setRateLimit(world: Environment, rateLimit: WorldSettings['rateLimit']): void {
  commitClock(world, () => changeSettings(world, { rateLimit }))
}

/**
 * Sets the partner's shares, and which orders are held, for what is sold from now on. What is booked stays as it is, and a
 * brokerage case keeps the rate on which it was opened.
 */
export function setRules(world: Environment, rules: { commission: CommissionRates; review: ReviewRule }): void {
  commitClock(world, () => changeSettings(world, rules))
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
 *   stopped, and then the clock stands where it had come to.
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
