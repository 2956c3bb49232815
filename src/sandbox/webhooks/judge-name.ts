import { callAfter } from '../../clock/wall-clock.ts'
import type { Outbound, Resolve } from '../kernel/outbound.ts'
import { hostOf } from './address-policy.ts'

/** In real time. A name that takes longer counts as one that cannot be resolved. */
const LONGEST_LOOKUP_MS = 2_000

/** Why a registration of a name is refused; what its addresses are is for the operator alone. */
export interface NameRefusal {
  told: string
  detail: string
}

/**
 * Resolves the name in a URL once and judges every address it stands for (HOOK-08). What it stands for later is judged
 * again by each attempt.
 *
 * @returns null where webhooks may go there now.
 * @example await judgeName(world.outbound, new URL('http://hooks.example.test/'))
 */
export async function judgeName({ policy, resolve }: Outbound, url: URL): Promise<NameRefusal | null> {
  const addresses = await addressesOf(resolve, hostOf(url))
  const told = policy.refusalOfName(url, addresses)
  return told === null ? null : { told, detail: `the name stood for ${addresses.join(', ') || 'no address'}` }
}

/** None where the name cannot be resolved in time. */
function addressesOf(resolve: Resolve, name: string): Promise<string[]> {
  return new Promise((done) => {
    const alarm = callAfter(LONGEST_LOOKUP_MS, () => done([]))
    resolve(name, (error, addresses) => {
      alarm.cancel()
      done(error ? [] : addresses.map(({ address }) => address))
    })
  })
}
