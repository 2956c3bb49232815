import { formatInstant } from '../../clock/instant.ts'
import { CASE_STATES, CASE_STEP_NAMES, CASE_STEPS } from '../../contract/case-states.ts'
import { GAP_IDS, type GapId, gapOf } from '../../contract/choices.ts'
import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoint-ids.ts'
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { ERROR_CODES, type ErrorCode } from '../../contract/errors.ts'
import { EVENT_TYPES, type EventType } from '../../contract/event-types.ts'
import { ORDER_STATES, ORDER_STEPS, type OrderStepName, startsIn } from '../../contract/order-states.ts'
import { PROBE_KINDS, type ProbeKind } from '../webhooks/delivery.ts'
import { edge, type Met, NEW, NOTHING, together } from './facts.ts'
import { codeHint, type Evidence, endpointHint, LOST_REPLY_HINT } from './hints.ts'
import { isRetryable, RETRYABLE, type Setback } from './retries.ts'

/**
 * How far something has been exercised: `partly` if it began, or happened unseen; `wrong` if the client did what it should
 * not; `not_counted` if no call can show it.
 */
export type RowState = 'met' | 'partly' | 'wrong' | 'not_met' | 'not_counted'

/** One thing of the contract that a client may exercise, as its section writes it. */
interface DraftRow {
  readonly id: string
  readonly title: string
  /** How often the client exercised it, and when. */
  readonly seen: Met
  /** If left out: `met` once it was seen. */
  readonly state?: RowState
  /** How often it happened, whether or not the client knows; null where that is the same. */
  readonly happened?: Met | null
  /** What there is to say besides. */
  readonly says?: string | null
  /** A call of the request log to look at. */
  readonly requestId?: string | null
  /** How to exercise it; shown until it is done. */
  readonly hint: string
}

export type CoverageSection = ReturnType<typeof section>

export type Row = ReturnType<typeof presentRow>

export function section(id: string, title: string, drafts: readonly DraftRow[]) {
  const rows = drafts.map(presentRow)
  const counted = rows.filter(({ state }) => state !== 'not_counted')
  return { id, title, met: counted.filter(({ state }) => state === 'met').length, of: counted.length, rows }
}

function presentRow({ id, title, seen, happened = null, says = null, requestId = null, hint, ...draft }: DraftRow) {
  const state = draft.state ?? (seen.count > 0 ? 'met' : 'not_met')
  const isDone = state === 'met' || state === 'not_counted'
  return {
    id,
    title,
    state,
    ...presentMet(seen),
    happened: happened && presentMet(happened),
    says,
    request_id: requestId,
    hint: isDone ? null : hint,
  }
}

function presentMet({ count, firstMs, lastMs }: Met) {
  return {
    count,
    first_at: count === 0 ? null : formatInstant(firstMs),
    last_at: count === 0 ? null : formatInstant(lastMs),
  }
}

export function endpointSection(evidence: Evidence) {
  return section(
    'endpoints',
    'Endpoints',
    ENDPOINT_IDS.map((id) => endpointRow(evidence, id)),
  )
}

function endpointRow(evidence: Evidence, id: EndpointId): DraftRow {
  const { seen, command } = evidence
  const [called, accepted] = [seen('called', id), seen('accepted', id)]
  const isPartly = accepted.count === 0 && called.count > 0
  const { method, path } = ENDPOINTS[id]
  return {
    id,
    title: `${method} ${path}`,
    seen: accepted,
    happened: called,
    ...(isPartly && { state: 'partly', says: 'called, but no 2xx answer yet' }),
    hint: isPartly ? `see why: ${command(`request list --endpoint ${id}`)}` : endpointHint(id, evidence),
  }
}

export function codeSection(evidence: Evidence) {
  return section(
    'codes',
    'Error codes',
    ERROR_CODES.map((code) => {
      return { id: code, title: code, seen: evidence.seen('code', code), hint: codeHint(code, evidence) }
    }),
  )
}

export function retrySection(evidence: Evidence) {
  const rows = [...RETRYABLE, ...ERROR_CODES.filter((code) => !isRetryable(code))]
  return section(
    'retries',
    'After a refusal',
    rows.map((setback) => retryRow(evidence, setback)),
  )
}

/** What a client should do next. */
const RIGHT_NEXT: Partial<Record<Setback, string>> = {
  rate_limited: 'wait for Retry-After, sign again, retry',
  internal_error: 'retry with a new nonce, the same Idempotency-Key and the same bytes',
  lost_reply: 'retry with a new nonce, the same Idempotency-Key and the same bytes',
  replay_detected: 'retry with a new nonce',
  invalid_timestamp: 'retry with the current time in seconds and a new nonce',
}

const FINAL_NEXT = 'do not retry the same call'

function retryRow(evidence: Evidence, setback: Setback): DraftRow {
  const right = evidence.seen('retry-right', setback)
  const wrong = evidence.seen('retry-wrong', setback)
  const title = setback === 'lost_reply' ? 'no answer, or an unreadable one' : setback
  const row = { id: setback, title: `${title}: ${RIGHT_NEXT[setback] ?? FINAL_NEXT}` }
  if (wrong.count > 0) return { ...row, ...wrongly(evidence, right, wrong) }
  // A final refusal was handled correctly as long as the client did not retry the same call.
  const met = isRetryable(setback) ? right : evidence.seen('code', setback)
  const isOpen = met.count === 0 && setback !== 'lost_reply' && evidence.seen('code', setback).count > 0
  return {
    ...row,
    ...(isOpen && { state: 'partly' }),
    seen: met,
    says: saysOf(setback, met, isOpen),
    hint: setback === 'lost_reply' ? LOST_REPLY_HINT(evidence) : codeHint(setback, evidence),
  }
}

function saysOf(setback: Setback, met: Met, isOpen: boolean): string | null {
  if (isOpen) return 'received, but not retried since'
  if (met.count === 0) return null
  return isRetryable(setback) ? 'retried correctly' : 'never retried unchanged'
}

function wrongly({ command }: Evidence, right: Met, wrong: Met & { detail: string | null }) {
  const { request_id: requestId, wrong: what } = JSON.parse(wrong.detail ?? '{}') as Record<string, string | null>
  return {
    state: 'wrong' as const,
    seen: right.count > 0 ? right : NOTHING,
    says: `${times(wrong.count)} wrong, ${times(right.count)} right; last mistake: ${what ?? 'unknown'}`,
    requestId: requestId ?? null,
    hint: `see ${command(`request show ${requestId}`)}; start over: ${command('coverage reset')}`,
  }
}

function times(count: number): string {
  return count === 1 ? 'once' : count === 0 ? 'never' : `${count} times`
}

/** A step that something can take: from where to where, and how it is made to happen. */
interface LifecycleStep {
  readonly from: string
  readonly to: string
  readonly by: string
}

/** What goes through states, and how a client learns of them. */
const READ = {
  order: 'GET /orders/{public_id}, GET /events, or accept the webhook',
  case: 'GET /brokerage/{case_id}',
}

const ORDER_STEP_NAMES = Object.keys(ORDER_STEPS) as OrderStepName[]

export function orderSection(evidence: Evidence) {
  const { gaps } = evidence
  const recorded = { from: NEW, to: 'EXTERNALLY_PAID', by: 'POST /orders' }
  const paid = { from: NEW, to: gaps['hosted-order-state'], by: 'pay on the page of a checkout session' }
  const taken = ORDER_STEP_NAMES.flatMap((name) => {
    const { from: usual, to } = ORDER_STEPS[name]
    return startsIn(name, usual, gaps).map((from) => ({ from, to, by: takingOf(evidence, name) }))
  })
  const steps = [recorded, ...(paid.to === recorded.to ? [] : [paid]), ...taken]
  return section('orders', 'Order states and steps', lifecycleRows(evidence, 'order', ORDER_STATES, steps))
}

export function caseSection(evidence: Evidence) {
  const taken = CASE_STEP_NAMES.flatMap((name) => {
    const { from: starts, to } = CASE_STEPS[name]
    return starts.map((from) => ({ from, to, by: evidence.command(`brokerage ${name} last`) }))
  })
  const steps = [{ from: NEW, to: 'OPEN', by: 'POST /brokerage' }, ...taken]
  return section('cases', 'Brokerage case states and steps', lifecycleRows(evidence, 'case', CASE_STATES, steps))
}

/** A state is known by the steps that lead there, and that of an order by the answer to a refund. */
function lifecycleRows(
  { seen }: Evidence,
  kind: keyof typeof READ,
  states: readonly string[],
  steps: readonly LifecycleStep[],
): DraftRow[] {
  const read = READ[kind]
  const known = steps.map(({ from, to, by }) => {
    const id = edge(from, to)
    return { id, from, to, by, seen: seen(`${kind}-edge`, id), happened: seen(`${kind}-edge-happened`, id), read }
  })
  const stateRows = states.map((state) => {
    const leading = known.filter(({ to }) => to === state)
    const refunded = kind === 'order' ? [seen('order-state', state)] : []
    return {
      id: state,
      title: `state ${state}`,
      ...shown({
        seen: together(...leading.map((step) => step.seen), ...refunded),
        happened: together(...leading.map(({ happened }) => happened)),
        by: [...new Set(leading.map(({ by }) => by))].join(' or '),
        read,
      }),
    }
  })
  const stepRows = known.map((step) => {
    const { id, from, to } = step
    return { id, title: from === NEW ? `new, ${to}` : `${from} to ${to}`, ...shown(step) }
  })
  return [...stateRows, ...stepRows]
}

export function eventSection(evidence: Evidence) {
  const rows = EVENT_TYPES.map((type) => ({
    id: type,
    title: type,
    ...shown({
      seen: evidence.seen('event', type),
      happened: evidence.seen('event-happened', type),
      by: makingOf(evidence, type),
      read: 'GET /events, or accept the webhook',
    }),
  }))
  return section('events', 'Event types', rows)
}

/** What has happened already need only be learned of. */
function shown(known: { seen: Met; happened: Met; by: string; read: string }): Omit<DraftRow, 'id' | 'title'> {
  const { seen, happened, by, read } = known
  if (happened.count === 0) return { seen, happened, hint: `${by}; then ${read}` }
  if (seen.count > 0) return { seen, happened, hint: read }
  const says = 'it happened, but the client has not read or received it yet'
  return { seen, happened, state: 'partly', says, hint: read }
}

function makingOf(evidence: Evidence, type: EventType): string {
  if (type === 'order.recorded') return 'POST /orders'
  if (type === 'brokerage.case_completed') return evidence.command('brokerage close-deal last')
  const name = ORDER_STEP_NAMES.find((step) => ORDER_STEPS[step].event === type) as OrderStepName
  return takingOf(evidence, name)
}

function takingOf({ command }: Evidence, name: OrderStepName): string {
  return name === 'settle' ? command('settle run') : command(`order ${name} last`)
}

/** What else may happen to a client, besides endpoints, codes and states. */
export function situationSection({ seen, command }: Evidence) {
  return section('situations', 'Situations', [
    {
      id: 'cursor',
      title: 'a list read page by page with its cursor',
      seen: seen('situation', 'cursor'),
      hint: 'GET /orders?limit=1, then again with cursor=next_cursor',
    },
    {
      id: 'after_id',
      title: 'the event history read from an event on',
      seen: seen('situation', 'after_id'),
      hint: 'GET /events?after_id=evt_…',
    },
    {
      id: 'replayed',
      title: 'a stored answer repeated for an Idempotency-Key',
      seen: seen('situation', 'replayed'),
      hint: 'POST /orders twice with one Idempotency-Key and the same bytes',
    },
    {
      id: 'quote-used',
      title: 'an order at the price of a quote',
      seen: seen('order-of-quote'),
      hint: 'POST /quotes, then POST /orders with its quote_id within ten minutes',
    },
    {
      id: 'quote-expired',
      title: 'a quote that expired',
      seen: seen('quote-expired'),
      hint: `POST /quotes, then ${command('clock advance 11m')}`,
    },
    {
      id: 'checkout-paid',
      title: 'a checkout session that was paid',
      seen: seen('session', 'paid'),
      hint: `open its checkout_url and pay, or ${command('checkout pay last')}`,
    },
    {
      id: 'checkout-cancelled',
      title: 'a checkout session that was cancelled',
      seen: seen('session', 'cancelled'),
      hint: `cancel on its page, or ${command('checkout cancel last')}`,
    },
    {
      id: 'checkout-expired',
      title: 'a checkout session that expired',
      seen: seen('session', 'expired'),
      hint: `POST /checkout-session, then ${command('clock advance 8d')}`,
    },
    {
      id: 'click',
      title: 'a tracking link that was followed',
      seen: seen('click'),
      hint: 'POST /links, then open the url in its answer',
    },
    {
      id: 'attributed-sale',
      title: 'a sale attributed to a tracking link',
      seen: seen('order-of-link'),
      hint: 'open a tracking link of the domain, go on to the checkout and pay there',
    },
  ])
}

export function webhookSection(evidence: Evidence) {
  const { seen, command } = evidence
  return section('webhooks', 'Webhooks', [
    {
      id: 'accepted',
      title: 'a valid delivery, answered with 2xx',
      seen: seen('delivered'),
      hint: 'PUT /api/partner/webhooks with your receiver, then POST /orders',
    },
    ...PROBE_KINDS.map((kind) => probeRow(evidence, kind)),
    {
      id: 'twice',
      title: 'the same event delivered more than once, answered with 2xx each time',
      seen: seen('delivered-twice'),
      hint: `${command('delivery profile --duplicate 1')}, then POST /orders; or ${command('delivery redeliver last')}`,
    },
    {
      id: 'later',
      title: 'a delivery that failed at first, answered with 2xx later',
      seen: seen('delivered-later'),
      hint: `answer a delivery with 500 and the next attempt with 200; ${command('clock advance 10s')} makes the next attempt`,
    },
  ])
}

const TAMPERED: Record<ProbeKind, string> = {
  signature: 'a delivery with a digit of its signature altered, refused with 4xx',
  body: 'a delivery with a character of its body altered, refused with 4xx',
  secret: 'a delivery signed with another secret, refused with 4xx',
}

/** A receiver that refuses everything has verified nothing: it counts only together with a valid delivery that it accepted. */
function probeRow({ seen, command }: Evidence, kind: ProbeKind): DraftRow {
  const refused = seen('probe', `${kind} refused`)
  const row = { id: `refused-${kind}`, title: TAMPERED[kind], seen: refused }
  const hint = command(`delivery probe --tampering ${kind}`)
  if (seen('probe', `${kind} accepted`).count > 0) {
    return {
      ...row,
      state: 'wrong',
      says: 'the receiver accepted it',
      hint: `verify the signature, then ${command('coverage reset')} and ${hint}`,
    }
  }
  if (refused.count > 0 && seen('delivered').count === 0) {
    return {
      ...row,
      state: 'partly',
      says: 'refused, but the receiver accepted no valid delivery',
      hint: 'answer a valid delivery with 200',
    }
  }
  if (refused.count === 0 && seen('probe', `${kind} unclear`).count > 0) {
    return { ...row, state: 'partly', says: 'inconclusive: the answer was neither 2xx nor 4xx', hint }
  }
  return { ...row, hint }
}

export function gapSection(evidence: Evidence) {
  const shown = shownGaps(evidence)
  const open = GAP_IDS.filter((id) => gapOf(id).values.length > 1)
  return section(
    'gaps',
    'Open points',
    open.map((id) => {
      const title = `${gapOf(id).question}: ${evidence.gaps[id]}`
      return { id, title, ...(shown[id] ?? NOT_COUNTED) }
    }),
  )
}

const NOT_COUNTED = {
  seen: NOTHING,
  state: 'not_counted',
  says: 'calls do not show whether a client handles it',
  hint: '',
} as const

const CREATING = ENDPOINT_IDS.filter((id) => ENDPOINTS[id].method === 'POST')
const CASE_EVENT = 'brokerage.case_completed'

/**
 * The open points that a client has exercised, with the value that its world has chosen. Calls do not show
 * whether a client handles one of the others.
 */
function shownGaps(evidence: Evidence): Partial<Record<GapId, Pick<DraftRow, 'seen' | 'hint'>>> {
  const { seen, command, gaps } = evidence
  const byCode = (code: ErrorCode) => ({ seen: seen('code', code), hint: codeHint(code, evidence) })
  return {
    'missing-headers-status': byCode('missing_signature_headers'),
    'timestamp-status': byCode('invalid_timestamp'),
    'replay-status': byCode('replay_detected'),
    'missing-idempotency-key-status': byCode('missing_idempotency_key'),
    'error-layout': {
      seen: together(...ERROR_CODES.map((code) => seen('code', code))),
      hint: codeHint('not_found', evidence),
    },
    'created-status': {
      seen: together(...CREATING.map((id) => seen('accepted', id))),
      hint: endpointHint('quotes.create', evidence),
    },
    'hosted-order-state': {
      seen:
        gaps['hosted-order-state'] === 'TRANSFER_IN_PROGRESS'
          ? seen('order-edge', edge(NEW, 'TRANSFER_IN_PROGRESS'))
          : NOTHING,
      hint: 'pay on the page of a checkout session, then GET /orders',
    },
    'case-states': {
      seen: together(seen('accepted', 'brokerage.create'), seen('accepted', 'brokerage.detail')),
      hint: endpointHint('brokerage.create', evidence),
    },
    'case-event': {
      seen: seen('event', CASE_EVENT),
      hint: `${command('brokerage close-deal last')}; then read GET /events, or accept the webhook`,
    },
    'retry-schedule': {
      seen: seen('delivered-later'),
      hint: 'answer a delivery with 500 and the next attempt with 200',
    },
  }
}
