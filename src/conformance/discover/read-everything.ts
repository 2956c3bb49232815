import { ENDPOINT_IDS, ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import { FIRST_WORDS } from '../context/fixtures.ts'
import type { RoleName } from '../format/roles.ts'
import { isAccepted } from '../http/answer.ts'
import { type Scout, valuesIn } from './scout.ts'

/** Reads that ask for nothing in particular; the lists of orders and cases are read with the details of some. */
const LISTS = ENDPOINT_IDS.filter((id) => {
  const { effect, inScenario, timeline } = ENDPOINTS[id]
  return effect === 'read' && inScenario === null && timeline === null
})

/** Makes one round of every read, about two of each thing where there are two. */
export async function readEverything(scout: Scout): Promise<void> {
  const domains = await listedDomains(scout)
  const missing = scout.services.fixtures.unlisted()
  for (const domain of domains) {
    await scout.read('domains.detail', { path: { name: domain } })
    await scout.read('pricing', { query: [['domain', domain]] })
    await scout.read('availability', { query: [['domain', domain]] })
    await scout.read('brokerage.eligibility', { query: [['domain', domain]] })
  }
  // Errors that no sound target gets around, in two different places.
  await scout.read('pricing', { query: [['domain', missing]] })
  await scout.read('domains.detail', { path: { name: missing } })
  for (const op of LISTS) await scout.read(op)
  await readWithDetails(scout, 'orders.list', 'order.public_id', 'orders.detail', 'public_id')
  await readWithDetails(scout, 'brokerage.list', 'case.id', 'brokerage.detail', 'case_id')
}

/** Words asked for in search until two domains are found. */
const MAX_WORDS = 20
const DOMAINS_WANTED = 2

async function listedDomains(scout: Scout): Promise<string[]> {
  const { fixtures } = scout.services.run.target
  const known = [...fixtures.listed, ...fixtures.sellable]
  const found = new Set(known.slice(0, DOMAINS_WANTED))
  const words = [...(fixtures.topic ? [fixtures.topic.query] : []), ...known.map(labelOf), ...FIRST_WORDS]
  let fruitful = 0
  for (const word of words.slice(0, MAX_WORDS)) {
    if (found.size >= DOMAINS_WANTED && fruitful >= DOMAINS_WANTED) break
    const seen = await scout.read('domains.search', { query: [['q', word]] })
    if (!isAccepted(seen.answer)) break
    const names = valuesIn(scout, seen, 'search.domain', 'search.items')
    if (names.length > 0) fruitful++
    // One of each search, where that is enough: two alike would confirm less.
    for (const name of names.slice(0, 1 + Math.max(0, DOMAINS_WANTED - fruitful))) found.add(name)
  }
  return [...found].slice(0, DOMAINS_WANTED)
}

function labelOf(domain: string): string {
  return domain.split('.')[0] ?? domain
}

/** Reads a list, then the first two things on it by their ids. */
async function readWithDetails(scout: Scout, list: EndpointId, id: RoleName, detail: EndpointId, param: string) {
  const seen = await scout.read(list)
  for (const one of valuesIn(scout, seen, id).slice(0, DOMAINS_WANTED))
    await scout.read(detail, { path: { [param]: one } })
}
