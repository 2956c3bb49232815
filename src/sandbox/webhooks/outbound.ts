import { lookup } from 'node:dns'
import type { Outbound, Resolve } from '../kernel/outbound.ts'
import { createAddressPolicy } from './address-policy.ts'
import { createSlots } from './slots.ts'

/** Beside one for each endpoint; sockets are cheap. */
const MOST_IN_FLIGHT = 256

/**
 * @param options.hosts see {@link createAddressPolicy}; loopback only unless said otherwise.
 * @throws WebhookHostsError
 * @example createOutbound({ hosts: 'loopback,private' })
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
