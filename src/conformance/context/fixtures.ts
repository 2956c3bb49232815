import { centsOf, isMoney, type Money } from '../dialect/money.ts'
import { endpointOf } from '../format/step-facts.ts'
import { type Exchange, isAccepted, isRefused, statusWord } from '../http/exchange.ts'
import { isObject } from '../http/json-body.ts'
import { isOpen, Open } from '../result/open.ts'
import { noteWith } from '../result/target-addition.ts'
import { callTo } from '../signing/sign-call.ts'
import type { Hook } from '../webhooks/receiver.ts'
import { createHistory, eventValue } from './event-history.ts'
import { createWordQueue, namePartsOf, wordPairs } from './name-parts.ts'
import { createDomainAtSandbox, createDomainsAtSandbox } from './operator.ts'
import { type Caller, createCaller, type Lease, type NewDomain, type Run } from './run.ts'
import { FIRST_WORDS, MORE_WORDS } from './search-words.ts'
import { converse } from './send-call.ts'

/** @param inherited what the world, a copy, has from the run that copied it (`forCopies`). */
export function createFixtures(run: Run, inherited: readonly NewDomain[] = []): Run['fixtures'] {
  const caller = createCaller(run, 'fixtures', 'f')
  const { fixtures } = run.target
  const source = domainSource(caller, inherited)
  let listed: Promise<Lease> | undefined
  let liveSite: Promise<string> | undefined
  let topic: Promise<{ query: string; finds: readonly string[] }> | undefined
  let copied: Promise<readonly NewDomain[]> | undefined
  return {
    sellable: (brokerable = false) => source.next(brokerable),
    giveBack: (leases, exchanges) =>
      source.giveBack(
        leases.map(({ domain }) => domain).filter((domain) => !isReserved(domain, exchanges)),
        // Reads, and refused writes.
        exchanges.every(({ request, answer }) => ['GET', 'HEAD'].includes(request.method) || isRefused(answer)),
      ),
    listed() {
      listed ??= fixtures.listed[0] === undefined ? source.next(false) : priced(caller, fixtures.listed[0])
      // Another scenario may give one back.
      listed.catch(() => {
        listed = undefined
      })
      return listed
    },
    unlisted: () => fixtures.unlisted[0] ?? `unlisted-${run.runId}.example`,
    liveSite() {
      liveSite ??= liveSiteOf(caller)
      return liveSite
    },
    topic() {
      topic ??= topicOf(caller)
      return topic
    },
    webhookUrl: async () =>
      fixtures.webhookUrl ??
      (await unusedReceiver(run))?.url ??
      (run.target.operator?.url ? LOOPBACK_HOOK : PUBLIC_HOOK),
    forCopies() {
      copied ??= madeForCopies(caller)
      return copied
    },
  }
}

/** A quote keeps its domain from other partners for as long as it lasts, although the domain is still for sale. */
function isReserved(domain: string, exchanges: readonly Exchange[]): boolean {
  const { path } = endpointOf('quotes.create')
  return exchanges.some(
    ({ request, answer }) =>
      request.target === path && !isRefused(answer) && Buffer.from(request.body).toString().includes(domain),
  )
}

/** Scenarios with a copy of the world to themselves seldom sell more; what is lacking they make. */
const FOR_A_COPY = 12

async function madeForCopies(caller: Caller): Promise<readonly NewDomain[]> {
  const made = Array.from({ length: FOR_A_COPY }, (_, index) => newDomain(caller, `copy${index + 1}`, index + 1))
  return (await createDomainsAtSandbox(caller, made)) ? made : []
}

/** Every sandbox of ours accepts it; no server needs to listen there. */
const LOOPBACK_HOOK = 'http://127.0.0.1:9/conformance'
const PUBLIC_HOOK = 'https://hooks.example.com/conformance'

/** One hook of the run at which nothing is waited for, so that a registration that only has to be accepted leads somewhere. */
export async function unusedReceiver(run: Run): Promise<Hook | null> {
  if (!run.receiver) return null
  run.unusedHook ??= run.receiver.openHook('idle')
  return run.unusedHook
}

async function liveSiteOf(caller: Caller): Promise<string> {
  const { target, runId, lane } = caller.run
  if (target.fixtures.liveSite[0] !== undefined) return target.fixtures.liveSite[0]
  const domain = `live-${runId}${lane}.test`
  if (await createDomainAtSandbox(caller, { domain, price_cents: 150_000, live_site: true })) return domain
  throw Open.notRun(
    'needs-fixture',
    noteWith('no domain with an active live site is known', { fixtures: { live_site: ['DOMAIN'] } }),
  )
}

/**
 * A topic of several of these, written together, is a word that no other domain is found by, and that is not in the name. A
 * search that looks for the words in it must find the topic too.
 */
const SHORT_WORDS = 'bike boat book farm fish food game gold home lamp moon park road ship silk star'.split(' ')

async function topicOf(caller: Caller): Promise<{ query: string; finds: readonly string[] }> {
  const { target, runId, lane } = caller.run
  if (target.fixtures.topic) return target.fixtures.topic
  const query = [...runId].map((digit) => SHORT_WORDS[Number.parseInt(digit, 16)]).join('')
  const domain = `about-${runId}${lane}.test`
  if (await createDomainAtSandbox(caller, { domain, price_cents: 140_000, topics: [query] }))
    return { query, finds: [domain] }
  throw Open.notRun(
    'needs-fixture',
    noteWith('no word that finds domains by meaning is known', {
      fixtures: { topic: { query: 'WORD', finds: ['DOMAIN'] } },
    }),
  )
}

/** Says why domains that are for sale may not count. */
function noMoreDomains({ fixtures: { listed, liveSite, topic } }: Run['target']): string {
  const kept = [...listed, ...liveSite, ...(topic?.finds ?? [])].length > 0
  return noteWith(
    `no further domain for sale was found by search, which shows only the best few for each word${kept ? '; one that fixtures names as listed, live_site or topic is bought only if sellable names it too' : ''}`,
    { fixtures: { sellable: ['DOMAIN', 'DOMAIN'] } },
  )
}

interface DomainSource {
  next(brokerable: boolean): Promise<Lease>
  giveBack(domains: readonly string[], areUnused: boolean): void
}

/** Domains from the target file first, then new ones at a sandbox of ours, then what search finds. */
function domainSource(caller: Caller, inherited: readonly NewDomain[]): DomainSource {
  const given = givenDomains(caller, (domain) => priced(caller, domain))
  const refusals: Refusals = { last: null }
  const findings = searchFor(caller, refusals)
  const makeDomain = domainMaker(caller, inherited)
  let queue: Promise<unknown> = Promise.resolve()
  const inCases: Lease[] = []
  const returned: string[] = []
  const named = namedOtherwise(caller)
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
      const { value: found } = await findings.next()
      if (found) {
        if (inCases.length >= MAX_IN_CASES || (await fits(found.domain, brokerable))) return found
        inCases.push(found)
        continue
      }
      const last = (await takeReturned(brokerable)) ?? (brokerable && someCanBeBrokered ? undefined : inCases.shift())
      if (last) return last
      if (refusals.last !== null)
        throw Open.unproven(`no sellable domain was found: a valid search was answered ${refusals.last}`)
      throw Open.notRun('needs-fixture', noMoreDomains(caller.run.target))
    }
  }
  return {
    giveBack(domains, areUnused) {
      // What the target file names is bought once; what a search found may be sold again on some targets, and comes last.
      if (areUnused) returned.unshift(...domains)
      else returned.push(...domains.filter((domain) => !named.has(domain)))
    },
    async next(brokerable) {
      const lease = await given.next(brokerable)
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

/** After this many searches that found nothing new, the rest of the words, or of their pairs, is left. */
const MAX_VAIN_QUERIES = 300

/** So it is after this many of them in a row. */
const MAX_VAIN_IN_A_ROW = 40

/** What a valid search was answered, where it was not accepted. */
interface Refusals {
  last: string | null
}

/** After this many refused searches in a row, the rest would be refused as well. */
const MAX_REFUSALS = 3

/** Yields null where there is nothing new for now: a search names only the best few, and what is sold makes room for others. */
async function* searchFor(caller: Caller, refusals: Refusals): AsyncGenerator<Lease | null, undefined> {
  const words = createWordQueue(rotated(FIRST_WORDS, caller.run), rotated(MORE_WORDS, caller.run))
  const seen = new Set<string>()
  const spared = namedOtherwise(caller)
  /** How many each word found. */
  const sizes = new Map<string, number>()
  const asked = new Set<string>()
  let pairs: string[] | null = null
  let again: string[] = []
  let [seenBefore, vain, vainInARow] = [0, 0, 0]
  for (;;) {
    const isInVain = vain >= MAX_VAIN_QUERIES || vainInARow >= MAX_VAIN_IN_A_ROW
    let word = isInVain ? null : pairs ? (pairs.shift() ?? null) : words.take()
    if (word === null && seen.size > seenBefore) {
      // Names that words have found make pairs, and those that pairs have found are made of further words.
      pairs = pairs ? null : wordPairs([...seen].map(labelOf)).filter((pair) => !asked.has(pair))
      seenBefore = seen.size
      vain = 0
      vainInARow = 0
      continue
    }
    word ??= again.shift() ?? null
    if (word === null) {
      yield null
      if (vain >= MAX_VAIN_QUERIES) return undefined
      again = fullest(sizes)
      if (again.length === 0) return undefined
      continue
    }
    const domains = await search(caller, word, refusals)
    if (!pairs || sizes.has(word)) sizes.set(word, domains.length)
    asked.add(word)
    if (domains.length === 0 && refusals.last !== null && asked.size >= MAX_REFUSALS) return undefined
    const isNews = domains.some((domain) => !seen.has(domain))
    vainInARow = isNews ? 0 : vainInARow + 1
    if (!isNews) vain += 1
    for (const domain of domains) {
      if (seen.has(domain)) continue
      const parts = namePartsOf(labelOf(domain), [...seen].map(labelOf))
      seen.add(domain)
      words.add((parts.length > 0 ? parts : labelOf(domain).split(/[-\d]+/)).filter((part) => part.length > 2))
      if (spared.has(domain)) continue
      const lease = await pricedIfForSale(caller, domain)
      if (lease) yield lease
    }
  }
}

/** Two runs in a row begin with other words: what one has reserved, the next cannot see. */
function rotated(words: readonly string[], { runId }: Run): string[] {
  const from = Number.parseInt(runId.slice(0, 6), 16) % words.length
  return [...words.slice(from), ...words.slice(0, from)]
}

/** The words that found as many as any: behind those of the others there is nothing more. */
function fullest(sizes: ReadonlyMap<string, number>): string[] {
  const most = Math.max(1, ...sizes.values())
  return [...sizes].flatMap(([word, size]) => (size === most ? [word] : []))
}

/** The run does not buy what the target file names for another purpose, and buys what it names as sellable only once. */
function namedOtherwise(caller: Caller): Set<string> {
  const { sellable, listed, liveSite, topic } = caller.run.target.fixtures
  return new Set([...sellable, ...listed, ...liveSite, ...(topic?.finds ?? [])])
}

async function search(caller: Caller, word: string, refusals: Refusals): Promise<string[]> {
  const op = 'domains.search'
  const { answer } = await converse(caller, callTo(op, caller.run.credentials.main, [['q', word]]))
  refusals.last = isAccepted(answer) ? null : statusWord(answer)
  if (!isAccepted(answer)) return []
  const { dialect } = caller.run
  const list = dialect.items('search.items', answer)
  return (list.found ? list.value : []).flatMap((item) => {
    const found = dialect.find('search.domain', { json: item, op })
    return found.found && typeof found.value === 'string' ? [found.value] : []
  })
}

/** The lease of a domain; null if it is not for sale, or cannot be looked up. */
function pricedIfForSale(caller: Caller, domain: string): Promise<Lease | null> {
  return priced(caller, domain).catch((error) => {
    if (isOpen(error, 'not_run') && error.reason === 'needs-fixture') return null
    if (isOpen(error, 'inconclusive')) return null
    throw error
  })
}

/** Looks a domain up: it must be available, and priced. */
async function priced(caller: Caller, domain: string): Promise<Lease> {
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
    currency: currency.found ? String(currency.value) : 'USD',
  }
}

export function labelOf(domain: string): string {
  return domain.split('.')[0] ?? domain
}

/** The sellable domains that the target file names, one after the other. */
interface GivenDomains {
  /** Null if there is no further one. @throws Open (inconclusive) if one cannot be looked up and nothing else is left. */
  next(brokerable: boolean): Promise<Lease | null>
}

/** Cases that earlier runs left behind; a target where nothing can be brokered is not asked about each domain. */
const MAX_IN_CASES = 100

/**
 * Domains that an earlier run bought are passed over, and where a case is to be opened also those that it left in one. What was
 * sold once and is available again, after a refund, comes last: the lists still have the sale.
 *
 * @param priced looks a domain up.
 */
function givenDomains(caller: Caller, priced: (domain: string) => Promise<Lease>): GivenDomains {
  const { sellable, topic } = caller.run.target.fixtures
  // What a search has to find by its topic is sold last: a domain that is sold may be found no more.
  const names = [
    ...sellable.filter((one) => !topic?.finds.includes(one)),
    ...sellable.filter((one) => topic?.finds.includes(one)),
  ]
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
async function soldBefore(caller: Caller): Promise<ReadonlySet<string>> {
  const history = createHistory(caller.run.credentials.main)
  // A history that cannot be read is for the scenarios about it to find out.
  await history.refresh(caller).catch(() => undefined)
  return new Set(history.since(0).map((event) => String(eventValue(event, 'data.order.domain') ?? '')))
}

/** Only a plain no counts: what else may be wrong with eligibility is for the scenarios to find out. */
async function canBeBrokered(caller: Caller, domain: string): Promise<boolean> {
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

/** A copy of the world holds what was made before the copy, so the name shows who owns it. */
function newDomain({ run: { runId, lane } }: Caller, name: string, number: number): NewDomain {
  return { domain: `conf-${runId}-${lane}${name}.test`, priceCents: 120_000 + number * 100 }
}
