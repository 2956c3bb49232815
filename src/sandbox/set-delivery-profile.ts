import { commitClock } from './commit-clock.ts'
import type { DeliveryProfile } from './webhooks/profile.ts'
import type { World } from './world.ts'

/**
 * Sets how a world misbehaves when it delivers webhooks. What is in the outbox already keeps its copies and its delay.
 *
 * @example setDeliveryProfile(world, { ...PLAIN_DELIVERY, duplicate: 1 })
 */
export function setDeliveryProfile(world: World, profile: DeliveryProfile): void {
  commitClock(world, () => {
    world.settings.delivery = profile
  })
}
