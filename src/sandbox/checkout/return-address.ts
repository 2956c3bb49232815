import type { World } from '../kernel/world.ts'
import type { CheckoutSession } from './types.ts'

/**
 * The partner's address with what the buyer brings along added to its query, as the open point `return-parameters` decides;
 * everything else of it stays as it is (CHK-05).
 *
 * @example returnAddress(world, 'https://shop.example/thanks?cart=7#top', session) // '…/thanks?cart=7&session_id=cs_1#top'
 */
export function returnAddress({ gaps }: Pick<World, 'gaps'>, address: string, session: ReturningSession): string {
  const brought = gaps['return-parameters']
  if (brought === 'nothing') return address
  const url = new URL(address)
  const id = `session_id=${encodeURIComponent(session.sessionId)}`
  // Not by searchParams, which would write the partner's own parameters anew.
  const before = url.search === '' ? '?' : url.search.endsWith('&') ? url.search : `${url.search}&`
  url.search = before + (brought === 'session_id' ? id : `${id}&status=${session.state}`)
  return url.href
}

type ReturningSession = Pick<CheckoutSession, 'sessionId' | 'state'>
