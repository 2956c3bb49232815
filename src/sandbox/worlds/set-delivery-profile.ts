import type { DeliveryProfile } from '../kernel/settings.ts'
import { commitClock } from './commit-clock.ts'
import type { Environment } from './environment.ts'

/**
 * Sets how a world misbehaves when it delivers webhooks. What is in the outbox already keeps its copies and its delay.
 *
 * @example setDeliveryProfile(world, { ...PLAIN_DELIVERY, duplicate: 1 })
 */
export function setDeliveryProfile(world: Environment, profile: DeliveryProfile): void {
  commitClock(world, () => {
    world.settings.delivery = profile
  })
}
