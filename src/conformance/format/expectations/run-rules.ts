import type { EndpointId } from '../../../contract/endpoints.ts'
import { isEventType } from '../../../contract/event-types.ts'
import { headerIn } from '../../../contract/headers.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { isAccepted, isRefused } from '../../http/exchange.ts'
import { atPath, places } from '../../http/json-body.ts'
import type { RoleName } from '../roles.ts'
import { instantMs, shown } from '../values.ts'
import { type Check, failure, unproven } from './check.ts'
import type { RunCall, RunFacts, RunSeen } from './kind.ts'
import { keyOf } from './run-facts.ts'
import { booksOnce, findsFew, keepsFilters, keepsSecrets, pagesAsAsked, repeatsNoRow } from './run-lists.ts'
import {
  goesForward,
  keepsFacts,
  keepsRows,
  type RuleCheck,
  refundsWhatWasSent,
  repeatsWhatWasSent,
  SECOND_MS,
  showsOwnOnly,
  TOLD,
  transactionsOfOrders,
} from './run-things.ts'

// Rules that every call of a run has to keep, whichever scenario made it.

/** Every event since the run began has its id, its type and its time, and that of an order says all of the order. */
function tellsAll(run: RunFacts): RuleCheck[] {
  const fromMs = run.beganAtMs
  const events = run.rows('events.list', 'events.items').flatMap(({ call, item: { json } }) => {
    const [id, type, at] = ['id', 'type', 'created_at'].map((name) => String(atPath(json, name)))
    if (!(instantMs(at ?? '') >= fromMs)) return []
    const order = atPath(json, 'data.order')
    const isOfOrder = type?.startsWith('order.') === true && isEventType(type)
    const lacking = ['public_id', 'status', ...TOLD].find((name) => isOfOrder && (atPath(order, name) ?? null) === null)
    if (/^evt_./.test(id ?? '') && lacking === undefined) return []
    return [{ exchange: call.exchange, says: `event ${shown(id)} of type ${shown(type)} lacks ${lacking ?? 'its id'}` }]
  })
  return [...events, ...pagesWithoutEvents(run)]
}

/** A page that has no list of events where others have one: a page without events has an empty list. */
function pagesWithoutEvents(run: RunFacts): RuleCheck[] {
  const pages = run.accepted(['events.list']).filter(({ call }) => call.isValid)
  const without = pages.filter(({ answer }) => {
    const found = run.find('events.items', answer)
    return !found.found || !Array.isArray(found.value)
  })
  if (without.length === pages.length) return []
  return without.map(({ call }) => ({ exchange: call.exchange, says: 'the page has no list of events' }))
}

/**
 * An event about an order says the state that goes with its type, where it says one of these. The first state of what a buyer
 * pays for at a page is open (STATE-09).
 */
function tellsStates(run: RunFacts): RuleCheck[] {
  return run.rows('events.list', 'events.items').flatMap(({ call, item: { json } }): RuleCheck[] => {
    const [id, type, status] = ['id', 'type', 'data.order.status'].map((path) => String(atPath(json, path)))
    const wanted = STATE_OF[type ?? '']
    if (run.made.get(keyOf(call, atPath(json, 'data.order.public_id')))?.op !== 'orders.create') return []
    if (wanted === undefined || !Object.values(STATE_OF).includes(status ?? '')) return []
    const says = `event ${shown(id)} of type ${type} has the status ${status}`
    return [{ exchange: call.exchange, says: status === wanted ? null : says }]
  })
}

/** The state that the document names beside a type. */
const STATE_OF: Readonly<Record<string, string>> = {
  'order.recorded': 'EXTERNALLY_PAID',
  'order.transfer_started': 'TRANSFER_IN_PROGRESS',
  'order.transfer_completed': 'TRANSFER_COMPLETED',
  'order.settled': 'SETTLED',
}

/** In each statement, what was sold is the commission and what is owed. */
function addsUp(run: RunFacts): RuleCheck[] {
  return run.rows('settlements.list', 'statements.items').flatMap(({ call, item }): RuleCheck[] => {
    const roles = ['statement.gross', 'statement.commission', 'statement.owed'] as const
    const amounts = roles.flatMap((role) => {
      const found = run.find(role, item)
      return found.found ? [Number(found.value)] : []
    })
    const [gross = 0, commission = 0, owed = 0] = amounts
    if (amounts.length < roles.length) return []
    const says = gross === commission + owed ? null : `a statement has ${amounts.join(', ')} for ${roles.join(', ')}`
    return [{ exchange: call.exchange, says, at: { role: 'statement.owed', item } }]
  })
}

/** An accepted order costs what was expected, in one unit throughout, and what its quote says. */
function costsWhatWasExpected(run: RunFacts, of: readonly string[]): RuleCheck[] {
  const orders = run.accepted(['orders.create']).flatMap(({ call, answer }) => {
    const [expected, price] = [run.sent(call, 'expected_price'), run.find('order.sale_price_cents', answer)]
    return typeof expected === 'number' && price.found ? [{ call, expected, price: Number(price.value) }] : []
  })
  const fitting = (unit: number) => orders.filter(({ expected, price }) => price === Math.round(expected * unit)).length
  const unit = fitting(100) > fitting(1) ? 100 : 1
  return orders.flatMap(({ call, expected, price }): RuleCheck[] => {
    const say = (isRight: boolean, says: string) => ({
      exchange: call.exchange,
      says: isRight ? null : `the order costs ${price}, ${says}`,
    })
    const quoteId = run.sent(call, 'quote_id')
    // What has to be expected where a quote and the listing differ is open.
    if (!of.includes('quotes.create'))
      return quoteId ? [] : [say(Math.round(expected * unit) === price, `where ${expected} was expected`)]
    const quote = run.made.get(keyOf(call, quoteId))
    const quoted = quote && run.find('quote.price', quote.answer)
    if (!quote || !quoted?.found) return []
    const says = `and its quote in ${quote.call.exchange} says ${shown(quoted.value)}`
    return [{ ...say(quoted.value === price, says), at: { role: 'quote.price', item: quote.answer } }]
  })
}

/** The way of a call, and what a clock has moved beside it. */
const CLOSE_SECONDS = 60

/** What ends by itself, the role that says when, and how long it lasts. */
const LASTING: Partial<Record<EndpointId, readonly [RoleName, seconds: number]>> = {
  'checkout.create': ['checkout.expires_at', LIMITS.checkoutSeconds],
  'quotes.create': ['quote.expires_at', LIMITS.quoteSeconds],
}

/** What ends by itself lasts as long after its making as the document says. */
function expiresInTime(run: RunFacts, of: readonly string[]): RuleCheck[] {
  const lasting = [...run.made.values()].flatMap(({ op, call, answer }) => {
    const [role, wanted] = LASTING[op] ?? []
    const at = role !== undefined && of.includes(op) ? run.find(role, answer) : null
    const untilMs = at?.found && typeof at.value === 'string' ? instantMs(at.value) : Number.NaN
    const lasts = (untilMs - call.recordsAtMs) / SECOND_MS
    return Number.isNaN(lasts) || wanted === undefined ? [] : [{ call, role, lasts, wanted }]
  })
  const wrong = lasting.filter(({ lasts, wanted }) => Math.abs(lasts - wanted) > CLOSE_SECONDS)
  // Where most of them differ, it is the clock of the target that is not known.
  if (wrong.length * 2 >= lasting.length) return []
  return wrong.map(({ call, role, lasts }) => ({
    exchange: call.exchange,
    says: `${role} is ${Math.round(lasts)} s later`,
  }))
}

/** A request that fails inside the service at every try, while the operation answers others, fails because of what it says. */
function neverCrashes({ calls }: RunFacts): RuleCheck[] {
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
function saysWhatItIs({ calls }: RunFacts): RuleCheck[] {
  return calls.flatMap(({ op, method, answer, exchange }) => {
    if (op === null || method === 'HEAD' || answer === null || answer.body.length === 0) return []
    const type = headerIn(answer.headers, 'content-type') ?? 'none'
    const isPlain = !isAccepted(answer) || /\bjson\b|\+json/i.test(type)
    return isPlain ? [] : [{ exchange, says: `${op} was answered with the Content-Type ${shown(type)}` }]
  })
}

/** No list has an order that was only ever refused, each time with one of these codes. */
function keepsNothingRefused(run: RunFacts, of: readonly string[]): RuleCheck[] {
  const refused = new Map<string, { call: RunCall; code: string }>()
  const others = new Set<string>()
  const sent = new Set<string>()
  for (const call of run.calls) {
    if (call.op !== 'orders.create') continue
    const code = refusedWith(run, call, of)
    const ref = run.sent(call, 'external_payment_ref')
    if (typeof ref === 'string') sent.add(`${call.world} ${ref}`)
    for (const word of [ref, run.sent(call, 'domain')]) {
      if (typeof word !== 'string') continue
      const key = `${call.world} ${String(word)}`
      if (code !== null) refused.set(key, { call, code })
      else others.add(key)
    }
  }
  for (const { call, answer } of run.accepted(['checkout.create', 'brokerage.create', 'links.create']))
    for (const { value } of [...places(run.bodyOf(call)), ...places(answer.json)])
      others.add(`${call.world} ${String(value)}`)
  const say = (call: RunCall, id: unknown, word: unknown): RuleCheck[] => {
    const key = `${call.world} ${String(word)}`
    const by = refused.get(key)
    if (!by || others.has(key) || run.made.has(keyOf(call, id))) return []
    return [
      {
        exchange: call.exchange,
        says: `the order ${shown(id)} of ${shown(word)}, which was refused in ${by.call.exchange} with ${by.code}`,
      },
    ]
  }
  const listed = run.rows('orders.list', 'orders.items').flatMap(({ call, item }) => {
    const [id, found] = [run.find('order.public_id', item), run.find('order.external_payment_ref', item)]
    const ref = found.found ? found.value : undefined
    return id.found ? [{ call, item, id: id.value, ref, isSent: sent.has(`${call.world} ${String(ref)}`) }] : []
  })
  const fromMs = run.beganAtMs
  // Another client may have bought a domain that was refused here, and an event has no reference: a list has to show whose orders there are.
  const othersSell = listed.some(({ call, item, id, isSent }) => {
    const [at, domain] = [run.find('order.created_at', item), run.find('order.domain', item)]
    const isNew = at.found && instantMs(String(at.value)) > fromMs
    const isPaid = domain.found && others.has(`${call.world} ${domain.value}`)
    return isNew && !isSent && !isPaid && !run.made.has(keyOf(call, id))
  })
  const showsWhose = listed.some(({ isSent }) => isSent)
  const told = othersSell || !showsWhose ? [] : run.rows('events.list', 'events.items')
  return [
    ...listed.flatMap(({ call, id, ref }) => say(call, id, ref)),
    ...told.flatMap(({ call, item: { json } }) => {
      const [id, domain] = [atPath(json, 'data.order.public_id'), atPath(json, 'data.order.domain')]
      const by = refused.get(`${call.world} ${String(domain)}`)
      const atMs = instantMs(String(atPath(json, 'created_at')))
      return by && atMs >= by.call.recordsAtMs - SECOND_MS ? say(call, id, domain) : []
    }),
  ]
}

/** The code that a call was refused with, where it is one of these; else null. */
function refusedWith(run: Pick<RunFacts, 'find'>, { answer }: RunCall, codes: readonly string[]): string | null {
  const code = isRefused(answer) ? run.find('error.code', answer) : null
  return code?.found && codes.includes(String(code.value)) ? String(code.value) : null
}

interface RunRuleRow {
  /**
   * The operations whose accepted answers could show that it is broken, `these` for those that a scenario names; or whether any call of
   * the run could.
   */
  readonly asked: readonly EndpointId[] | 'these' | ((run: RunFacts, of: readonly string[]) => boolean)
  /** @param of operations, or codes of refusals: only what these show counts. */
  rule(run: RunFacts, of: readonly string[]): RuleCheck[]
  readonly says: string
  /** How many exchanges have to show that it is broken, where one alone may be a bad moment. */
  readonly fewest?: number
}

function hasRefusedOrders(run: RunFacts, of: readonly string[]): boolean {
  return run.calls.some((call) => call.op === 'orders.create' && refusedWith(run, call, of) !== null)
}

/** Some calls are made in any run. */
function hasManyCalls({ calls }: RunFacts): boolean {
  return calls.length > 50
}

/** The rules by their names in scenarios. */
export const RUN_RULES = {
  keeps_facts: {
    asked: ['orders.create', 'brokerage.create', 'links.create'],
    rule: keepsFacts,
    says: 'what was made says the same wherever it is read again',
  },
  keeps_rows: {
    asked: 'these',
    rule: keepsRows,
    says: 'a row of a report says the same each time it is read',
  },
  shows_own_only: {
    asked: 'these',
    rule: showsOwnOnly,
    says: 'no answer shows what another caller has made',
  },
  repeats_what_was_sent: {
    asked: 'these',
    rule: repeatsWhatWasSent,
    says: 'each answer repeats what was sent',
  },
  refunds_what_was_sent: {
    asked: ['refunds.create'],
    rule: refundsWhatWasSent,
    says: 'each refund is of the order that was sent',
  },
  goes_forward: {
    asked: ['orders.create', 'brokerage.create'],
    rule: goesForward,
    says: 'no timeline loses an entry',
  },
  costs_what_was_expected: {
    asked: ['orders.create'],
    rule: costsWhatWasExpected,
    says: 'each accepted order costs what was expected',
  },
  tells_all: {
    asked: ['events.list'],
    rule: tellsAll,
    says: 'each event has all that the document names',
  },
  tells_states: {
    asked: ['events.list'],
    rule: tellsStates,
    says: 'each event says the state that goes with its type',
  },
  adds_up: {
    asked: ['settlements.list'],
    rule: addsUp,
    says: 'in each statement, what was sold is the sum of the commission and what is owed',
  },
  expires_in_time: {
    asked: 'these',
    rule: expiresInTime,
    says: 'each of them expires as late as the document says',
  },
  never_crashes: {
    asked: hasManyCalls,
    rule: neverCrashes,
    says: 'no request is answered 500 at every try while others are answered',
  },
  says_what_it_is: {
    asked: hasManyCalls,
    rule: saysWhatItIs,
    says: 'each answer has the headers that the document demands',
    fewest: 2,
  },
  sales_are_of_their_orders: {
    asked: ['transactions.list'],
    rule: transactionsOfOrders,
    says: 'each transaction says of its order what the order says',
  },
  finds_few: {
    asked: ['domains.search'],
    rule: findsFew,
    says: 'each search finds five domains at most',
  },
  books_once: { asked: ['me.commissions'], rule: booksOnce, says: 'no sale is in the ledger twice' },
  repeats_no_row: { asked: 'these', rule: repeatsNoRow, says: 'no page has the same thing twice' },
  pages_as_asked: {
    asked: ['events.list'],
    rule: pagesAsAsked,
    says: 'each page of events is as long as was asked at most, and begins behind the event that was named',
  },
  keeps_filters: { asked: 'these', rule: keepsFilters, says: 'each list has only what fits its filter' },
  keeps_secrets: {
    asked: ['webhooks.put'],
    rule: keepsSecrets,
    says: 'no answer to a registration shows a secret that was registered',
  },
  keeps_nothing_refused: {
    asked: hasRefusedOrders,
    rule: keepsNothingRefused,
    says: 'no list has an order that was only ever refused',
  },
} as const satisfies Record<string, RunRuleRow>

/** Whether every call of the run has kept a rule. */
export function judgeRunRule(
  { facts, find }: RunSeen,
  { rule, of = [] }: { rule: keyof typeof RUN_RULES; of?: readonly string[] },
): Check | null {
  const { rule: judgeAll, fewest = 1, asked }: RunRuleRow = RUN_RULES[rule]
  const ops = asked === 'these' ? of : asked
  const isAsked =
    typeof ops === 'function' ? ops(facts, of) : facts.accepted(ops).length + facts.leftOut(ops).length > 0
  // A run of a few scenarios shows nothing of what all of them together would.
  if (!isAsked) return { verdict: 'not_run', reason: 'no-occasion', actual: 'not judged' }
  const judged = judgedBy(() => judgeAll(facts, of))
  if (judged === null) return unproven('not judged', 'an answer of this run is nested too deeply to be compared')
  const found = judged.filter(({ says }) => says !== null)
  const [first] = found
  if (!first || found.length < fewest) return typeof ops === 'function' ? null : keptByPart(facts, ops)
  const broken = new Set(found.map(({ exchange }) => exchange)).size
  const where = broken === 1 ? `call ${first.exchange}` : `${broken} calls, the first of them ${first.exchange}`
  const seen = `${where}: ${first.says}`
  const check: Check = { ...failure(seen), exchange: first.exchange }
  // A place where other answers have what they should have is the right one.
  const kept = judged.filter(({ says, at }) => says === null && at?.role === first.at?.role)
  if (!first.at || kept.length >= FEWEST_KEPT) return { ...check, certain: true }
  find(first.at.role, first.at.item)
  return check
}

const FEWEST_KEPT = 2

/** What a rule that is kept is worth where some answers were too much to keep. */
function keptByPart(facts: RunFacts, ops: readonly string[]): Check | null {
  const [looked, leftOut] = [facts.accepted(ops), facts.leftOut(ops)]
  if (leftOut.length === 0) return null
  const actual = `${looked.length} of ${looked.length + leftOut.length} calls of ${ops.join(', ')}`
  const placeOf = (call: RunCall | undefined) => (call ? facts.calls.indexOf(call) : -1)
  const isBlind = ops.some((op) => {
    const [first] = facts.leftOut([op])
    return first !== undefined && placeOf(facts.accepted([op]).at(-1)?.call) < placeOf(first)
  })
  return isBlind ? unproven(actual, TOO_MUCH, FEWER) : { verdict: 'pass', actual }
}

const TOO_MUCH = 'the answers of this run are too many to keep, and of these calls none of the later ones was looked at'
const FEWER = 'Use a credential with a shorter past, or run the scenarios in parts (--only).'

/** Null where an answer is nested so deeply that comparing it takes more stack than there is. */
function judgedBy(judge: () => RuleCheck[]): RuleCheck[] | null {
  try {
    return judge()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
