import type { Money } from '../dialect/find-role.ts'
import { isAccepted } from '../http/answer.ts'
import { isOpen, type Open } from '../result/open.ts'
import { planOf } from '../signing/sign-plan.ts'
import type { Target } from '../target/target.ts'
import type { Credentials } from './credentials.ts'
import { createHistory, eventValue } from './event-history.ts'
import { createDomainsAtSandbox, type NewDomain } from './operator.ts'
import type { Client } from './run-context.ts'
import { converse } from './send-call.ts'

/** A listed domain with its price at the time it was looked at. */
export interface Lease {
  domain: string
  /** The name without what is after its first dot: a word that search has to find it by. */
  label: string
  /** In cents, as far as the unit is known by now. */
  readonly price: number
  /** Where the target shows that price, and as what; absent where its price is known from the other side. */
  listed?: { money: Money; place: string }
  currency: string
}

/** The sellable domains that the target file names, one after the other. */
export interface GivenDomains {
  /** Null if there is no further one. @throws Open (inconclusive) if one cannot be looked up and nothing else is left. */
  next(brokerable: boolean): Promise<Lease | null>
}

/** What a search has to find by its topic is sold last: a domain that is sold may be found no more. */
function othersFirst({ sellable, topic }: Target['fixtures']): string[] {
  const finds = new Set(topic?.finds)
  return [...sellable.filter((domain) => !finds.has(domain)), ...sellable.filter((domain) => finds.has(domain))]
}

/** Cases that earlier runs left behind; a target where nothing can be brokered is not asked about each domain. */
export const MAX_IN_CASES = 100

/**
 * Domains that an earlier run bought are passed over, and where a case is to be opened also those that it left in one. What was
 * sold once and is available again, after a refund, comes last: the lists still have the sale.
 *
 * @param priced looks a domain up.
 */
export function createGivenDomains(
  client: Client,
  credentials: Credentials,
  priced: (domain: string) => Promise<Lease>,
): GivenDomains {
  const names = othersFirst(client.run.target.fixtures)
  const secondHand: string[] = []
  const inCases: Lease[] = []
  let sortedOut: Promise<void> | null = null
  let unknown: Open | null = null
  const look = (domain: string): Promise<Lease | null> =>
    priced(domain).catch((error) => {
      if (isOpen(error, 'inconclusive')) unknown = error
      else if (!(isOpen(error, 'not_run') && error.reason === 'needs-fixture')) throw error
      return null
    })
  const firstOf = async (list: string[], brokerable: boolean): Promise<Lease | null> => {
    for (let name = list.shift(); name !== undefined; name = list.shift()) {
      const lease = await look(name)
      if (lease === null) continue
      if (!brokerable || inCases.length >= MAX_IN_CASES || (await canBeBrokered(client, credentials, name)))
        return lease
      inCases.push(lease)
    }
    return null
  }
  const sortOut = async (): Promise<void> => {
    const known = await soldBefore(client, credentials)
    secondHand.push(...names.filter((name) => known.has(name)))
    names.splice(0, names.length, ...names.filter((name) => !known.has(name)))
  }
  return {
    async next(brokerable) {
      if (names.length > 0) sortedOut ??= sortOut()
      await sortedOut
      const lease =
        (await firstOf(names, brokerable)) ?? (await firstOf(secondHand, brokerable)) ?? inCases.shift() ?? null
      if (!lease && unknown) throw unknown
      return lease
    },
  }
}

/** The domains of all orders in the event history of main, as the run finds it. */
async function soldBefore(client: Client, credentials: Credentials): Promise<ReadonlySet<string>> {
  const history = createHistory(credentials.main)
  // A history that cannot be read is for the scenarios about it to find out.
  await history.refresh(client).catch(() => undefined)
  return new Set(history.since(0).map((event) => String(eventValue(event, 'data.order.domain') ?? '')))
}

/** Only a plain no counts: what else may be wrong with eligibility is for the scenarios to find out. */
export async function canBeBrokered(client: Client, credentials: Credentials, domain: string): Promise<boolean> {
  const op = 'brokerage.eligibility'
  const { answer } = await converse(client, {
    op,
    plan: planOf(op, [['domain', domain]]),
    credential: credentials.main,
  })
  const found = isAccepted(answer) ? client.run.dialect.find('eligibility.eligible', answer) : null
  return !(found?.found && found.value === false)
}

/** More than this are never made ahead of need. */
const MADE_AHEAD = 32

/**
 * New domains at a sandbox of ours, one for each call; null if that cannot be done. Each request makes as many as those before
 * together, so that few requests are needed and few domains are left over.
 *
 * @example const makeDomain = domainMaker(client)
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
