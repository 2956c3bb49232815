import type { EndpointId } from '../../contract/endpoints.ts'
import { isErrorCode } from '../../contract/errors.ts'
import { canBeBrokered, priced } from '../context/domain-source.ts'
import { eventValue } from '../context/event-history.ts'
import { createCaller, exchangesOf, type HistoryEvent, type Lease, type Run, type ScenarioRun } from '../context/run.ts'
import { converse } from '../context/send-call.ts'
import type { LoadedScenario, Scenario } from '../format/scenario.ts'
import { callOf, runsAlone } from '../format/step-facts.ts'
import { instantMs } from '../format/values.ts'
import { type Answer, isAccepted, isRefused } from '../http/exchange.ts'
import { callTo } from '../signing/sign-call.ts'
import { readOrder } from '../steps/moved-alone.ts'

/** Why what others do may explain what a scenario saw. */
export interface Doubt {
  readonly why: string
  /**
   * For this domain: another one shows what the target does. For any domain: a failure with every one that is tried decides nothing.
   * As a guess: the target may be the cause as well, so that a pass with another domain does not undo the failure. As a bare guess:
   * nothing but the failure itself speaks for it, so that it takes another try that passes.
   */
  readonly holds: 'for this domain' | 'for any domain' | 'as a guess' | 'as a bare guess'
}

/**
 * Whether others may have caused what a scenario saw: an earlier run, another run at the same time with the same credentials, or any
 * other client. They reserve, buy or reprice a domain that a search or the target file named.
 *
 * @param since what others had done before the scenario was first tried.
 */
export async function doubtOfOthers(
  scenarioRun: ScenarioRun,
  isFailed: boolean,
  since: OthersSoFar,
): Promise<Doubt | null> {
  const sales = salesOf(scenarioRun)
  const reserved = await reservedByOthers(scenarioRun, sales, isFailed)
  // Of what passed, only a domain that others have reserved can be in doubt.
  if (reserved || !isFailed) return reserved
  const changed = await changeOfListed(scenarioRun)
  if (changed || (scenarioRun.leases.length === 0 && !runsAlone(scenarioRun.scenario))) return changed
  const orders = await ordersOfOthers(scenarioRun)
  return (
    (await soldMeanwhile(scenarioRun, orders, since)) ??
    (await clickedMeanwhile(scenarioRun, since)) ??
    (await boughtByOthers(scenarioRun, sales, orders)) ??
    (await changeOfLeases(scenarioRun, sales))
  )
}

/** What a scenario has asked for domains that a search or the target file named. */
interface Sales {
  readonly leases: readonly Lease[]
  /** What was answered to asking for a domain, and for which; undefined for another one. */
  readonly writes: readonly { op: EndpointId | null; by: string; answer: Answer; lease: Lease | undefined }[]
  /** Those that something was accepted for. */
  readonly taken: ReadonlySet<Lease | undefined>
}

function salesOf(scenarioRun: ScenarioRun): Sales {
  // Only the runner knows what it has made at a sandbox of ours.
  const leases = scenarioRun.leases.filter(({ listed }) => listed !== undefined)
  const writes = exchangesOf(scenarioRun).flatMap(({ call: { op, credential, body, invalid }, answer }) => {
    if (!SALES.some((one) => one === op) || invalid || !answer) return []
    const text = Buffer.from(body ?? []).toString()
    return [{ op, by: credential.name, answer, lease: leases.find(({ domain }) => text.includes(`"${domain}"`)) }]
  })
  const taken = new Set(writes.flatMap(({ answer, lease }) => (isAccepted(answer) ? [lease] : [])))
  return { leases, writes, taken }
}

/**
 * Whether an earlier run may have reserved a domain, which no read shows: another partner cannot have such a domain whatever happened
 * to it before, and main cannot where nothing for it was accepted at all.
 */
async function reservedByOthers(scenarioRun: ScenarioRun, sales: Sales, isFailed: boolean): Promise<Doubt | null> {
  const { run } = scenarioRun
  const { leases, writes, taken } = sales
  const { partner } = run.credentials.main
  const others = run.target.credentials.flatMap((each) => (each.partner === partner ? [] : [each.name]))
  const refused = writes.find(({ by, op, answer, lease }) =>
    leases.length > 0 && others.includes(by)
      ? op !== 'brokerage.create' && CONFLICTS.includes(answer.status)
      : lease !== undefined && !taken.has(lease) && isConflict(run, answer),
  )
  if (!refused) return null
  const bought = isFailed ? await boughtByOthers(scenarioRun, sales, await ordersOfOthers(scenarioRun)) : null
  if (bought?.holds === 'for any domain') return bought
  const came = [refused.answer.status, run.dialect.codeOf(refused.answer)].filter(Boolean).join(' ')
  return {
    why: `${refused.op} was answered ${came}: an earlier run may have reserved the domain`,
    holds: 'for this domain',
  }
}

/** Whether another client of this partner has sold something that counts in what the scenario saw. */
async function soldMeanwhile(
  scenarioRun: ScenarioRun,
  orders: readonly HistoryEvent[],
  since: OthersSoFar,
): Promise<Doubt | null> {
  const { run, scenario, past } = scenarioRun
  const latest = await latestOfOthers(scenarioRun, orders)
  if (latest === null) return null
  // Who sells beside the run, as another run does, calls as well, and a limit that an operator has set is soon used up.
  if (scenario.steps.some(({ operator }) => operator?.rate_limit !== undefined))
    return {
      why: `another client of this partner, which sold ${domainOf(latest)}, may have used the limit up`,
      holds: 'for any domain',
    }
  const isMeanwhile = latest.position >= since.events
  if (!isMeanwhile && past.size === 0) return null
  // What a list had before this run is no longer all that others have made.
  run.past.clear()
  const why = `another client of this partner sold ${domainOf(latest)} meanwhile; run this scenario again while no other client sells`
  // With other domains, what the account has all in all is still changed by their sales.
  return { why, holds: isMeanwhile && runsAlone(scenario) ? 'for any domain' : 'for this domain' }
}

/** Whether another client has followed links that the scenario counts. */
async function clickedMeanwhile(scenarioRun: ScenarioRun, since: OthersSoFar): Promise<Doubt | null> {
  const { run, scenario } = scenarioRun
  if (!runsAlone(scenario) || !countsClicks(run, scenario)) return null
  const clicks = await clicksOfOthers(run, scenarioRun)
  if (clicks !== null && since.clicks !== null && clicks > since.clicks)
    return { why: 'another client has followed links meanwhile', holds: 'for any domain' }
  // A list that is long or late does not show it.
  return { why: 'another client may have followed a link meanwhile', holds: 'as a bare guess' }
}

/** How a domain of the scenario is no longer what it was when it was chosen. */
async function changeOfLeases(scenarioRun: ScenarioRun, { leases, writes, taken }: Sales): Promise<Doubt | null> {
  const { run, scenario } = scenarioRun
  const isBrokered = scenario.steps.some((step) => callOf(step)?.op?.startsWith('brokerage.'))
  let moved: Doubt | null = null
  for (const lease of leases) {
    if (!movesPrices(scenario) && isSoldAtAnother(scenarioRun, lease))
      moved = { why: `the price of ${lease.domain} may have moved to what it was sold at`, holds: 'as a bare guess' }
    const priceRefused = isPriceRefused(run, writes, lease)
    // A quote does not keep what is read from moving, so a domain that was quoted is read again as well.
    if (taken.has(lease) && !priceRefused) continue
    const now = await priced(scenarioRun, lease.domain).catch(() => null)
    if (now !== null && now.price !== lease.price && priceRefused)
      // Prices that move may do so with every domain that is tried; one that the scenario moves is its own doing.
      return {
        why: 'the price of the domain is another one by now',
        holds: movesPrices(scenario) ? 'for this domain' : 'for any domain',
      }
    if (taken.has(lease)) continue
    if (now === null)
      return { why: `${lease.domain} is no longer for sale, and this scenario has not bought it`, holds: 'as a guess' }
    if (isBrokered && !(await canBeBrokered(scenarioRun, lease.domain)))
      return {
        why: `${lease.domain} can be brokered no more, and this scenario has opened no case for it`,
        holds: 'as a guess',
      }
  }
  return moved
}

/** How the listed domain that scenarios only read has changed since it was chosen. Another takes its place. */
async function changeOfListed(scenarioRun: ScenarioRun): Promise<Doubt | null> {
  const lease = scenarioRun.known.get('listed') as Lease | undefined
  if (lease?.listed === undefined) return null
  const now = await priced(scenarioRun, lease.domain).catch(() => null)
  if (now?.price === lease.price) return null
  scenarioRun.run.fixtures.forgetListed()
  return now === null
    ? { why: 'others may have bought the domain that this scenario reads', holds: 'as a guess' }
    : { why: 'the price of the domain that this scenario reads is another one by now', holds: 'as a guess' }
}

/** Whether others have bought a domain of the scenario; a guess where its order does not show who did. */
async function boughtByOthers(
  scenarioRun: ScenarioRun,
  { leases, writes }: Sales,
  orders: readonly HistoryEvent[],
): Promise<Doubt | null> {
  // What a buyer pays at a page becomes an order whose id the run does not know.
  const paid = new Set(writes.flatMap(({ op, lease }) => (op === 'orders.create' ? [] : [lease])))
  for (const lease of leases) {
    const ids = orders.flatMap((event) => (domainOf(event) === lease.domain.toLowerCase() ? [orderOf(event)] : []))
    if (new Set(ids).size <= (paid.has(lease) ? 1 : 0)) continue
    const buyers = await Promise.all(ids.map((id) => buyerOf(scenarioRun, id)))
    if (buyers.every((buyer) => buyer === 'this run')) continue
    const why = `others have bought ${lease.domain} with the same credentials`
    // They may be as quick with every other domain that is tried.
    return buyers.includes('others') ? { why, holds: 'for any domain' } : { why, holds: 'as a guess' }
  }
  return null
}

/** The orders after the first one of this run that no call of it has made, by a new reading of the history of main. */
async function ordersOfOthers(scenarioRun: ScenarioRun): Promise<readonly HistoryEvent[]> {
  const { run } = scenarioRun
  const history = run.historyOf(run.credentials.main)
  // A history that cannot be read is for the scenarios about it to find out.
  await history.refresh(scenarioRun).catch(() => undefined)
  const created = [...run.created, ...(run.copiedFrom?.created ?? [])]
  const own = new Set(created.flatMap(({ kind, id }) => (kind === 'order' ? [id] : [])))
  const recorded = history.since(0).filter(({ type }) => type === 'order.recorded')
  // An earlier run may have moved the time of the target: its records are compared with each other only.
  const fromMs = Math.min(...recorded.flatMap((event) => (own.has(orderOf(event)) ? [timeOf(event)] : [])))
  return recorded.filter(
    (event) => timeOf(event) >= fromMs && orderOf(event) !== '' && domainOf(event) !== '' && !own.has(orderOf(event)),
  )
}

function timeOf(event: HistoryEvent): number {
  const at = eventValue(event, 'created_at')
  return typeof at === 'number' ? at : instantMs(String(at))
}

/** The latest order that another client has surely made: of a domain that no write of this run names, or with another reference. */
async function latestOfOthers(scenarioRun: ScenarioRun, orders: readonly HistoryEvent[]): Promise<HistoryEvent | null> {
  const strange = orders.findLast((event) => !scenarioRun.run.named.has(domainOf(event)))
  if (strange) return strange
  const latest = orders.at(-1)
  return latest && (await buyerOf(scenarioRun, orderOf(latest))) === 'others' ? latest : null
}

/** Who bought, by the reference that the order has. What its own partner cannot read, no other client of that partner has made. */
async function buyerOf(scenarioRun: ScenarioRun, id: string): Promise<'this run' | 'others' | 'unknown'> {
  const { run } = scenarioRun
  const answer = await readOrder(scenarioRun, id, run.credentials.main)
  if (isRefused(answer)) return 'this run'
  const ref = isAccepted(answer) ? run.dialect.find('order.external_payment_ref', answer) : null
  if (!ref?.found || ref.value === null) return 'unknown'
  return String(ref.value).includes(run.runId) ? 'this run' : 'others'
}

function orderOf(event: HistoryEvent): string {
  return String(eventValue(event, 'data.order.public_id') ?? '')
}

function domainOf(event: HistoryEvent): string {
  return String(eventValue(event, 'data.order.domain') ?? '').toLowerCase()
}

function isPriceRefused(run: Run, writes: readonly { answer: Answer; lease: Lease | undefined }[], of: Lease): boolean {
  return writes.some(
    ({ answer, lease }) => lease === of && answer.status === 422 && run.dialect.codeOf(answer) === 'price_mismatch',
  )
}

/**
 * Whether an order was accepted at another price than the domain had when it was chosen, be it one that should have been refused. A
 * quote has a price of its own.
 */
function isSoldAtAnother(scenarioRun: ScenarioRun, { domain, price }: Lease): boolean {
  return exchangesOf(scenarioRun).some(({ call: { op, body }, answer }) => {
    const text = Buffer.from(body ?? []).toString()
    if (op !== 'orders.create' || !isAccepted(answer) || !text.includes(`"${domain}"`)) return false
    if (text.includes('"quote_id"')) return false
    const soldAt = scenarioRun.run.dialect.find('order.sale_price_cents', answer)
    return soldAt.found && soldAt.value !== price
  })
}

function movesPrices({ steps }: Scenario): boolean {
  return steps.some(({ operator }) => operator?.set_price !== undefined)
}

/** Whether a sound order may be refused so for its domain. 422 is for other faults as well, which its code names. */
function isConflict(run: Run, answer: Answer): boolean {
  if (answer.status !== 422) return CONFLICTS.includes(answer.status)
  const code = run.dialect.codeOf(answer)
  return code === 'conflict' || code === 'not_found' || !isErrorCode(code)
}

/** What a domain is asked for by. */
const SALES = ['orders.create', 'quotes.create', 'checkout.create', 'brokerage.create'] as const

/** What was seen of others before a scenario was first tried. */
export interface OthersSoFar {
  /** How many events of the history of main were known. */
  readonly events: number
  /** How often links were followed that no call of this run has made; null where that is of no matter, or cannot be read. */
  readonly clicks: number | null
}

/** Whether what a scenario counts may have grown by the clicks of others: any client follows links. */
function countsClicks({ copiedFrom }: Run, { steps }: Scenario): boolean {
  return copiedFrom === null && steps.some((step) => COUNTS_CLICKS.has(callOf(step)?.op ?? ''))
}

/** What {@link OthersSoFar} holds of clicks, by the first page of the links of main and of another partner. */
export async function clicksOfOthers(
  run: Run,
  { id: scenarioId, scenario }: Pick<LoadedScenario, 'id' | 'scenario'>,
): Promise<number | null> {
  if (!countsClicks(run, scenario)) return null
  const own = new Set(run.created.flatMap(({ kind, id }) => (kind === 'link' ? [id] : [])))
  const caller = createCaller(run, scenarioId, 'links_')
  const { main } = run.credentials
  const theirs = run.target.credentials.find(
    ({ partner, scopes }) => partner !== main.partner && (scopes?.includes('refer') ?? true),
  )
  let clicks: number | null = null
  for (const credential of theirs ? [main, theirs] : [main]) {
    const { answer } = await converse(caller, callTo('links.list', credential)).catch(() => ({ answer: null }))
    const links = answer && run.dialect.find<readonly unknown[]>('links.items', answer)
    for (const json of links?.found ? links.value : []) {
      const [id, count] = (['link.id', 'link.clicks'] as const).map((role) =>
        run.dialect.find(role, { json, op: 'links.list' }),
      )
      if (id?.found && count?.found && !own.has(String(id.value))) clicks = (clicks ?? 0) + Number(count.value)
    }
    if (links?.found) clicks ??= 0
  }
  return clicks
}

const COUNTS_CLICKS = new Set<string>(['me.clicks', 'analytics'])

/** How a target may refuse a domain that is reserved or sold. */
const CONFLICTS = [409, 410, 422, 423]
