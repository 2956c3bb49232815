import { domainToASCII } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { wellFormed } from '../../../contract/canonical-string.ts'
import { CASE_TIERS } from '../../../contract/case-states.ts'
import { ENDPOINTS, type EndpointId } from '../../../contract/endpoints.ts'
import { DOCUMENT_STATES } from '../../../contract/order-states.ts'
import { grouped } from '../../../contract/words.ts'
import { atPath, places } from '../../http/json-body.ts'
import { ROLES, type RoleName } from '../roles.ts'
import { isUndone } from '../state-words.ts'
import { compare, shown } from '../values.ts'
import type { Item, MadeThing, RunCall, RunFacts } from './kind.ts'
import { keyOf } from './run-facts.ts'

// Rules of a whole run about the things that it has made: orders, cases and links.

/** What a rule has looked at: the exchange, and how it breaks the rule; null if it keeps it. */
export interface RuleCheck {
  readonly exchange: string
  readonly says: string | null
  /** The role that it rests on. */
  readonly at?: { readonly role: RoleName; readonly item: Item }
}

/** A thing in an accepted answer. */
interface ReadAgain {
  readonly made: MadeThing
  readonly call: RunCall
  readonly item: Item
}

/** What never changes of what an operation makes, and where it is read again. */
const KEPT: Partial<
  Record<EndpointId, { reads: Partial<Record<EndpointId, RoleName | null>>; roles: readonly RoleName[] }>
> = {
  'orders.create': {
    reads: { 'orders.detail': null, 'orders.list': 'orders.items' },
    roles: [
      'order.domain',
      'order.sale_price_cents',
      'order.currency',
      'order.quote_id',
      'order.external_payment_ref',
      'order.created_at',
    ],
  },
  'brokerage.create': {
    reads: { 'brokerage.detail': null, 'brokerage.list': 'cases.items' },
    roles: ['case.domain', 'case.tier', 'case.created_at'],
  },
  'links.create': {
    reads: { 'links.list': 'links.items' },
    roles: ['link.kind', 'link.domain', 'link.product', 'link.created_at'],
  },
}

/** Where what was made is read again, by its own partner, in the order of the calls. */
function sightings(run: RunFacts): ReadAgain[] {
  const reads = Object.entries(KEPT).flatMap(([by, { reads }]) =>
    Object.entries(reads).map(([op, list]) => ({ by: by as EndpointId, op: op as EndpointId, list })),
  )
  return reads.flatMap(({ by, op, list }) => {
    const { creates } = ENDPOINTS[by]
    const role = creates?.handles[0].role as RoleName
    return run.rows(op, list).flatMap(({ call, item }) => {
      const id = run.find(role, item)
      const thing = id.found ? run.made.get(keyOf(call, id.value)) : undefined
      // What was sent with something wrong in it may be kept otherwise.
      return thing && thing.op === by && thing.call.isValid ? [{ made: thing, call, item }] : []
    })
  })
}

/** What an order says of itself in an event, beside its status. */
export const TOLD = ['domain', 'sale_price_cents', 'currency'] as const

/** What was made says the same wherever it is read again, and an event says the same of an order. */
export function keepsFacts(run: RunFacts, of: readonly string[]): RuleCheck[] {
  const told = of.includes('events.list') ? eventsDiffering(run) : []
  const read = sightings(run).flatMap(({ made: { op, id, call: by, answer }, call, item }) =>
    (of.includes(String(call.op)) ? (KEPT[op]?.roles ?? []) : []).flatMap((role): RuleCheck[] => {
      const [before, now] = [run.find(role, answer), run.find(role, item)]
      if (!before.found || before.value === null) return []
      const isGone = (!now.found && now.why === 'absent') || (now.found && now.value === null)
      // The document names the fields that every order has; others an answer may leave out.
      if (isGone && !ROLES[role].documented) return []
      if (isGone) return [{ exchange: call.exchange, says: `${id} has no ${role}`, at: { role, item } }]
      if (!now.found) return []
      const is = `${role} of ${id} is ${shown(before.value)} in ${by.exchange} and ${shown(now.value)} here`
      const says = differ(role, before.value, now.value) ? is : null
      return [{ exchange: call.exchange, says, at: { role, item } }]
    }),
  )
  return [...told, ...read]
}

interface RowList {
  readonly list: RoleName
  /** Of a row. */
  readonly id: RoleName
  /** What stays. */
  readonly roles: readonly RoleName[]
  /** A row in which this changes is one that is added to, and may change in all else. */
  readonly sum?: RoleName
}

const PAYOUTS: RowList = {
  list: 'payouts.items',
  id: 'payout.id',
  roles: ['payout.date', 'payout.currency'],
  sum: 'payout.amount',
}

/** Lists whose rows were made by no call. */
const REPORTED: Partial<Record<EndpointId, RowList>> = {
  'transactions.list': {
    list: 'transactions.items',
    id: 'transaction.id',
    roles: ['transaction.domain', 'transaction.currency', 'transaction.created_at'],
  },
  'payouts.list': PAYOUTS,
  'me.payouts': PAYOUTS,
}

/**
 * A row of a report says something else each time it is read. One change may be a correction, or a payout that was only announced before;
 * a third value is neither.
 */
export function keepsRows(run: RunFacts, of: readonly string[]): RuleCheck[] {
  return (of as readonly EndpointId[]).flatMap((op) => {
    const report = REPORTED[op]
    return report === undefined ? [] : changingRows(run, op, report)
  })
}

function changingRows(run: RunFacts, op: EndpointId, report: RowList): RuleCheck[] {
  const values = new Map<string, unknown[]>()
  const rows = rowsById(run, op, report)
  const growing = keysWithSeveral(run, rows, report.sum)
  return rows
    .filter(({ id, call }) => !growing.has(keyOf(call, id)))
    .flatMap(({ id, call, item }) =>
      report.roles.flatMap((role): RuleCheck[] => {
        const now = run.find(role, item)
        if (!now.found || now.value === null || typeof now.value === 'object') return []
        const key = `${role} ${keyOf(call, id)}`
        const before = values.get(key) ?? []
        if (before.some((value) => !differ(role, value, now.value))) return []
        values.set(key, [...before, now.value])
        if (before.length < 2) return []
        const is = `${role} of ${id} is ${shown(now.value)}, after it was ${before.map(shown).join(' and ')}`
        return [{ exchange: call.exchange, says: is, at: { role, item } }]
      }),
    )
}

/** What names the rows that had several values of a role. */
function keysWithSeveral(
  run: RunFacts,
  rows: ReturnType<typeof rowsById>,
  role: RoleName | undefined,
): ReadonlySet<string> {
  const values = new Map<string, unknown>()
  const several = new Set<string>()
  for (const { id, call, item } of rows) {
    const found = role === undefined ? null : run.find(role, item)
    if (!found?.found) continue
    const key = keyOf(call, id)
    if (values.has(key) && !isDeepStrictEqual(values.get(key), found.value)) several.add(key)
    values.set(key, found.value)
  }
  return several
}

/** The rows of a report by their ids, where no answer to the caller has two rows with one id. */
function rowsById(run: RunFacts, op: EndpointId, { list, id }: RowList) {
  const named = run.rows(op, list).flatMap(({ call, item }) => {
    const found = run.find(id, item)
    return found.found && isTelling(String(found.value)) ? [{ id: String(found.value), call, item }] : []
  })
  const byAnswer = grouped(named, (row) => `${row.call.exchange} ${row.id}`)
  const doubled = new Set([...byAnswer.values()].flatMap(([row, another]) => (row && another ? [row.call.realm] : [])))
  return named.filter(({ call }) => !doubled.has(call.realm))
}

function differ(role: RoleName, one: unknown, other: unknown): boolean {
  if (!/\.(created_at|date)$/.test(role))
    return typeof one === 'string' && typeof other === 'string'
      ? plainly(role, one) !== plainly(role, other)
      : one !== other
  // A list may show the day alone.
  return (
    [one, other].every((at) => String(at).length > 'YYYY-MM-DD'.length) && Math.abs(compare(one, other)) >= SECOND_MS
  )
}

export const SECOND_MS = 1_000

function eventsDiffering(run: RunFacts): RuleCheck[] {
  const first = new Map<string, unknown>()
  return run.rows('events.list', 'events.items').flatMap(({ call, item: { json } }) => {
    const say = (says: string): RuleCheck[] => [{ exchange: call.exchange, says }]
    const [id, order] = [atPath(json, 'id'), atPath(json, 'data.order')]
    const key = keyOf(call, id)
    const data = atPath(json, 'data')
    if (first.has(key) && !isDeepStrictEqual(first.get(key), data))
      return say(`the data of event ${shown(id)} is not what it was before`)
    first.set(key, data)
    const recorded = run.made.get(keyOf(call, atPath(order, 'public_id')))
    const differing = TOLD.find((name) => {
      const before = recorded?.call.isValid ? run.find(`order.${name}`, recorded.answer) : undefined
      return before?.found && before.value !== atPath(order, name)
    })
    return differing
      ? say(`event ${shown(id)} has another ${differing} than ${recorded?.call.exchange}, which recorded the order`)
      : []
  })
}

/** No answer shows a thing that was made by another partner or in another environment, unless it was asked for. */
export function showsOwnOnly({ accepted, made }: RunFacts, of: readonly string[]): RuleCheck[] {
  const byId = new Map([...made.values()].map((thing) => [`${thing.call.world} ${thing.id}`, thing]))
  return accepted(of).flatMap(({ call, answer }) => {
    for (const { value } of places(answer.json)) {
      if (typeof value !== 'string' || !isTelling(value) || made.has(keyOf(call, value))) continue
      const other = byId.get(`${call.world} ${value}`)
      if (!other || asksFor(call, other.id)) continue
      return [
        { exchange: call.exchange, says: `${other.id}, which ${other.call.exchange} has made for another caller` },
      ]
    }
    return []
  })
}

/** Ids that are counted say nothing: each partner, environment and kind of thing may have its own count. */
const isTelling = (id: string): boolean => id.length >= 8 && !/^[a-z]*[-_]?\d+$/i.test(id)

function asksFor({ target, body }: RunCall, id: string): boolean {
  return target.includes(encodeURIComponent(wellFormed(id))) || body.includes(id)
}

/** What a transaction repeats of its order. */
const OF_ORDER = [
  ['transaction.domain', 'order.domain'],
  ['transaction.currency', 'order.currency'],
  ['transaction.amount', 'order.sale_price_cents'],
] as const

/** A transaction of an order of the run says what the order says; in which letters currencies are is for the target to choose, once. */
export function transactionsOfOrders(run: RunFacts): RuleCheck[] {
  const rows = run.rows('transactions.list', 'transactions.items')
  const currencies = rows.flatMap(({ item }) => {
    const currency = run.find('transaction.currency', item)
    return currency.found ? [String(currency.value)] : []
  })
  const isOneWay = [false, true].some((isSmall) => currencies.every((one) => isSmall === (one === one.toLowerCase())))
  return rows.flatMap(({ call, item }) => {
    const about = run.find('transaction.order', item)
    const made = about.found ? run.made.get(keyOf(call, about.value)) : undefined
    if (made?.op !== 'orders.create') return []
    return OF_ORDER.flatMap(([role, ofOrder]): RuleCheck[] => {
      const [told, was] = [run.find(role, item), run.find(ofOrder, made.answer)]
      if (!told.found || !was.found || told.value === null || typeof told.value === 'object') return []
      // What was undone may count zero, or be taken back.
      if (Number(told.value) <= 0) return []
      const isSame =
        typeof was.value === 'number'
          ? [was.value, was.value / 100].includes(Number(told.value))
          : role === 'transaction.currency' && isOneWay
            ? String(told.value).toLowerCase() === String(was.value).toLowerCase()
            : plainly(role, String(told.value)) === plainly(role, String(was.value))
      const says = `${role} of ${made.id} is ${shown(told.value)}, and its order has ${shown(was.value)}`
      return [{ exchange: call.exchange, says: isSame ? null : says, at: { role, item } }]
    })
  })
}

/** What an answer repeats of the call: a role of it, and a field of the body, a parameter, or the end of the path. */
const REPEATED: Partial<Record<EndpointId, readonly (readonly [role: RoleName, from: string])[]>> = {
  'domains.detail': [['listing.domain', '/']],
  availability: [['listing.domain', '?domain']],
  pricing: [['listing.domain', '?domain']],
  'brokerage.eligibility': [['eligibility.domain', '?domain']],
  'orders.detail': [['order.public_id', '/']],
  'brokerage.detail': [['case.id', '/']],
  'orders.create': [
    ['order.domain', 'domain'],
    ['order.currency', 'currency'],
    ['order.quote_id', 'quote_id'],
    ['order.external_payment_ref', 'external_payment_ref'],
  ],
  'brokerage.create': [['case.tier', 'tier']],
  'webhooks.put': [['webhook.url', 'url']],
}

/** An accepted answer is about what was asked for, and repeats what was sent. */
export function repeatsWhatWasSent(run: RunFacts, of: readonly string[]): RuleCheck[] {
  return run.accepted(of).flatMap(({ call, answer }) => {
    if (!call.isValid) return []
    return (REPEATED[call.op as EndpointId] ?? []).flatMap(([role, from]): RuleCheck[] => {
      const [sent, found] = [run.sent(call, from), run.find(role, answer)]
      if (typeof sent !== 'string' || !found.found || typeof found.value !== 'string') return []
      const [asked, told] = [plainly(role, sent), plainly(role, found.value)]
      // Another word than the document's is a server's own for one of its tiers.
      const isOwn = role === 'case.tier' && !CASE_TIERS.some((tier) => plainly(role, tier) === told)
      // Nor is it said that a currency is in capitals.
      const isSame = role === 'order.currency' ? asked.toLowerCase() === told.toLowerCase() : asked === told || isOwn
      const says = isSame ? null : `${role} is ${shown(found.value)} where ${shown(sent)} was sent`
      return [{ exchange: call.exchange, says, at: { role, item: answer } }]
    })
  })
}

/** A refund is of no other order of the run than the one that it was asked for, whatever the field is called that names it. */
export function refundsWhatWasSent(run: RunFacts): RuleCheck[] {
  return run.accepted(['refunds.create']).flatMap(({ call, answer }): RuleCheck[] => {
    const found = run.find('refund.order', answer)
    const order = found.found ? run.made.get(keyOf(call, found.value)) : undefined
    if (order?.op !== 'orders.create') return []
    const says = asksFor(call, order.id) ? null : `refund.order is ${shown(order.id)}, which was not asked for`
    return [{ exchange: call.exchange, says, at: { role: 'refund.order', item: answer } }]
  })
}

/** Names are alike in any case and in both forms of an international one; so are letters, composed or not, and the words for a tier. */
export function plainly(role: RoleName, text: string): string {
  if (role.endsWith('.domain')) return domainToASCII(text.trim().replace(/\.$/, '')) || text.toLowerCase()
  if (role.endsWith('.url')) return URL.canParse(text) ? new URL(text).href : text
  if (role.endsWith('.tier')) return text.toLowerCase().replace(/[-_ ]/g, '')
  return role.endsWith('email') ? text.toLowerCase() : text.normalize('NFC').trim()
}

/** The document's states, which follow each other; those behind them are ours. */
const CHAIN: readonly string[] = DOCUMENT_STATES

/** A delivered order is not on its way again; before that, a review may set it back. */
const DELIVERED = 2

/**
 * Nothing that was read of an order or a case is gone when it is read again. One of several stores may lag behind: what is as it was
 * before proves nothing.
 */
export function goesForward(run: RunFacts, of: readonly string[]): RuleCheck[] {
  const readings = new Map<string, ReadAgain[]>()
  for (const sighting of sightings(run)) {
    const { made, call } = sighting
    const key = `${call.op} ${keyOf(call, made.id)}`
    const earlier = readings.get(key) ?? []
    // Of calls that were under way at once it is not known which was answered first.
    const isLater = call.sentAtMs > (earlier.at(-1)?.call.answeredAtMs ?? 0)
    if (of.includes(String(call.op)) && isLater) readings.set(key, [...earlier, sighting])
  }
  return [...readings.values()].flatMap((all) => {
    const noun = all[0]?.made.op === 'orders.create' ? 'order' : 'case'
    return all.map((sighting, at): RuleCheck => {
      const { made, call, item } = sighting
      const before = all.slice(0, at)
      const isLate = before.some((earlier) => isEarlierPart(run, noun, item, earlier.item))
      const backs = isLate ? [] : before.flatMap((earlier) => setBack(run, noun, earlier.item, item) ?? [])
      const back = doubled(run, noun, item) ?? backs[0]
      const says = back === undefined ? null : `${made.id}, which was read before, ${back}`
      return { exchange: call.exchange, says, at: { role: `${noun}.timeline`, item } }
    })
  })
}

/** Whether a timeline is one that was read before, without its newest entries. */
function isEarlierPart(run: Pick<RunFacts, 'find'>, noun: 'order' | 'case', now: Item, before: Item): boolean {
  const [entries, all] = [entriesOf(run, noun, now), entriesOf(run, noun, before)]
  const { length } = entries
  return [all.slice(0, length), all.slice(all.length - length)].some((part) => isDeepStrictEqual(part, entries))
}

function doubled(run: Pick<RunFacts, 'find'>, noun: 'order' | 'case', item: Item): string | null {
  const entries = entriesOf(run, noun, item)
  const twice = entries.find((entry, index) => entry === entries[index + 1])
  return twice === undefined ? null : `has the entry ${twice} of its timeline twice in a row`
}

function setBack(run: Pick<RunFacts, 'find'>, noun: 'order' | 'case', before: Item, now: Item): string | null {
  const [was, is] = [before, now].map((item) => {
    const status = run.find(`${noun}.status`, item)
    return status.found ? String(status.value) : null
  })
  if (was === null || is === null || was === undefined || is === undefined) return null
  const [from, to] = [CHAIN.indexOf(was), CHAIN.indexOf(is)]
  if (to !== -1 && (isUndone(was) || (from >= DELIVERED && to < from))) return `is ${is} after it was ${was}`
  const [earlier, later] = [timelineOf(run, noun, before), timelineOf(run, noun, now)]
  if (earlier === null || later === null) return null
  const lost = earlier.find((entry) => !later.includes(entry))
  return lost === undefined ? null : `has lost the entry ${lost} of its timeline`
}

/** The entries of a timeline, all that is in them. */
function entriesOf(run: Pick<RunFacts, 'find'>, noun: 'order' | 'case', item: Item): string[] {
  const found = run.find(`${noun}.timeline`, item)
  return found.found && Array.isArray(found.value) ? found.value.map((entry) => JSON.stringify(entry)) : []
}

/** What the entries of a timeline say, without what else a service may write into them. */
function timelineOf(run: Pick<RunFacts, 'find'>, noun: 'order' | 'case', item: Item): string[] | null {
  const found = run.find(`${noun}.timeline`, item)
  if (!found.found || !Array.isArray(found.value)) return null
  const entries = found.value.map((json: unknown) => {
    const parts = (['timeline.status', 'timeline.at'] as const).map((role) => run.find(role, { json, op: item.op }))
    return parts.every((part) => part.found)
      ? parts.map((part) => (part.found ? shown(part.value) : '')).join(' ')
      : null
  })
  return entries.every((entry) => entry !== null) ? entries : null
}
