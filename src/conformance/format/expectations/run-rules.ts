import type { EndpointId } from '../../../contract/endpoints.ts'
import { EVENT_TYPES } from '../../../contract/event-types.ts'
import { headerIn } from '../../../contract/headers.ts'
import { isAccepted, isRefused } from '../../http/exchange.ts'
import { atPath, parseJson, places } from '../../http/json-body.ts'
import { PAYMENT_REF } from '../roles.ts'
import { shown } from '../values.ts'
import { type Check, failure, unproven } from './check.ts'
import type { AnswerSeen, RunCall } from './kind.ts'
import {
  accepted,
  type Finder,
  goesForward,
  type Judged,
  keepsFacts,
  keyOf,
  madeIn,
  repeatsWhatWasSent,
  rowsOf,
  SECOND_MS,
  sentIn,
  showsOwnOnly,
  TOLD,
} from './run-things.ts'

// Rules that every call of a run has to keep, whichever scenario made it.

/** Every event since the run began has its id, its type and its time, and that of an order says all of the order. */
function tellsAll(seen: Finder, calls: readonly RunCall[]): Judged[] {
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
function addsUp(seen: Finder, calls: readonly RunCall[]): Judged[] {
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
function costsWhatWasExpected(seen: Finder, calls: readonly RunCall[], of: readonly string[]): Judged[] {
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
    const quote = made.get(keyOf(call, quoteId))
    const quoted = quote && seen.find('quote.price', quote.answer)
    if (!quote || !quoted?.found) return []
    const says = `and its quote in ${quote.call.exchange} says ${shown(quoted.value)}`
    return [{ ...say(quoted.value === price, says), at: { role: 'quote.price', item: quote.answer } }]
  })
}

const WEEK_SECONDS = 604_800
/** The way of a call, and what a clock has moved beside it. */
const CLOSE_SECONDS = 60

/** A checkout session expires as long after its making as all others. */
function expiresInTime(seen: Finder, calls: readonly RunCall[]): Judged[] {
  const lasting = [...madeIn(seen, calls).values()].flatMap(({ op, call, answer }) => {
    const at = op === 'checkout.create' ? seen.find('checkout.expires_at', answer) : null
    const untilMs = at?.found && typeof at.value === 'string' ? Date.parse(at.value) : Number.NaN
    return Number.isNaN(untilMs - call.recordsAtMs) ? [] : [{ call, lasts: (untilMs - call.recordsAtMs) / SECOND_MS }]
  })
  const wrong = lasting.filter(({ lasts }) => Math.abs(lasts - WEEK_SECONDS) > CLOSE_SECONDS)
  // Where most of them differ, it is the clock of the target that is not known.
  if (wrong.length * 2 >= lasting.length) return []
  return wrong.map(({ call, lasts }) => ({
    exchange: call.exchange,
    says: `checkout.expires_at is ${Math.round(lasts)} s later`,
  }))
}

/** A request that fails inside the service at every try, while the operation answers others, fails because of what it says. */
function neverCrashes(_: Finder, calls: readonly RunCall[]): Judged[] {
  const groups = new Map<string, RunCall[]>()
  for (const call of calls) {
    if (call.answer === null) continue
    const key = [call.world, call.realm, call.method, call.target, call.body].join('\n')
    const tries = groups.get(key)
    if (tries) tries.push(call)
    else groups.set(key, [call])
  }
  return [...groups.values()].flatMap((tries) => {
    const [first, last] = [tries[0], tries.at(-1)]
    if (!first || !last || last.sentAtMs - first.sentAtMs < MOMENT_MS) return []
    if (tries.some(({ answer }) => answer?.status !== 500)) return []
    // The operation may have been down for a while, whatever it was asked.
    const isUp = calls.some(
      ({ op, method, sentAtMs, answer }) =>
        op === first.op &&
        method === first.method &&
        sentAtMs > first.sentAtMs &&
        sentAtMs < last.sentAtMs + MOMENT_MS &&
        answer !== null &&
        answer.status < 500,
    )
    const what = `${first.method} ${first.target.slice(0, LONGEST_TARGET)}`
    return isUp ? [{ exchange: last.exchange, says: `${what} was answered 500 at each of ${tries.length} tries` }] : []
  })
}

const MOMENT_MS = 800
const LONGEST_TARGET = 120

/** Every body is JSON and says so (WIRE-01). */
function saysWhatItIs(_: Finder, calls: readonly RunCall[]): Judged[] {
  return calls.flatMap(({ op, method, answer, exchange }) => {
    if (op === null || method === 'HEAD' || answer === null || answer.body.length === 0) return []
    const type = headerIn(answer.headers, 'content-type') ?? 'none'
    const isPlain = !isAccepted(answer) || /\bjson\b|\+json/i.test(type)
    return isPlain ? [] : [{ exchange, says: `${op} was answered with the Content-Type ${shown(type)}` }]
  })
}

/** No list has an order that was only ever refused, each time with one of these codes. */
function keepsNothingRefused(seen: Finder, calls: readonly RunCall[], of: readonly string[]): Judged[] {
  const made = madeIn(seen, calls)
  const refused = new Map<string, { call: RunCall; code: string }>()
  const others = new Set<string>()
  const sent = new Set<string>()
  for (const call of calls) {
    if (call.op !== 'orders.create') continue
    const code = refusedWith(seen, call, of)
    sent.add(`${call.world} ${String(sentIn(call, 'external_payment_ref'))}`)
    for (const word of [sentIn(call, 'external_payment_ref'), sentIn(call, 'domain')]) {
      const key = `${call.world} ${String(word)}`
      if (code !== null) refused.set(key, { call, code })
      else others.add(key)
    }
  }
  for (const { call, answer } of accepted(calls, ['checkout.create', 'brokerage.create', 'links.create']))
    for (const { value } of [...places(parseJson(Buffer.from(call.body))), ...places(answer.json)])
      others.add(`${call.world} ${String(value)}`)
  const say = (call: RunCall, id: unknown, word: unknown): Judged[] => {
    const key = `${call.world} ${String(word)}`
    const by = refused.get(key)
    if (!by || others.has(key) || made.has(keyOf(call, id))) return []
    return [
      {
        exchange: call.exchange,
        says: `the order ${shown(id)} of ${shown(word)}, which was refused in ${by.call.exchange} with ${by.code}`,
      },
    ]
  }
  const listed = rowsOf(seen, calls, 'orders.list', 'orders.items').flatMap(({ call, item }) => {
    const [id, ref] = [seen.find('order.public_id', item), seen.find('order.external_payment_ref', item)]
    return id.found && ref.found ? [{ call, item, id: id.value, ref: ref.value }] : []
  })
  const fromMs = calls[0]?.recordsAtMs ?? Number.NaN
  // Another run at the same time may have bought a domain that was refused here, and an event tells no reference.
  const othersSell = listed.some(({ call, item, ref }) => {
    const at = seen.find('order.created_at', item)
    const isNew = at.found && Date.parse(String(at.value)) > fromMs
    return isNew && PAYMENT_REF.test(String(ref)) && !sent.has(`${call.world} ${String(ref)}`)
  })
  const told = othersSell ? [] : rowsOf(seen, calls, 'events.list', 'events.items')
  return [
    ...listed.flatMap(({ call, id, ref }) => say(call, id, ref)),
    ...told.flatMap(({ call, item: { json } }) => {
      const [id, domain] = [atPath(json, 'data.order.public_id'), atPath(json, 'data.order.domain')]
      const by = refused.get(`${call.world} ${String(domain)}`)
      const atMs = Date.parse(String(atPath(json, 'created_at')))
      return by && atMs >= by.call.recordsAtMs - SECOND_MS ? say(call, id, domain) : []
    }),
  ]
}

/** The code that a call was refused with, where it is one of these; else null. */
function refusedWith(seen: Finder, { answer }: RunCall, codes: readonly string[]): string | null {
  const code = isRefused(answer) ? seen.find('error.code', answer) : null
  return code?.found && codes.includes(String(code.value)) ? String(code.value) : null
}

/** Whether a call could show that a rule is broken. */
type LooksAt = (seen: Finder, call: RunCall, of: readonly string[], at: number) => boolean

interface RunRuleRow {
  readonly looksAt: LooksAt
  /** @param of operations, or codes of refusals: only what these show counts. */
  rule(seen: Finder, calls: readonly RunCall[], of: readonly string[]): Judged[]
  readonly says: string
  readonly fewest: number
}

const answersOf =
  (...ops: EndpointId[]): LooksAt =>
  (_, call) =>
    accepted([call], ops).length > 0

const answersOfThese: LooksAt = (_, call, of) => accepted([call], of).length > 0

const refusedOrders: LooksAt = (seen, call, of) => call.op === 'orders.create' && refusedWith(seen, call, of) !== null

/** Some calls are made in any run. */
const manyCalls: LooksAt = (_seen, _call, _of, at) => at >= 50

/** The rules by their names in scenarios, and how many exchanges have to show that one is broken: one alone may be a bad moment. */
export const RUN_RULES = {
  keeps_facts: {
    looksAt: answersOf('orders.create', 'brokerage.create', 'links.create'),
    rule: keepsFacts,
    says: 'what was made says the same wherever it is read again',
    fewest: 1,
  },
  shows_own_only: {
    looksAt: answersOfThese,
    rule: showsOwnOnly,
    says: 'no answer shows what another caller has made',
    fewest: 1,
  },
  repeats_what_was_sent: {
    looksAt: answersOfThese,
    rule: repeatsWhatWasSent,
    says: 'each answer repeats what was sent',
    fewest: 1,
  },
  goes_forward: {
    looksAt: answersOf('orders.create', 'brokerage.create'),
    rule: goesForward,
    says: 'no timeline loses an entry',
    fewest: 1,
  },
  costs_what_was_expected: {
    looksAt: answersOf('orders.create'),
    rule: costsWhatWasExpected,
    says: 'each accepted order costs what was expected',
    fewest: 1,
  },
  tells_all: {
    looksAt: answersOf('events.list'),
    rule: tellsAll,
    says: 'each event has all that the document names',
    fewest: 1,
  },
  adds_up: {
    looksAt: answersOf('settlements.list'),
    rule: addsUp,
    says: 'in each statement, what was sold is the commission and what is owed',
    fewest: 1,
  },
  expires_in_time: {
    looksAt: answersOfThese,
    rule: expiresInTime,
    says: 'each of them expires as late as the document says',
    fewest: 1,
  },
  never_crashes: {
    looksAt: manyCalls,
    rule: neverCrashes,
    says: 'no request is answered 500 at every try while others are answered',
    fewest: 1,
  },
  says_what_it_is: {
    looksAt: manyCalls,
    rule: saysWhatItIs,
    says: 'each answer has the headers that the document demands',
    fewest: 2,
  },
  keeps_nothing_refused: {
    looksAt: refusedOrders,
    rule: keepsNothingRefused,
    says: 'no list has an order that was only ever refused',
    fewest: 1,
  },
} as const satisfies Record<string, RunRuleRow>

/** Whether every call of the run has kept a rule. */
export function judgeRunRule(
  seen: AnswerSeen,
  { rule, of = [] }: { rule: keyof typeof RUN_RULES; of?: readonly string[] },
): Check | null {
  const calls = seen.callsOfRun()
  const { rule: judgeAll, fewest, looksAt } = RUN_RULES[rule]
  const find = seen.peek
  // A run of a few scenarios shows nothing of what all of them together would.
  if (!calls.some((call, at) => looksAt({ find }, call, of, at)))
    return { verdict: 'not_run', reason: 'filtered', actual: 'not judged', note: 'no call of this run could break it' }
  const judged = judgedBy(() => judgeAll({ find }, calls, of))
  if (judged === null) return unproven('not judged', 'an answer of this run is nested too deeply to be compared')
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

/** Null where an answer is nested so deeply that comparing it takes more stack than there is. */
function judgedBy(judge: () => Judged[]): Judged[] | null {
  try {
    return judge()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
