import { wellFormed } from '../../contract/canonical-string.ts'
import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoint-ids.ts'
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { FIRST_WORDS, labelOf, partsOf, soldNames } from '../context/domain-source.ts'
import { type Caller, createCaller, type Run } from '../context/run.ts'
import { converse } from '../context/send-call.ts'
import type { RoleName } from '../format/roles.ts'
import { OPERATIONS } from '../format/step-facts.ts'
import { type Answer, isAccepted } from '../http/exchange.ts'
import { callTo } from '../signing/sign-call.ts'
import type { Finding } from './discovery.ts'

/** A read that was made, with what came back. */
export interface SeenRead {
  readonly op: EndpointId
  /** Null where the request had none. */
  readonly sent?: unknown
  /** What it was about, so that a second one about something else confirms it. */
  readonly subject: string
  readonly answer: Answer | null
  readonly exchange: string
  readonly request: string
}

/** Makes reads, and nothing but reads. */
export interface Scout {
  readonly run: Run
  readonly caller: Caller
  readonly seen: readonly SeenRead[]
  /** Adds what was seen elsewhere. */
  add(seen: readonly SeenRead[]): void
  /** @throws RangeError for an operation that changes anything. */
  read(
    op: EndpointId,
    about?: { path?: Record<string, string>; query?: readonly (readonly [string, string])[] },
  ): Promise<SeenRead>
}

export function createScout(run: Run): Scout {
  const caller = createCaller(run, 'discover', 'r')
  const seen: SeenRead[] = []
  return {
    run,
    caller,
    seen,
    add: (more) => void seen.push(...more),
    async read(op, { path: values = {}, query = [] } = {}) {
      const { method, path, effect } = OPERATIONS[op]
      if (effect !== 'read' || method !== 'GET') throw new RangeError(`${op} is not a read`)
      const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) =>
        encodeURIComponent(wellFormed(values[name] ?? '')),
      )
      const call = { ...callTo(op, run.credentials.main, query), path: filled }
      const exchange = await converse(caller, call)
      const request = `${method} ${exchange.request.target}`
      const subject = [...Object.values(values), ...query.map(([, value]) => value)].join(' ')
      const one: SeenRead = { op, subject, answer: exchange.answer, exchange: exchange.id, request }
      seen.push(one)
      return one
    },
  }
}

/** What an answer shows at a place, as evidence. */
export function shownAt({ exchange, request }: SeenRead, at: string, value: unknown): Finding['evidence'][number] {
  const text = Array.isArray(value) ? `a list of ${value.length}` : (JSON.stringify(value) ?? 'nothing')
  const short = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
  return { exchange, request, shows: `${at || 'the whole body'} = ${short}` }
}

const SHOWN_CHARACTERS = 60

/** How an answer refused, in words. */
export function refusalIn({ run }: Scout, { answer }: SeenRead): string {
  if (!answer) return 'the connection broke'
  return `${answer.status} ${run.dialect.codeOf(answer) ?? ''}`.trim()
}

/** The entries of the list that an operation answers with. */
export function itemsIn({ run }: Scout, { answer }: Pick<SeenRead, 'answer'>, list?: RoleName): readonly unknown[] {
  return isAccepted(answer) ? run.dialect.entriesOf(answer, list) : []
}

/** The values of a role in each entry of such a list, if they are strings. */
export function valuesIn(scout: Scout, seen: SeenRead, role: RoleName, list?: RoleName): string[] {
  return itemsIn(scout, seen, list).flatMap((json) => {
    const found = scout.run.dialect.find(role, { json, op: seen.op })
    return found.found && typeof found.value === 'string' ? [found.value] : []
  })
}

/** The reads of an operation that were answered correctly. */
export function acceptedOf(scout: Scout, op: EndpointId): (SeenRead & { answer: Answer })[] {
  return scout.seen.filter((one): one is SeenRead & { answer: Answer } => one.op === op && isAccepted(one.answer))
}

/** Reads that ask for nothing in particular; the lists of orders and cases are read with the details of some. */
const LISTS = ENDPOINT_IDS.filter((id) => {
  const { effect, inScenario, timeline } = ENDPOINTS[id]
  return effect === 'read' && inScenario === null && timeline === null
})

/** Makes one round of every read, about two of each thing where there are two. */
export async function readEverything(scout: Scout): Promise<void> {
  const domains = await listedDomains(scout)
  const missing = scout.run.fixtures.unlisted()
  for (const domain of domains) {
    await scout.read('domains.detail', { path: { name: domain } })
    await scout.read('pricing', { query: [['domain', domain]] })
    await scout.read('availability', { query: [['domain', domain]] })
    await scout.read('brokerage.eligibility', { query: [['domain', domain]] })
  }
  // Errors that no correct target gets around, in two different places.
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
  const { fixtures } = scout.run.target
  const known = [...fixtures.listed, ...fixtures.sellable]
  const found = new Set(known.slice(0, DOMAINS_WANTED))
  const words = [...(fixtures.topic ? [fixtures.topic.query] : []), ...known.map(labelOf), ...FIRST_WORDS]
  await searchFor(scout, words.slice(0, MAX_WORDS), found)
  if (found.size === 0) {
    const parts = (await soldNames(scout.caller)).flatMap(partsOf)
    await searchFor(scout, [...new Set(parts)].slice(0, MAX_WORDS), found)
  }
  return [...found].slice(0, DOMAINS_WANTED)
}

/** Searches until there are enough domains. @param found where they go. */
async function searchFor(scout: Scout, words: readonly string[], found: Set<string>): Promise<void> {
  let fruitful = 0
  for (const word of words) {
    if (found.size >= DOMAINS_WANTED && fruitful >= DOMAINS_WANTED) break
    const seen = await scout.read('domains.search', { query: [['q', word]] })
    if (!isAccepted(seen.answer)) break
    const names = valuesIn(scout, seen, 'search.domain', 'search.items')
    if (names.length > 0) fruitful++
    // One of each search, where that is enough: two alike would confirm less.
    for (const name of names.slice(0, 1 + Math.max(0, DOMAINS_WANTED - fruitful))) found.add(name)
  }
}

/** Reads a list, then the first two things on it by their ids. */
async function readWithDetails(scout: Scout, list: EndpointId, id: RoleName, detail: EndpointId, param: string) {
  const seen = await scout.read(list)
  for (const one of valuesIn(scout, seen, id).slice(0, DOMAINS_WANTED))
    await scout.read(detail, { path: { [param]: one } })
}
