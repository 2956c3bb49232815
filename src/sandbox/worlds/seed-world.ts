import { ApiError } from '../../contract/errors.ts'
import type { Environment } from '../app/environment.ts'
import { lastEventSeq } from '../events/events.ts'
import { addDrawnListings } from '../inventory/generate.ts'
import { pauseIn } from '../kernel/batches.ts'
import type { Credential } from '../kernel/world.ts'
import { advance } from './advance.ts'
import { MONTH_MS, monthOfSales } from './month-of-sales.ts'
import { type Made, Script } from './script.ts'

/** What a seeded month came to. */
interface MonthMade {
  fromMs: number
  toMs: number
  /** Whether it was stopped before its end. */
  stopped: boolean
  made: Readonly<Record<Made, number>>
}

/** Few milliseconds' worth. */
const LISTINGS_A_BATCH = 100

/**
 * Moves a world's clock by a month, in which so many domains are sold: with quotes, checkout sessions, brokerage cases, settlement
 * runs and payouts. Each order sells a listing that is added for it, so the domains that are for sale stay so. The seed of the world and
 * the length of its history decide everything.
 *
 * @param stop ends the month at the instant that it has reached.
 * @throws ApiError conflict while a jump is under way, and in a world without a credential that may sell.
 */
export async function seedWorld(world: Environment, orders: number, stop?: AbortSignal): Promise<MonthMade> {
  const sellers = sellersOf(world)
  const script = new Script(async () => {
    const seed = `${world.chance.seed} ${lastEventSeq(world)}`
    const pause = pauseIn(world)
    const domains = await addListings(world, orders, pause)
    return monthOfSales({ fromMs: world.clock.nowMs(), domains, sellers, seed }, pause)
  })
  const { fromMs, toMs, stopped } = await advance(
    world,
    { byMs: MONTH_MS },
    { script, listed: 0, ...(stop && { stop }) },
  )
  return { fromMs, toMs, stopped, made: script.made }
}

/** A credential of each partner that may sell in every way. */
function sellersOf({ credentials }: Environment): Credential[] {
  const able = [...credentials.values()].filter(
    ({ revoked, scopes, affiliate, merchantOfRecord }) =>
      !revoked && scopes.has('buy') && affiliate && merchantOfRecord,
  )
  const sellers = [...new Map(able.map((credential) => [credential.partnerId, credential])).values()]
  if (sellers.length === 0) {
    throw new ApiError(
      'conflict',
      'no credential of this world may sell: one with the scope buy, affiliate and merchant_of_record',
    )
  }
  return sellers
}

async function addListings(world: Environment, count: number, pause: () => Promise<void>): Promise<string[]> {
  const domains: string[] = []
  while (domains.length < count) {
    const some = Math.min(LISTINGS_A_BATCH, count - domains.length)
    domains.push(...world.commits.commitNow(() => addDrawnListings(world, some)))
    await pause()
  }
  return domains
}
