import type { EndpointId } from '../../contract/endpoints.ts'
import { paramName, paramValue, SPELLED_OUT } from '../context/params.ts'
import { pageNumber } from '../dialect/page-numbers.ts'
import { totalBeyond } from '../dialect/place.ts'
import { nextRoleOf, OPERATIONS } from '../format/step-facts.ts'
import { isAccepted } from '../http/exchange.ts'
import { isOpen } from '../result/open.ts'
import type { RedactedExchange } from '../result/result.ts'
import { OPEN_PARAMS, type OpenParam } from '../target/target-schema.ts'
import { type Finding, findingOf, type Sighting } from './discovery.ts'
import { countsMore } from './learn-cursors.ts'
import { acceptedOf, itemsIn, type Scout, type SeenRead, shownAt, valuesIn } from './scout.ts'

/** Operations whose parameters the document leaves open, by the area that a target file names them for. */
export const OPS_OF: Record<'orders' | 'reports', readonly EndpointId[]> = {
  orders: ['orders.list'],
  reports: [
    'me.sales',
    'me.clicks',
    'analytics',
    'me.commissions',
    'settlements.list',
    'transactions.list',
    'payouts.list',
    'links.list',
  ],
}

/** Enough to be sure of a name; of a name that none takes all are asked. */
const AGREEING = 2

/** However many orders there are, no more pages are read. */
const MOST_PAGES = 8

/** Reads on after the first page of orders and of transactions, for words that are only there. */
export async function readFurtherPages(scout: Scout, findings: readonly Finding[]): Promise<void> {
  await readOn(scout, findings, 'orders.list', 'orders')
  await readOn(scout, findings, 'transactions.list', 'reports')
}

async function readOn(
  scout: Scout,
  findings: readonly Finding[],
  op: 'orders.list' | 'transactions.list',
  area: 'orders' | 'reports',
): Promise<void> {
  const param = `${area}.cursor` as const
  const found = findings.find(({ path }) => path[2] === param)
  const { run } = scout
  const name = run.dialect.settings.params[param] ?? (found?.state === 'found' ? String(found.value) : null)
  let page = acceptedOf(scout, op).find(({ subject }) => subject === '')
  for (let read = 0; name !== null && page && read < MOST_PAGES; read++) {
    const next = run.dialect.find(nextRoleOf(op), page.answer)
    if (!next.found || next.value === '') return
    const cursor = await paramValue(scout.run, op, 'cursor', String(next.value))
    const seen = await scout.read(op, { query: [[name, cursor]] })
    page = isAccepted(seen.answer) ? { ...seen, answer: seen.answer } : undefined
  }
}

/** Tries plausible names of each parameter on lists that have something to filter. */
export async function learnParams(
  scout: Scout,
  log: readonly RedactedExchange[],
  known: readonly Finding[],
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const open of Object.keys(OPEN_PARAMS) as OpenParam[])
    findings.push(known.find(({ path }) => path[2] === open) ?? (await learnParam(scout, log, open)))
  return findings
}

async function learnParam(scout: Scout, log: readonly RedactedExchange[], open: OpenParam): Promise<Finding> {
  const [area, param] = open.split('.') as ['orders' | 'reports', string]
  const path = ['dialect', 'params', open] as const
  const told = scout.run.dialect.settings.params[open]
  if (told !== undefined) return findingOf(path, { told, sightings: [] })
  const filled = OPS_OF[area].filter(
    (op) => acceptedOf(scout, op).length > 0 && !SPELLED_OUT.includes(`${op}:${param}`),
  )
  const takenBy: EndpointId[] = []
  const sightings: Sighting[] = []
  for (const op of filled) {
    if (takenBy.length >= AGREEING) break
    const shown = await tryOn(scout, log, op, param)
    sightings.push(...shown)
    if (shown.length > 0) takenBy.push(op)
  }
  const severalNote = `one name cannot be right for all of ${takenBy.join(', ')}`
  return findingOf(path, { told, sightings, severalNote, nothing: nothingTaken(scout, filled, open) })
}

function nothingTaken(scout: Scout, asked: readonly EndpointId[], open: OpenParam): Pick<Finding, 'state' | 'note'> {
  const seen = asked.flatMap((op) => acceptedOf(scout, op))
  const enough = seen.some((one) => sizeOf(scout, one) >= AGREEING)
  if (!enough) return { state: 'not-seen', note: 'the lists are too short to see a filter or a page work' }
  if (open.endsWith('.cursor')) {
    const isNumbered = seen.some(({ answer }) => pageNumber(answer) !== null)
    if (isNumbered)
      return { state: 'not-seen', note: 'the pages of these lists have numbers, which a run follows by itself' }
    const beyond = seen.map(({ answer }) => totalBeyond(answer.json)).find((at) => at !== null)
    if (beyond) return { state: 'needs-dialect', note: countsMore(beyond) }
  }
  if (/^reports\.(cursor|limit)$/.test(open))
    return { state: 'not-seen', note: 'these lists come whole, as far as is seen' }
  return { state: 'needs-dialect', note: 'no plausible name has an effect: name it, if there is one' }
}

/** The name that an operation takes, as its effect shows it, and a second effect if there is one; none if no name is found. */
async function tryOn(
  scout: Scout,
  log: readonly RedactedExchange[],
  op: EndpointId,
  param: string,
): Promise<Sighting[]> {
  try {
    const name = await paramName(scout.run, op, param)
    const confirming = await confirm(scout, op, param, name)
    const first = { value: name, about: op, evidence: shownIn(log, op, name) }
    return confirming ? [first, { value: name, about: `${op} again`, evidence: confirming }] : [first]
  } catch (error) {
    if (isOpen(error, 'not_run', 'inconclusive')) return []
    throw error
  }
}

/** The last answer that a name with an effect got; null if the target itself has said the name. */
function shownIn(log: readonly RedactedExchange[], op: EndpointId, name: string): Finding['evidence'][number] | null {
  const { path, method } = OPERATIONS[op]
  const last = log.findLast(
    ({ scenario, target, status }) =>
      scenario === 'discovery' &&
      target.startsWith(`${path}?`) &&
      new URLSearchParams(target.split('?')[1]).has(name) &&
      status === 200,
  )
  return last ? { exchange: last.id, request: `${method} ${last.target}`, shows: `${name} has its effect` } : null
}

/** A second value, whose effect is another one: null if it had not that effect, or there is too little to see it. */
async function confirm(
  scout: Scout,
  op: EndpointId,
  param: string,
  name: string,
): Promise<Finding['evidence'][number] | null> {
  const whole = acceptedOf(scout, op)[0]
  const size = whole ? sizeOf(scout, whole) : 0
  if (param === 'limit') {
    if (size <= AGREEING) return null
    const seen = await scout.read(op, { query: [[name, String(AGREEING)]] })
    return sizeOf(scout, seen) === AGREEING ? shownAt(seen, '', `${AGREEING} items`) : null
  }
  if (param === 'domain') return confirmDomain(scout, op, name)
  if (param !== 'from' && param !== 'to') return null
  const value = await paramValue(
    scout.run,
    op,
    param,
    param === 'from' ? '1990-01-01T00:00:00Z' : '2999-01-01T00:00:00Z',
  )
  const seen = await scout.read(op, { query: [[name, value]] })
  return isAccepted(seen.answer) && size > 0 && sizeOf(scout, seen) >= size
    ? shownAt(seen, '', `all ${size} items`)
    : null
}

async function confirmDomain(scout: Scout, op: EndpointId, name: string): Promise<Finding['evidence'][number] | null> {
  const whole = acceptedOf(scout, op)[0]
  const [domain] = whole ? valuesIn(scout, whole, 'order.domain') : []
  if (domain === undefined) return null
  const seen = await scout.read(op, { query: [[name, domain]] })
  const left = valuesIn(scout, seen, 'order.domain')
  return left.length > 0 && left.every((one) => one === domain) ? shownAt(seen, '', `only ${domain}`) : null
}

function sizeOf(scout: Scout, seen: SeenRead): number {
  return itemsIn(scout, seen).length
}
