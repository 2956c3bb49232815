import { wordsIn } from '../../contract/words.ts'
import type { Money } from '../dialect/money-of.ts'
import { isAccepted, statusWord } from '../http/answer.ts'
import { isObject } from '../http/json-body.ts'
import { isOpen, Open } from '../result/open.ts'
import { planOf } from '../signing/sign-plan.ts'
import type { Hook } from '../webhooks/delivery.ts'
import type { Credentials } from './credentials.ts'
import { canBeBrokered, createGivenDomains, domainMaker, type Lease, MAX_IN_CASES } from './given-domains.ts'
import { centsOf, isMoney } from './money.ts'
import { createDomainAtSandbox } from './operator.ts'
import { type Client, createClient, type Run } from './run-context.ts'
import { converse } from './send-call.ts'

/** Hands out what scenarios need and the target has. Each sellable domain is handed out once. */
export interface FixtureBroker {
  /**
   * @param brokerable whether a case may be opened for it: earlier runs leave cases behind.
   * @throws Open (not_run) if no further one can be had.
   */
  sellable(brokerable?: boolean): Promise<Lease>
  /** A listed domain that nothing buys; always the same one. */
  listed(): Promise<Lease>
  unlisted(): string
  liveSite(): Promise<string>
  topic(): Promise<{ query: string; finds: readonly string[] }>
  webhookUrl(): Promise<string>
}

export function createFixtures(run: Run, credentials: Credentials): FixtureBroker {
  const client = createClient(run, 'fixtures', 'f')
  const { fixtures } = run.target
  const source = domainSource(client, credentials)
  let listed: Promise<Lease> | undefined
  let liveSite: Promise<string> | undefined
  let topic: Promise<{ query: string; finds: readonly string[] }> | undefined
  return {
    sellable: (brokerable = false) => source.next(brokerable),
    listed() {
      listed ??= fixtures.listed[0] === undefined ? source.next(false) : priced(client, credentials, fixtures.listed[0])
      return listed
    },
    unlisted: () => fixtures.unlisted[0] ?? `unlisted-${run.runId}.example`,
    liveSite() {
      liveSite ??= liveSiteOf(client)
      return liveSite
    },
    topic() {
      topic ??= topicOf(client)
      return topic
    },
    webhookUrl: async () =>
      fixtures.webhookUrl ?? (await unusedReceiver(run))?.url ?? (speaksToOurs(client) ? LOOPBACK_HOOK : PUBLIC_HOOK),
  }
}

/** Every sandbox of ours accepts it; no server needs to listen there. */
const LOOPBACK_HOOK = 'http://127.0.0.1:9/conformance'
const PUBLIC_HOOK = 'https://hooks.example.com/conformance'

function speaksToOurs({ run }: Client): boolean {
  return (run.target.operator?.url ?? null) !== null
}

/** One hook of the run at which nothing is waited for, so that a registration that only has to be accepted leads somewhere. */
export async function unusedReceiver(run: Run): Promise<Hook | null> {
  if (!run.receiver) return null
  run.unusedHook ??= run.receiver.openHook('idle')
  return run.unusedHook
}

async function liveSiteOf(client: Client): Promise<string> {
  const { target, runId, lane } = client.run
  if (target.fixtures.liveSite[0] !== undefined) return target.fixtures.liveSite[0]
  const domain = `live-${runId}${lane}.test`
  if (await createDomainAtSandbox(client, { domain, price_cents: 150_000, live_site: true })) return domain
  throw Open.notRun(
    'needs-fixture',
    'no domain with an active live site is known; name one in a target file (fixtures.live_site)',
  )
}

/**
 * A topic of several of these, written together, is a word that no other domain is found by, and that is not in the name. A
 * search that looks for the words in it must find the topic too.
 */
const SHORT_WORDS = 'bike boat book farm fish food game gold home lamp moon park road ship silk star'.split(' ')

async function topicOf(client: Client): Promise<{ query: string; finds: readonly string[] }> {
  const { target, runId, lane } = client.run
  if (target.fixtures.topic) return target.fixtures.topic
  const query = [...runId].map((digit) => SHORT_WORDS[Number.parseInt(digit, 16)]).join('')
  const domain = `about-${runId}${lane}.test`
  if (await createDomainAtSandbox(client, { domain, price_cents: 140_000, topics: [query] }))
    return { query, finds: [domain] }
  throw Open.notRun(
    'needs-fixture',
    'no word that finds domains by meaning is known; name one in a target file (fixtures.topic)',
  )
}

interface DomainSource {
  next(brokerable: boolean): Promise<Lease>
}

/** Domains from the target file first, then new ones at a sandbox of ours, then what search finds. */
function domainSource(client: Client, credentials: Credentials): DomainSource {
  const given = createGivenDomains(client, credentials, (domain) => priced(client, credentials, domain))
  const refusals: Refusals = { last: null }
  const findings = searchFor(client, credentials, refusals)
  const makeDomain = domainMaker(client)
  const makeOne = async (): Promise<Lease | null> => {
    const made = await makeDomain()
    // Its price is known from the other side, so that a target with broken reads can still be judged.
    return made && { domain: made.domain, label: labelOf(made.domain), price: made.priceCents, currency: 'USD' }
  }
  let queue: Promise<unknown> = Promise.resolve()
  const inCases: Lease[] = []
  const findOne = async (brokerable: boolean): Promise<Lease> => {
    const left = brokerable ? undefined : inCases.shift()
    if (left) return left
    for (;;) {
      const found = await findings.next()
      if (!found.done) {
        const { domain } = found.value
        if (!brokerable || inCases.length >= MAX_IN_CASES || (await canBeBrokered(client, credentials, domain)))
          return found.value
        inCases.push(found.value)
        continue
      }
      const last = inCases.shift()
      if (last) return last
      if (refusals.last !== null)
        throw Open.unproven(`no sellable domain was found: a sound search was answered ${refusals.last}`)
      throw Open.notRun('needs-fixture', 'no further sellable domain was found; name some under fixtures.sellable')
    }
  }
  return {
    async next(brokerable) {
      const lease = (await given.next(brokerable)) ?? (await makeOne())
      if (lease) return lease
      const found = queue.then(() => findOne(brokerable))
      queue = found.catch(() => undefined)
      return found
    },
  }
}

/** Words that domain names are made of; what is found supplies more. */
export const FIRST_WORDS = wordsIn(`
  solar cloud shop green home data travel food app pay tech health sport music garden city bike coffee studio
  market
`)
const MAX_QUERIES = 80

/** What a sound search was answered, where it was not accepted. */
interface Refusals {
  last: string | null
}

/** After this many refused searches in a row, the rest would be refused as well. */
const MAX_REFUSALS = 3

async function* searchFor(
  client: Client,
  credentials: Credentials,
  refusals: Refusals,
): AsyncGenerator<Lease, undefined> {
  const words = [...FIRST_WORDS]
  const asked = new Set<string>()
  const seen = new Set<string>()
  const spared = namedOtherwise(client)
  while (words.length > 0 && asked.size < MAX_QUERIES) {
    const word = words.shift() as string
    if (asked.has(word)) continue
    asked.add(word)
    const domains = await search(client, credentials, word, refusals)
    if (domains.length === 0 && refusals.last !== null && asked.size >= MAX_REFUSALS) return undefined
    for (const domain of domains) {
      if (seen.has(domain)) continue
      seen.add(domain)
      words.push(
        ...labelOf(domain)
          .split(/[-\d]+/)
          .filter((part) => part.length > 2),
      )
      if (spared.has(domain)) continue
      const lease = await priced(client, credentials, domain).catch((error) => {
        if (isOpen(error, 'not_run') && error.reason === 'needs-fixture') return null
        if (isOpen(error, 'inconclusive')) return null
        throw error
      })
      if (lease) yield lease
    }
  }
  return undefined
}

/** The run does not buy what the target file names for another purpose, and buys what it names as sellable only once. */
function namedOtherwise(client: Client): Set<string> {
  const { sellable, listed, liveSite, topic } = client.run.target.fixtures
  return new Set([...sellable, ...listed, ...liveSite, ...(topic?.finds ?? [])])
}

async function search(client: Client, credentials: Credentials, word: string, refusals: Refusals): Promise<string[]> {
  const op = 'domains.search'
  const { answer } = await converse(client, { op, plan: planOf(op, [['q', word]]), credential: credentials.main })
  refusals.last = isAccepted(answer) ? null : statusWord(answer)
  if (!isAccepted(answer)) return []
  const { dialect } = client.run
  const items = dialect.items('search.items', answer)
  return (items.found ? items.items : []).flatMap((item) => {
    const found = dialect.find('search.domain', { json: item, op })
    return found.found && typeof found.value === 'string' ? [found.value] : []
  })
}

/** Looks a domain up: it must be available, and priced. */
async function priced(client: Client, credentials: Credentials, domain: string): Promise<Lease> {
  const { run } = client
  const ask = (op: 'availability' | 'pricing') =>
    converse(client, { op, plan: planOf(op, [['domain', domain]]), credential: credentials.main })
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
      return centsOf(run, money, place)
    },
    listed: { money, place },
    currency: currency.found ? String(currency.value) : 'USD',
  }
}

export function labelOf(domain: string): string {
  return domain.split('.')[0] ?? domain
}
