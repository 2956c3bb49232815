import { createHash } from 'node:crypto'
import { isObject } from '../../contract/is-object.ts'
import { wordsIn } from '../../contract/words.ts'
import { centsOf, isMoney, type Money } from '../dialect/money.ts'
import { OPERATIONS } from '../format/step-facts.ts'
import { type Answer, isAccepted, isRefused, statusWord } from '../http/exchange.ts'
import { isOpen, Open } from '../result/open.ts'
import { whenAsked } from '../result/result.ts'
import { noteWith } from '../result/target-addition.ts'
import { callTo } from '../signing/sign-call.ts'
import { createHistory, eventValue } from './event-history.ts'
import { createWordQueue, namePartsOf, wordPairs } from './name-parts.ts'
import { createDomainsAtSandbox } from './operator.ts'
import type { Caller, Lease, NewDomain, Run } from './run.ts'
import { A_MOMENT_MS, converse } from './send-call.ts'

/** Domains from the target file first, then new ones at a sandbox of ours, then what search finds. */
export function domainSource(
  caller: Caller,
  inherited: readonly NewDomain[],
): Pick<Run['fixtures'], 'sellable' | 'giveBack'> {
  const { sellable } = caller.run.target.fixtures
  const given = sellable.length > 0 ? givenDomains(caller) : null
  const searched = createSearch(caller)
  const makeDomain = domainMaker(caller, inherited)
  let queue: Promise<unknown> = Promise.resolve()
  const inCases: Lease[] = []
  const returned: string[] = []
  // A target that lets some domains be brokered says no to the others for a reason.
  let someCanBeBrokered = false
  const fits = async (domain: string, brokerable: boolean): Promise<boolean> => {
    if (!brokerable) return true
    const can = await canBeBrokered(caller, domain)
    someCanBeBrokered ||= can
    return can
  }
  const takeReturned = async (brokerable: boolean): Promise<Lease | null> => {
    const unfit: string[] = []
    try {
      for (let domain = returned.shift(); domain !== undefined; domain = returned.shift()) {
        const lease = await pricedIfForSale(caller, domain)
        if (lease && (await fits(domain, brokerable))) return Object.assign(lease, { isSecondHand: true })
        if (lease) unfit.push(domain)
      }
      return null
    } finally {
      returned.push(...unfit)
    }
  }
  const findOne = async (brokerable: boolean): Promise<Lease> => {
    const left = brokerable ? undefined : inCases.shift()
    if (left) return left
    for (;;) {
      const found = await searched.next()
      if (found) {
        if (inCases.length >= MAX_IN_CASES || (await fits(found.domain, brokerable))) return found
        inCases.push(found)
        continue
      }
      const last = (await takeReturned(brokerable)) ?? (brokerable && someCanBeBrokered ? undefined : inCases.shift())
      if (last) return last
      const refusal = searched.refusal()
      if (refusal !== null) throw Open.unproven(`no sellable domain was found: a valid search was answered ${refusal}`)
      throw Open.notRun('needs-fixture', noMoreDomains(caller.run.target))
    }
  }
  return {
    giveBack(leases, exchanges) {
      // A quote keeps its domain from other partners for as long as it lasts, although the domain is still for sale.
      const { path } = OPERATIONS['quotes.create']
      const quotes = exchanges.filter(({ request, answer }) => request.target === path && !isRefused(answer))
      const quoted = quotes.map(({ request }) => Buffer.from(request.body).toString())
      const domains = leases.flatMap(({ domain }) => (quoted.some((body) => body.includes(domain)) ? [] : [domain]))
      // There were only reads, and refused writes.
      const areUnused = exchanges.every(
        ({ request, answer }) => ['GET', 'HEAD'].includes(request.method) || isRefused(answer),
      )
      // What the target file names is bought once; what a search found may be sold again on some targets, and comes last.
      if (areUnused) returned.unshift(...domains)
      else {
        const named = namedOtherwise(caller)
        returned.push(...domains.filter((domain) => !named.has(domain)))
      }
    },
    async sellable(brokerable = false) {
      const lease = await given?.(brokerable)
      if (lease) return lease
      const made = await makeDomain()
      // Its price is known from the other side, so that a target with broken reads can still be judged.
      if (made) return { domain: made.domain, label: labelOf(made.domain), price: made.priceCents, currency: 'USD' }
      const found = queue.then(() => findOne(brokerable))
      queue = found.catch(() => undefined)
      return found
    },
  }
}

/** Says why domains that are for sale may not count. */
function noMoreDomains({ fixtures: { listed, liveSite, topic } }: Run['target']): string {
  const kept = [...listed, ...liveSite, ...(topic?.finds ?? [])].length > 0
  return noteWith(
    `no further domain for sale was found by search, which shows only the best few for each word${kept ? '; one that fixtures names as listed, live_site or topic is bought only if sellable names it too' : ''}`,
    { fixtures: { sellable: ['DOMAIN', 'DOMAIN'] } },
  )
}

/** So often a refused search is made again for one domain. After so many in a row, it is made once in a while. */
const MAX_REFUSALS = { forOne: 3, inARow: 12 } as const
const WHILE_MS = 30_000

/** A search that was refused or failed: its word is asked for again. */
interface RefusedSearch {
  word: string
  answer: Answer | null
  atMs: number
  inARow: number
}

/** Domains for sale by search. */
interface Search {
  /** Null where there is nothing new for now: a search names only the best few, and what is sold makes room for others. */
  next(): Promise<Lease | null>
  /** What the latest search was answered, where it was not accepted. */
  refusal(): string | null
}

function createSearch(caller: Caller): Search {
  const { runId, credentials, dialect, wall } = caller.run
  const plan = whenAsked(() => createSearchPlan(runId))
  const spared = whenAsked(() => namedOtherwise(caller))
  const found: string[] = []
  let [searches, hasPaused] = [0, false]
  let refused: RefusedSearch | null = null
  const nextWord = async (): Promise<string | null> => {
    if (refused) return refused.word
    if (searches >= FIRST_WORDS.length && plan().isInVain()) plan().learn(await soldNames(caller))
    return plan().next()
  }
  const search = async (word: string): Promise<void> => {
    const op = 'domains.search'
    const { answer } = await converse(caller, callTo(op, credentials.main, [['q', word]]))
    searches += 1
    const before = refused?.inARow ?? 0
    refused = isAccepted(answer) ? null : { word, answer, atMs: wall.monotonicMs(), inARow: before + 1 }
    if (!isAccepted(answer)) return
    const domains = dialect.entriesOf(answer, 'search.items').flatMap((json) => {
      const name = dialect.find('search.domain', { json, op })
      return name.found && typeof name.value === 'string' ? [name.value] : []
    })
    found.push(...plan().newAmong(word, domains))
  }
  return {
    async next() {
      for (let refusals = 0; refusals < MAX_REFUSALS.forOne; refusals += refused ? 1 : 0) {
        for (let domain = found.shift(); domain !== undefined; domain = found.shift()) {
          const lease = spared().has(domain) ? null : await pricedIfForSale(caller, domain)
          if (lease) return lease
        }
        if (refused && refused.inARow >= MAX_REFUSALS.inARow && wall.monotonicMs() < refused.atMs + WHILE_MS)
          return null
        if (refusals > 0 && refused && !isRefused(refused.answer)) await caller.run.pause(refusals * A_MOMENT_MS)
        const word = await nextWord()
        if (word !== null) await search(word)
        else {
          hasPaused = !hasPaused
          if (hasPaused || !plan().startAgain()) return null
        }
      }
      return null
    },
    refusal: () => refused && statusWord(refused.answer),
  }
}

/** The domains of the latest orders: names of what is for sale may have the same words, in whatever language. */
export async function soldNames(caller: Caller): Promise<string[]> {
  const { dialect, credentials } = caller.run
  const op = 'orders.list'
  const { answer } = await converse(caller, callTo(op, credentials.main))
  if (!isAccepted(answer)) return []
  return dialect.entriesOf(answer).flatMap((json) => {
    const found = dialect.find('order.domain', { json, op })
    return found.found && typeof found.value === 'string' ? [found.value] : []
  })
}

/** The run does not buy what the target file names for another purpose, and buys what it names as sellable only once. */
function namedOtherwise(caller: Caller): Set<string> {
  const { sellable, listed, liveSite, topic } = caller.run.target.fixtures
  return new Set([...sellable, ...listed, ...liveSite, ...(topic?.finds ?? [])])
}

/** The lease of a domain; null if it is not for sale, or cannot be looked up. */
function pricedIfForSale(caller: Caller, domain: string): Promise<Lease | null> {
  return pricedForSale(caller, domain).catch((error) => {
    if (isOpen(error, 'not_run') && error.reason === 'needs-fixture') return null
    if (isOpen(error, 'inconclusive')) return null
    throw error
  })
}

/**
 * A domain that an order can name the price of. The document has expected_price as an integer (ORD-13), so in whole units of the
 * currency no order can be for what costs odd cents, as a scenario of an earlier run may have left it.
 */
async function pricedForSale(caller: Caller, domain: string): Promise<Lease> {
  const lease = await priced(caller, domain)
  if (caller.run.dialect.units.price === 'units' && lease.price % 100 !== 0)
    throw Open.notRun('needs-fixture', `${domain} costs odd cents, and expected_price is in whole units here`)
  return lease
}

/** Looks a domain up: it must be available, and priced. */
export async function priced(caller: Caller, domain: string): Promise<Lease> {
  const { run } = caller
  const ask = (op: 'availability' | 'pricing') =>
    converse(caller, callTo(op, caller.run.credentials.main, [['domain', domain]]))
  const [availability, pricing] = await Promise.all([ask('availability'), ask('pricing')])
  const ground = (op: 'availability' | 'pricing') => ({
    json: (op === 'pricing' ? pricing : availability).answer?.json,
    op,
  })
  if (!isAccepted(availability.answer) && !isAccepted(pricing.answer)) {
    throw Open.unproven(
      `${domain} cannot be looked up: availability was answered ${statusWord(availability.answer)}, pricing ${statusWord(pricing.answer)}`,
    )
  }
  const available = run.dialect.find('listing.available', ground('availability'))
  const listed = run.dialect.find('listing.price', ground('pricing'))
  // The scenarios about pricing report a missing price; the others continue.
  const showsIt = isAccepted(pricing.answer) && (listed.found || !isAccepted(availability.answer))
  const price = showsIt ? listed : run.dialect.find('listing.price', ground('availability'))
  const place = `${showsIt ? 'pricing' : 'availability'}:listing.price`
  if (available.found && available.value === false) throw Open.notRun('needs-fixture', `${domain} is not available`)
  if (!price.found)
    throw Open.notRun(
      isObject(pricing.answer?.json) ? 'needs-dialect' : 'needs-fixture',
      `no price was found for ${domain}: ${price.detail}`,
    )
  const currency = run.dialect.find('listing.currency', ground('pricing'))
  const money: Money = isMoney(price.value) ? price.value : { amount: Number(price.value), unit: null }
  return {
    domain,
    label: labelOf(domain),
    get price() {
      return centsOf(run.dialect.units, money, place)
    },
    listed: { money, place },
    get currency() {
      return currency.found ? String(currency.value) : (run.dialect.units.currency ?? 'USD')
    },
  }
}

/** Cases that earlier runs left behind; a target where nothing can be brokered is not asked about each domain. */
const MAX_IN_CASES = 100

/**
 * Domains that an earlier run bought are passed over, and where a case is to be opened also those that it left in one. What was
 * sold once and is available again, after a refund, comes last: the lists still have the sale.
 *
 * @returns hands out one after the other; null if there is no further one. Throws Open (inconclusive) if one cannot be looked up and nothing
 *   else is left.
 */
function givenDomains(caller: Caller): (brokerable: boolean) => Promise<Lease | null> {
  const { sellable, topic } = caller.run.target.fixtures
  // What a search has to find by its topic is sold last: a domain that is sold may be found no more.
  const inTurn = inOrderOfRun(sellable, caller.run.runId)
  const names = [
    ...inTurn.filter((one) => !topic?.finds.includes(one)),
    ...inTurn.filter((one) => topic?.finds.includes(one)),
  ]
  const secondHand: string[] = []
  const inCases: Lease[] = []
  let sortedOut: Promise<void> | null = null
  let unknown: Open | null = null
  const look = (domain: string): Promise<Lease | null> =>
    pricedForSale(caller, domain).catch((error) => {
      if (isOpen(error, 'inconclusive')) unknown = error
      else if (!(isOpen(error, 'not_run') && error.reason === 'needs-fixture')) throw error
      return null
    })
  const firstOf = async (list: string[], brokerable: boolean): Promise<Lease | null> => {
    for (let name = list.shift(); name !== undefined; name = list.shift()) {
      const lease = await look(name)
      if (lease === null) continue
      if (!brokerable || inCases.length >= MAX_IN_CASES || (await canBeBrokered(caller, name))) return lease
      inCases.push(lease)
    }
    return null
  }
  const sortOut = async (): Promise<void> => {
    const known = await soldBefore(caller)
    secondHand.push(...names.filter((name) => known.has(name)))
    names.splice(0, names.length, ...names.filter((name) => !known.has(name)))
  }
  return async (brokerable) => {
    if (names.length > 0) sortedOut ??= sortOut()
    await sortedOut
    const lease =
      (await firstOf(names, brokerable)) ?? (await firstOf(secondHand, brokerable)) ?? inCases.shift() ?? null
    if (!lease && unknown) throw unknown
    return lease
  }
}

/** The domains of all orders in the event history of main, as the run finds it. */
async function soldBefore(caller: Caller): Promise<ReadonlySet<string>> {
  const history = createHistory(caller.run.credentials.main)
  // A history that cannot be read is for the scenarios about it to find out.
  await history.refresh(caller).catch(() => undefined)
  return new Set(history.since(0).map((event) => String(eventValue(event, 'data.order.domain') ?? '')))
}

/** Only a plain no counts: what else may be wrong with eligibility is for the scenarios to find out. */
export async function canBeBrokered(caller: Caller, domain: string): Promise<boolean> {
  const op = 'brokerage.eligibility'
  const { answer } = await converse(caller, callTo(op, caller.run.credentials.main, [['domain', domain]]))
  const found = isAccepted(answer) ? caller.run.dialect.find('eligibility.eligible', answer) : null
  return !(found?.found && found.value === false)
}

/** More than this are never made ahead of need. */
const MADE_AHEAD = 32

/**
 * New domains at a sandbox of ours, one for each call; null if that cannot be done. Each request makes as many as those before
 * together, so that few requests are needed and few domains are left over.
 *
 * @param inherited is used up first.
 */
function domainMaker(caller: Caller, inherited: readonly NewDomain[]): () => Promise<NewDomain | null> {
  const { target } = caller.run
  const stock = [...inherited]
  let canMake = (target.operator?.url ?? null) !== null
  let named = 0
  let wanted = 0
  let making: Promise<void> | null = null

  const makeMany = async (): Promise<void> => {
    await Promise.resolve() // All that are wanted in one turn come from one request.
    const made = Array.from({ length: Math.max(wanted, Math.min(named, MADE_AHEAD)) }, () => {
      named += 1
      return newDomain(caller, String(named), named)
    })
    canMake = await createDomainsAtSandbox(caller, made)
    if (canMake) stock.push(...made)
  }

  return async () => {
    wanted += 1
    try {
      while (stock.length === 0 && canMake) {
        making ??= makeMany().finally(() => {
          making = null
        })
        await making
      }
      return stock.shift() ?? null
    } finally {
      wanted -= 1
    }
  }
}

/** Scenarios with a copy of the world to themselves seldom sell more; what is lacking they make. */
const FOR_A_COPY = 12

export async function madeForCopies(caller: Caller): Promise<readonly NewDomain[]> {
  const made = Array.from({ length: FOR_A_COPY }, (_, index) => newDomain(caller, `copy${index + 1}`, index + 1))
  return (await createDomainsAtSandbox(caller, made)) ? made : []
}

/** A copy of the world holds what was made before the copy, so the name shows who owns it. */
function newDomain({ run: { runId, worldPrefix } }: Caller, name: string, number: number): NewDomain {
  return { domain: `conf-${runId}-${worldPrefix}${name}.test`, priceCents: 120_000 + number * 100 }
}

/** Words that domain names are made of; what is found supplies more. */
export const FIRST_WORDS = wordsIn(`
  solar cloud shop green home data travel food app pay tech health sport music garden city bike coffee studio
  market
`)

/** Asked for where the names that were found lead no further. */
const MORE_WORDS = wordsIn(`
  blue silver golden bright quick smart fresh happy north river stone ocean forest summit harbor island valley
  bridge light wild pure prime royal simple modern urban rapid lucky quiet gentle noble clever eager fancy calm
  tiger eagle falcon horse fish bird bear wolf apple lemon berry orchard bread wine kitchen dental clinic
  medical pharmacy beauty fashion jewel wedding baby school learn coach book photo video film game puzzle toy
  rocket space energy power water timber metal build house villa hotel beach sail ship boat car auto drive
  truck cargo parcel mail post bank fund credit invest ledger tax law legal insurance rent job work team social
  media news blog chat code cyber robot digital web net host secure lock key gift craft paint canvas design
  print mirror lamp lantern pillow sleep yoga fitness run golf ski camp hike farm plant flower wood anchor
  barrel velvet amber cedar ivory opal
`)

/** After this many searches that found nothing new, the rest of the words, or of their pairs, is left. */
const MAX_VAIN_QUERIES = 300

/** So it is after this many of them in a row. */
const MAX_VAIN_IN_A_ROW = 40

/**
 * What to search for next, to find as many domains as can be: words, then pairs of words in the names that were found, then the
 * words in names that only pairs have found, and so on while there is anything new.
 */
interface SearchPlan {
  /** Null if there is nothing left that was not asked for. */
  next(): string | null
  /** Learns from what a search for the word found. @returns the domains that no search before has found. */
  newAmong(word: string, domains: readonly string[]): string[]
  /** Whether no search has found anything, and nothing else was learned. */
  isInVain(): boolean
  /** Plans the words in names that were not found by a search. */
  learn(domains: readonly string[]): void
  /** Plans the words again that found most: behind those of the others there is nothing more. @returns whether there are any. */
  startAgain(): boolean
}

/** @param runId two runs in a row begin with other words, too: what one has reserved, the next cannot see. */
function createSearchPlan(runId: string): SearchPlan {
  const words = createWordQueue(inOrderOfRun(FIRST_WORDS, runId), inOrderOfRun(MORE_WORDS, runId))
  const seen = new Set<string>()
  const asked = new Set<string>()
  /** How many domains each word found. */
  const sizes = new Map<string, number>()
  let pairs: string[] | null = null
  let again: string[] = []
  let hasLearned = false
  let [seenBefore, vain, vainInARow] = [0, 0, 0]
  return {
    next() {
      const isInVain = vain >= MAX_VAIN_QUERIES || vainInARow >= MAX_VAIN_IN_A_ROW
      const word = isInVain ? null : ((pairs ? pairs.shift() : words.take()) ?? null)
      if (word !== null) return word
      if (seen.size === seenBefore) return again.shift() ?? null
      pairs = pairs ? null : wordPairs([...seen].map(labelOf)).filter((pair) => !asked.has(pair))
      seenBefore = seen.size
      vain = 0
      vainInARow = 0
      return this.next()
    },
    newAmong(word, domains) {
      if (!pairs || sizes.has(word)) sizes.set(word, domains.length)
      asked.add(word)
      const found = [...new Set(domains)].filter((domain) => !seen.has(domain))
      vainInARow = found.length > 0 ? 0 : vainInARow + 1
      if (found.length === 0) vain += 1
      for (const domain of found) {
        const parts = namePartsOf(labelOf(domain), [...seen].map(labelOf))
        seen.add(domain)
        words.add(parts.length > 0 ? parts.filter((part) => part.length > 2) : partsOf(domain))
      }
      return found
    },
    isInVain: () => seen.size === 0 && !hasLearned,
    learn(domains) {
      hasLearned = true
      words.add(domains.flatMap(partsOf))
    },
    startAgain() {
      const most = Math.max(1, ...sizes.values())
      again = vain >= MAX_VAIN_QUERIES ? [] : [...sizes].flatMap(([word, size]) => (size === most ? [word] : []))
      return again.length > 0
    },
  }
}

/**
 * An order of the run's own: of two runs at the same time, each goes its own way through the words. Beginning at different places in one
 * order is not enough, since one of them follows the other where both pass over what is sold.
 */
function inOrderOfRun(words: readonly string[], runId: string): string[] {
  const rank = (word: string): string => createHash('sha256').update(`${runId}\n${word}`).digest('hex')
  return words
    .map((word) => ({ word, rank: rank(word) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ word }) => word)
}

/** The words in a name. @example partsOf('sun-my-watt2.test') // ['sun', 'watt'] */
export function partsOf(domain: string): string[] {
  return labelOf(domain)
    .split(/[-\d]+/)
    .filter((part) => part.length > 2)
}

/** @example labelOf('a.test') // 'a' */
export function labelOf(domain: string): string {
  return domain.split('.')[0] ?? domain
}
