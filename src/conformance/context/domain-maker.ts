import { createDomainsAtSandbox, type NewDomain } from './operator.ts'
import type { Client } from './run-context.ts'

/** More than this are never made ahead of need. */
const MADE_AHEAD = 32

/**
 * New domains at a sandbox of ours, one for each call; null if that cannot be done. Each request makes as many as those before
 * together, so that few requests are needed and few domains are left over.
 *
 * @example const makeDomain = domainMaker(speaker)
 */
export function domainMaker(client: Client): () => Promise<NewDomain | null> {
  const { target, runId, lane } = client.run
  const stock: NewDomain[] = []
  let canMake = (target.operator?.url ?? null) !== null
  let named = 0
  let wanted = 0
  let making: Promise<void> | null = null

  // A copy of the world holds what was made before the copy, so names must show who owns them.
  const newDomain = (): NewDomain => {
    named += 1
    return { domain: `conf-${runId}-${lane}${named}.test`, priceCents: 120_000 + named * 100 }
  }

  const makeMany = async (): Promise<void> => {
    await Promise.resolve() // All that are wanted in one turn come from one request.
    const made = Array.from({ length: Math.max(wanted, Math.min(named, MADE_AHEAD)) }, newDomain)
    canMake = await createDomainsAtSandbox(client, made)
    if (canMake) stock.push(...made)
  }

  const refill = (): Promise<void> => {
    making ??= makeMany().finally(() => {
      making = null
    })
    return making
  }

  return async () => {
    wanted += 1
    try {
      while (stock.length === 0 && canMake) await refill()
      return stock.shift() ?? null
    } finally {
      wanted -= 1
    }
  }
}
