import { lookup } from 'node:dns'
import { type AddressPolicy, createAddressPolicy } from './address-policy.ts'
import { createSlots, type Slots } from './slots.ts'

/** Every address a name stands for. */
export type Resolve = (
  name: string,
  done: (error: Error | null, addresses: readonly { address: string; family: number }[]) => void,
) => void

/** What all worlds of a server share when they send webhooks. */
export interface Outbound {
  readonly policy: AddressPolicy
  readonly slots: Slots
  readonly resolve: Resolve
  /** Nothing is sent before the server has its ports, since only then its own operator port is known. */
  readonly isOpen: () => boolean
}

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
