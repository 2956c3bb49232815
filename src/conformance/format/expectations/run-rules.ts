import { domainToASCII } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import type { EndpointId } from '../../../contract/endpoints.ts'
import { EVENT_TYPES } from '../../../contract/event-types.ts'
import { headerIn } from '../../../contract/headers.ts'
import { isAccepted, isRefused } from '../../http/exchange.ts'
import { atPath, isObject, parseJson, places } from '../../http/json-body.ts'
import { ROLES, type RoleName } from '../roles.ts'
import { compare, shown } from '../values.ts'
import { type Check, failure, unproven } from './check.ts'
import type { AnswerSeen, Item, RunCall } from './kind.ts'
import {
  accepted,
  type Judged,
  KEPT,
  type Made,
  madeIn,
  type ReadAgain,
  type RunRule,
  rowsOf,
  type Seen,
  sentIn,
  sightings,
} from './run-calls.ts'

// Rules that every call of a run has to keep, whichever scenario made it.

/** What an order says of itself in an event, beside its status. */
const TOLD = ['domain', 'sale_price_cents', 'currency'] as const

/** What was made says the same wherever it is read again, and an event says the same of an order. */
function keepsFacts(seen: Seen, calls: readonly RunCall[], of: readonly string[]): Judged[] {
  const made = madeIn(seen, calls)
  const told = of.includes('events.list') ? eventsDiffering(seen, calls, made) : []
  const read = sightings(seen, calls, made).flatMap(({ made: { op, id, call: by, answer }, call, item }) =>
    (of.includes(String(call.op)) ? (KEPT[op]?.roles ?? []) : []).flatMap((role): Judged[] => {
      const [before, now] = [seen.find(role, answer), seen.find(role, item)]
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

function differ(role: RoleName, one: unknown, other: unknown): boolean {
  if (!role.endsWith('.created_at'))
    return typeof one === 'string' && typeof other === 'string'
      ? plainly(role, one) !== plainly(role, other)
      : one !== other
  // A list may show the day alone.
  return (
    [one, other].every((at) => String(at).length > 'YYYY-MM-DD'.length) && Math.abs(compare(one, other)) >= SECOND_MS
  )
}

const SECOND_MS = 1_000

function eventsDiffering(seen: Seen, calls: readonly RunCall[], made: ReadonlyMap<string, Made>): Judged[] {
  const first = new Map<string, unknown>()
  return rowsOf(seen, calls, 'events.list', 'events.items').flatMap(({ call, item: { json } }) => {
    const say = (says: string): Judged[] => [{ exchange: call.exchange, says }]
    const [id, order] = [atPath(json, 'id'), atPath(json, 'data.order')]
    const key = `${call.world} ${String(id)}`
    const data = atPath(json, 'data')
    if (first.has(key) && !isDeepStrictEqual(first.get(key), data))
      return say(`the data of event ${shown(id)} is not what it was before`)
    first.set(key, data)
    const recorded = made.get(`${call.world} ${String(atPath(order, 'public_id'))}`)
    const differing = TOLD.find((name) => {
      const before = recorded && seen.find(`order.${name}`, recorded.answer)
      return before?.found && before.value !== atPath(order, name)
    })
    return differing
      ? say(`event ${shown(id)} has another ${differing} than ${recorded?.call.exchange}, which recorded the order`)
      : []
  })
}

/** No answer shows a thing that was made by another partner or in another environment, unless it was asked for. */
function showsOwnOnly(seen: Seen, calls: readonly RunCall[], of: readonly string[]): Judged[] {
  const made = madeIn(seen, calls)
  return accepted(calls, of).flatMap(({ call, answer }) => {
    for (const { value } of places(answer.json)) {
      const other = typeof value === 'string' && isTelling(value) ? made.get(`${call.world} ${value}`) : undefined
      if (!other || other.call.realm === call.realm || asksFor(call, other.id)) continue
      return [
        { exchange: call.exchange, says: `${other.id}, which ${other.call.exchange} has made for another caller` },
      ]
    }
    return []
  })
}

/** An order 1042 and a quote 1042 have nothing to do with each other. */
const isTelling = (id: string): boolean => id.length >= 8 && !/^\d+$/.test(id)

function asksFor({ target, body }: RunCall, id: string): boolean {
  return target.includes(encodeURIComponent(id)) || body.includes(id)
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
  'brokerage.create': [
    ['case.tier', 'tier'],
    ['case.buyer_email', 'buyer_email'],
  ],
  'webhooks.put': [['webhook.url', 'url']],
}

/** An accepted answer is about what was asked for, and repeats what was sent. */
function repeatsWhatWasSent(seen: Seen, calls: readonly RunCall[], of: readonly string[]): Judged[] {
  return accepted(calls, of).flatMap(({ call, answer }) => {
    if (!call.isValid) return []
    return (REPEATED[call.op as EndpointId] ?? []).flatMap(([role, from]): Judged[] => {
      const [sent, found] = [sentIn(call, from), seen.find(role, answer)]
      if (typeof sent !== 'string' || !found.found || typeof found.value !== 'string') return []
      const isSame = plainly(role, sent) === plainly(role, found.value)
      const says = isSame ? null : `${role} is ${shown(found.value)} where ${shown(sent)} was sent`
      return [{ exchange: call.exchange, says, at: { role, item: answer } }]
    })
  })
}

/** Names are alike in any case and in both forms of an international one; so are letters, composed or not, and the words for a tier. */
function plainly(role: RoleName, text: string): string {
  if (role.endsWith('.domain')) return domainToASCII(text.replace(/\.$/, '')) || text.toLowerCase()
  if (role.endsWith('.url')) return URL.canParse(text) ? new URL(text).href : text
  if (role.endsWith('.tier')) return text.toLowerCase().replace(/[-_ ]/g, '')
  return role.endsWith('email') ? text.toLowerCase() : text.normalize('NFC').trim()
}

/** The states that follow each other. */
const RANKS: Readonly<Record<string, number>> = {
  EXTERNALLY_PAID: 1,
  TRANSFER_IN_PROGRESS: 2,
  TRANSFER_COMPLETED: 3,
  SETTLED: 4,
}

/** A delivered order is not on its way again; before that, a review may set it back. */
const DELIVERED = 3

/** What a service may call an order whose sale is undone. */
const UNDONE = /refund|cancel|clawed|void/i

/**
 * Nothing that was read of an order or a case is gone when it is read again, and its timeline grows when its status changes. One of
 * several stores may lag behind: what is as it was before counts only where it was not read again.
 */
function goesForward(seen: Seen, calls: readonly RunCall[], of: readonly string[]): Judged[] {
  const readings = new Map<string, ReadAgain[]>()
  for (const sighting of sightings(seen, calls, madeIn(seen, calls))) {
    const { made, call } = sighting
    const key = `${call.op} ${call.world} ${made.id}`
    const earlier = readings.get(key) ?? []
    // Of calls that were under way at once it is not known which was answered first.
    const isLater = call.sentAtMs > (earlier.at(-1)?.call.sentAtMs ?? 0)
    if (of.includes(String(call.op)) && isLater) readings.set(key, [...earlier, sighting])
  }
  return [...readings.values()].flatMap((all) => {
    const last = all.at(-1) as ReadAgain
    const noun = last.made.op === 'orders.create' ? 'order' : 'case'
    return all.map((sighting, at): Judged => {
      const { made, call, item } = sighting
      const before = all.slice(0, at)
      const isLate = sighting !== last && before.some((earlier) => isEarlierPart(seen, noun, item, earlier.item))
      const backs = isLate ? [] : before.flatMap((earlier) => setBack(seen, noun, earlier.item, item) ?? [])
      const back = doubled(seen, noun, item) ?? backs[0]
      const says = back === undefined ? null : `${made.id}, which was read before, ${back}`
      return { exchange: call.exchange, says, at: { role: `${noun}.timeline`, item } }
    })
  })
}

/** Whether a timeline is one that was read before, without its newest entries. */
function isEarlierPart(seen: Seen, noun: 'order' | 'case', now: Item, before: Item): boolean {
  const [entries, all] = [entriesOf(seen, noun, now), entriesOf(seen, noun, before)]
  const { length } = entries
  return [all.slice(0, length), all.slice(all.length - length)].some((part) => isDeepStrictEqual(part, entries))
}

function doubled(seen: Seen, noun: 'order' | 'case', item: Item): string | null {
  const entries = entriesOf(seen, noun, item)
  const twice = entries.find((entry, index) => entry === entries[index + 1])
  return twice === undefined ? null : `has the entry ${twice} of its timeline twice in a row`
}

function setBack(seen: Seen, noun: 'order' | 'case', before: Item, now: Item): string | null {
  const [was, is] = [before, now].map((item) => {
    const status = seen.find(`${noun}.status`, item)
    return status.found ? String(status.value) : null
  })
  if (was === null || is === null || was === undefined || is === undefined) return null
  const rank = RANKS[was] ?? 0
  if (rank >= DELIVERED && (RANKS[is] ?? rank) < rank) return `is ${is} after it was ${was}`
  if (UNDONE.test(was) && RANKS[is] !== undefined) return `is ${is} after it was ${was}`
  const [earlier, later] = [timelineOf(seen, noun, before), timelineOf(seen, noun, now)]
  if (earlier === null || later === null) return null
  const lost = earlier.find((entry) => !later.includes(entry))
  if (lost !== undefined) return `has lost the entry ${lost} of its timeline`
  return was !== is && later.length <= earlier.length
    ? `is ${is} after ${was}, and its timeline has no more entries`
    : null
}

/** The entries of a timeline, all that is in them. */
function entriesOf(seen: Seen, noun: 'order' | 'case', item: Item): string[] {
  const found = seen.find(`${noun}.timeline`, item)
  return found.found && Array.isArray(found.value) ? found.value.map((entry) => JSON.stringify(entry)) : []
}

/** What the entries of a timeline say, without what else a service may write into them. */
function timelineOf(seen: Seen, noun: 'order' | 'case', item: Item): string[] | null {
  const found = seen.find(`${noun}.timeline`, item)
  if (!found.found || !Array.isArray(found.value)) return null
  const entries = found.value.map((json: unknown) => {
    const parts = (['timeline.status', 'timeline.at'] as const).map((role) => seen.find(role, { json, op: item.op }))
    return parts.every((part) => part.found)
      ? parts.map((part) => (part.found ? shown(part.value) : '')).join(' ')
      : null
  })
  return entries.every((entry) => entry !== null) ? entries : null
}

/** Every event since the run began has its id, its type and its time, and that of an order says all of the order. */
function tellsAll(seen: Seen, calls: readonly RunCall[], _: readonly string[]): Judged[] {
  const fromMs = calls[0]?.recordsAtMs ?? Number.NaN
  return rowsOf(seen, calls, 'events.list', 'events.items').flatMap(({ call, item: { json } }) => {
    const [id, type, at] = ['id', 'type', 'created_at'].map((name) => String(atPath(json, name)))
    if (!(Date.parse(at ?? '') >= fromMs)) return []
    const order = atPath(json, 'data.order')
    const isOfOrder = ORDER_EVENTS.includes(type ?? '')
    const lacking = ['public_id', 'status', ...TOLD].find((name) => isOfOrder && (atPath(order, name) ?? null) === null)
    if (/^evt_./.test(id ?? '') && lacking === undefined) return []
    return [{ exchange: call.exchange, says: `event ${shown(id)} of type ${shown(type)} lacks ${lacking ?? 'its id'}` }]
  })
}

const ORDER_EVENTS: readonly string[] = EVENT_TYPES.filter((type) => type.startsWith('order.'))

/** In each statement, what was sold is the commission and what is owed. */
function addsUp(seen: Seen, calls: readonly RunCall[], _: readonly string[]): Judged[] {
  return rowsOf(seen, calls, 'settlements.list', 'statements.items').flatMap(({ call, item }): Judged[] => {
    const roles = ['statement.gross', 'statement.commission', 'statement.owed'] as const
    const amounts = roles.flatMap((role) => {
      const found = seen.find(role, item)
      return found.found ? [Number(found.value)] : []
    })
    const [gross = 0, commission = 0, owed = 0] = amounts
    if (amounts.length < roles.length) return []
    const says = gross === commission + owed ? null : `a statement has ${amounts.join(', ')} for ${roles.join(', ')}`
    return [{ exchange: call.exchange, says, at: { role: 'statement.owed', item } }]
  })
}

/** An accepted order costs what was expected, in one unit throughout, and what its quote says. */
function costsWhatWasExpected(seen: Seen, calls: readonly RunCall[], of: readonly string[]): Judged[] {
  const made = madeIn(seen, calls)
  const orders = accepted(calls, ['orders.create']).flatMap(({ call, answer }) => {
    const [expected, price] = [sentIn(call, 'expected_price'), seen.find('order.sale_price_cents', answer)]
    return typeof expected === 'number' && price.found ? [{ call, expected, price: Number(price.value) }] : []
  })
  const cents = orders.filter(({ expected, price }) => price === expected).length
  const unit = cents * 2 >= orders.length ? 1 : 100
  return orders.flatMap(({ call, expected, price }): Judged[] => {
    const say = (isRight: boolean, says: string) => ({
      exchange: call.exchange,
      says: isRight ? null : `the order costs ${price}, ${says}`,
    })
    const quoteId = sentIn(call, 'quote_id')
    // What has to be expected where a quote and the listing differ is open.
    if (!of.includes('quotes.create'))
      return quoteId ? [] : [say(Math.round(expected * unit) === price, `where ${expected} was expected`)]
    const quote = made.get(`${call.world} ${String(quoteId)}`)
    const quoted = quote && seen.find('quote.price', quote.answer)
    if (!quote || !quoted?.found) return []
    const says = `and its quote in ${quote.call.exchange} says ${shown(quoted.value)}`
    return [{ ...say(quoted.value === price, says), at: { role: 'quote.price', item: quote.answer } }]
  })
}

/** How long what was made is good for, in seconds. */
const LIFETIMES = {
  'quotes.create': ['quote.expires_at', 600],
  'checkout.create': ['checkout.expires_at', 604_800],
} as const

/** The way of a call, and what a clock has moved beside it. */
const CLOSE_SECONDS = 60

/** What expires does so as long after its making as all others of its kind. */
function expiresInTime(seen: Seen, calls: readonly RunCall[], of: readonly string[]): Judged[] {
  return Object.entries(LIFETIMES).flatMap(([op, [role, seconds]]) => {
    if (!of.includes(op)) return []
    // A second quote may be the first one again, which is older.
    const made = [...madeIn(seen, calls).values()].filter((thing) => thing.op === op)
    const lasting = made.flatMap(({ call, answer }) => {
      const at = seen.find(role, answer)
      const untilMs = at.found && typeof at.value === 'string' ? Date.parse(at.value) : Number.NaN
      return Number.isNaN(untilMs - call.recordsAtMs) ? [] : [{ call, lasts: (untilMs - call.recordsAtMs) / SECOND_MS }]
    })
    const isRight = ({ lasts }: { lasts: number }): boolean => Math.abs(lasts - seconds) <= CLOSE_SECONDS
    // Where most of them differ, it is the clock of the target that is not known.
    if (lasting.filter(isRight).length * 2 <= lasting.length) return []
    const wrong = lasting.filter((one) => !isRight(one))
    return wrong.map(({ call, lasts }) => ({
      exchange: call.exchange,
      says: `${role} is ${Math.round(lasts)} s later`,
    }))
  })
}

/** A request that fails inside the service at every try, while other calls are answered, fails because of what it says. */
function neverCrashes(_: Seen, calls: readonly RunCall[], of: readonly string[]): Judged[] {
  const groups = new Map<string, RunCall[]>()
  for (const call of calls) {
    if (call.answer === null || (of.length > 0 && !of.includes(String(call.op)))) continue
    const key = [call.world, call.realm, call.method, call.target, call.body].join('\n')
    groups.set(key, [...(groups.get(key) ?? []), call])
  }
  return [...groups.values()].flatMap((tries) => {
    const [first, last] = [tries[0], tries.at(-1)]
    if (!first || !last || last.sentAtMs - first.sentAtMs < MOMENT_MS) return []
    if (tries.some(({ answer }) => answer?.status !== 500)) return []
    const isUp = calls.some(
      ({ sentAtMs, answer }) =>
        sentAtMs > first.sentAtMs && sentAtMs < last.sentAtMs + MOMENT_MS && answer !== null && answer.status < 500,
    )
    const what = `${first.method} ${first.target.slice(0, LONGEST_TARGET)}`
    return isUp ? [{ exchange: last.exchange, says: `${what} was answered 500 at each of ${tries.length} tries` }] : []
  })
}

const MOMENT_MS = 800
const LONGEST_TARGET = 120

/** Every body is JSON and says so (WIRE-01); with the word `429`, every 429 says how long to wait. */
function saysWhatItIs(_: Seen, calls: readonly RunCall[], of: readonly string[]): Judged[] {
  const isOf429 = of.includes('429')
  return calls.flatMap(({ op, method, answer, exchange }) => {
    if (op === null || method === 'HEAD' || answer === null || answer.body.length === 0) return []
    if (isOf429) {
      const after = headerIn(answer.headers, 'retry-after')
      const isPlain = answer.status !== 429 || !isObject(answer.json) || /^\d+$/.test(after ?? '')
      return isPlain ? [] : [{ exchange, says: `a 429 with the Retry-After ${shown(after ?? 'none')}` }]
    }
    const type = headerIn(answer.headers, 'content-type') ?? 'none'
    const isPlain = !isAccepted(answer) || /\bjson\b|\+json/i.test(type)
    return isPlain ? [] : [{ exchange, says: `${op} was answered with the Content-Type ${shown(type)}` }]
  })
}

/** No list has an order that was only ever refused, each time with one of these codes. */
function keepsNothingRefused(seen: Seen, calls: readonly RunCall[], of: readonly string[]): Judged[] {
  const made = madeIn(seen, calls)
  const refused = new Map<string, { call: RunCall; code: string }>()
  const others = new Set<string>()
  for (const call of calls) {
    const { op, answer } = call
    if (op !== 'orders.create') continue
    const code = isRefused(answer) ? seen.find('error.code', answer) : null
    for (const word of [sentIn(call, 'external_payment_ref'), sentIn(call, 'domain')]) {
      const key = `${call.world} ${String(word)}`
      if (code?.found && of.includes(String(code.value))) refused.set(key, { call, code: String(code.value) })
      else others.add(key)
    }
  }
  for (const { call, answer } of accepted(calls, ['checkout.create', 'brokerage.create', 'links.create']))
    for (const { value } of [...places(parseJson(Buffer.from(call.body))), ...places(answer.json)])
      others.add(`${call.world} ${String(value)}`)
  const say = (call: RunCall, id: unknown, word: unknown): Judged[] => {
    const key = `${call.world} ${String(word)}`
    const by = refused.get(key)
    if (!by || others.has(key) || made.has(`${call.world} ${String(id)}`)) return []
    return [
      {
        exchange: call.exchange,
        says: `the order ${shown(id)} of ${shown(word)}, which was refused in ${by.call.exchange} with ${by.code}`,
      },
    ]
  }
  return [
    ...rowsOf(seen, calls, 'orders.list', 'orders.items').flatMap(({ call, item }) => {
      const [id, ref] = [seen.find('order.public_id', item), seen.find('order.external_payment_ref', item)]
      return id.found && ref.found ? say(call, id.value, ref.value) : []
    }),
    ...rowsOf(seen, calls, 'events.list', 'events.items').flatMap(({ call, item: { json } }) => {
      const [id, domain] = [atPath(json, 'data.order.public_id'), atPath(json, 'data.order.domain')]
      const by = refused.get(`${call.world} ${String(domain)}`)
      const atMs = Date.parse(String(atPath(json, 'created_at')))
      return by && atMs >= by.call.recordsAtMs - SECOND_MS ? say(call, id, domain) : []
    }),
  ]
}

/** The rules by their names in scenarios, and how many exchanges have to show that one is broken: one alone may be a bad moment. */
export const RUN_RULES = {
  keeps_facts: { rule: keepsFacts, says: 'what was made says the same wherever it is read again', fewest: 1 },
  shows_own_only: { rule: showsOwnOnly, says: 'no answer shows what another caller has made', fewest: 1 },
  repeats_what_was_sent: { rule: repeatsWhatWasSent, says: 'each answer repeats what was sent', fewest: 1 },
  goes_forward: {
    rule: goesForward,
    says: 'no timeline loses an entry, and none stays as it is when the status changes',
    fewest: 1,
  },
  costs_what_was_expected: {
    rule: costsWhatWasExpected,
    says: 'each accepted order costs what was expected',
    fewest: 1,
  },
  tells_all: { rule: tellsAll, says: 'each event has all that the document names', fewest: 1 },
  adds_up: { rule: addsUp, says: 'in each statement, what was sold is the commission and what is owed', fewest: 1 },
  expires_in_time: { rule: expiresInTime, says: 'each of them expires as late as the document says', fewest: 1 },
  never_crashes: {
    rule: neverCrashes,
    says: 'no request is answered 500 at every try while others are answered',
    fewest: 1,
  },
  says_what_it_is: { rule: saysWhatItIs, says: 'each answer has the headers that the document demands', fewest: 2 },
  keeps_nothing_refused: {
    rule: keepsNothingRefused,
    says: 'no list has an order that was only ever refused',
    fewest: 1,
  },
} as const satisfies Record<string, { rule: RunRule; says: string; fewest: number }>

export type RunRuleName = keyof typeof RUN_RULES

/** Whether every call of the run has kept a rule. */
export function judgeRunRule(
  seen: AnswerSeen,
  { rule, of = [] }: { rule: RunRuleName; of?: readonly string[] },
): Check | null {
  const calls = seen.callsOfRun()
  if (calls.length === 0) return unproven('no call', 'this run has made none')
  const { rule: judgeAll, fewest } = RUN_RULES[rule]
  const judged = judgeAll({ find: seen.peek }, calls, of)
  const found = judged.filter(({ says }) => says !== null)
  const [first] = found
  if (!first || found.length < fewest) return null
  const check = failure(`${found.length} of ${calls.length} calls, the first of them ${first.exchange}: ${first.says}`)
  // A place where other answers have what they should have is the right one.
  const kept = judged.filter(({ says, at }) => says === null && at?.role === first.at?.role)
  if (!first.at || kept.length >= FEWEST_KEPT) return { ...check, certain: true }
  seen.find(first.at.role, first.at.item)
  return check
}

const FEWEST_KEPT = 2
