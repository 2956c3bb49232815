import { lookup } from 'node:dns'
import type { Outbound, Resolve, Slots } from '../kernel/outbound.ts'
import { createAddressPolicy } from './address-policy.ts'

/** Beside one for each endpoint; sockets are cheap. */
const MOST_IN_FLIGHT = 256

/**
 * @param options.hosts see {@link createAddressPolicy}; loopback only unless said otherwise.
 * @throws WebhookHostsError
 */
export function createOutbound(
  options: { hosts?: string; operatorPort?: () => number | null; resolve?: Resolve; isOpen?: () => boolean } = {},
): Outbound {
  return {
    policy: createAddressPolicy(options.hosts ?? 'loopback', options.operatorPort ?? (() => null)),
    slots: createSlots(MOST_IN_FLIGHT),
    resolve: options.resolve ?? ((name, done) => lookup(name, { all: true }, done)),
    isOpen: options.isOpen ?? (() => true),
  }
}

/** @param count how many there are; endpoints that fail may bring it to half of that. */
export function createSlots(count: number): Slots {
  const waiting = new Set<() => void>()
  let taken = 0
  return {
    take(isFailing, onFree) {
      if (taken < (isFailing ? count / 2 : count)) {
        taken += 1
        return true
      }
      waiting.add(onFree)
      return false
    },
    release() {
      taken -= 1
      const all = [...waiting]
      waiting.clear()
      for (const onFree of all) onFree()
    },
  }
}
