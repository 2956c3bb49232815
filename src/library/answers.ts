/**
 * What the operator API answers, member by member as on the wire (docs/operator-api.md): the one place where this library
 * says it. Instants are ISO 8601 texts in the world's time, amounts whole cents.
 */
import type { CaseState, CaseStepName, CaseTier } from '../contract/case-states.ts'
import type { PresentedDiagnosis } from '../contract/diagnosis/present.ts'
import type { EndpointId } from '../contract/endpoints.ts'
import type { EventType, TransferEventType } from '../contract/event-types.ts'
import type { GapChoices } from '../contract/gaps.ts'
import type { OrderState, OrderStepName } from '../contract/order-states.ts'
import type { PaymentModel } from '../contract/payment-models.ts'

/** A page of a list: its rows under their name, and where to read on; null at the end. */
export type Page<Name extends string, Row> = { [Key in Name]: Row[] } & { next_cursor: string | null }

export interface WorldFacts {
  world: string
  /** Why nothing can be done with it but to reset, restore or delete it; null for a sound world. */
  problem: string | null
  seed: string
  inventory: number
  mode: 'running' | 'frozen'
  now: string
  progress: { start_after: string | null; complete_after: string | null; settle_every: string | null }
  rules: {
    commission: {
      partner_collected_basis_points: number
      hosted_checkout_basis_points: number
      brokerage_basis_points: number
    }
    review: { price_above_cents: number | null; buyer_countries: string[] }
  }
  /** The open points that this world decides otherwise than usual. */
  gaps: Partial<GapChoices>
  /** Null where somebody has deleted the credential. */
  main_key_id: string | null
}

export interface ClockFacts {
  mode: 'running' | 'frozen'
  now: string
  /** How many things are due some day. */
  pending: number
  pending_by_kind: Record<string, number>
  next_due: string | null
  /** What is due at that instant. */
  next: { at: string; kind: string; id: string } | null
  /** Whether waiting would change nothing: at most settlement runs come round that would find nothing. */
  idle: boolean
  auth_clock: 'wall' | 'world'
  auth_skew_seconds: number
  /** How far the jump under way has come; null where there is none. */
  advancing: { from: string; to: string | null; now: string; things_done: number } | null
}

/** All that happened while a clock was moved, in the order of its time. */
export interface Receipt {
  from: string
  to: string
  /** Whether somebody stopped it before it had come to its end. */
  stopped: boolean
  /** How many things of each kind. */
  counts: Record<string, number>
  happened: { at: string; kind: string; id: string; summary: string }[]
  /** More happened than is listed. */
  truncated: boolean
}

export interface TimelineEntry<State> {
  status: State
  at: string
  event_id: string | null
  note: string | null
}

export interface Buyer {
  email: string
  name?: string | null
  country?: string | null
}

/** The five facts that every order event carries. */
export interface OrderFacts {
  public_id: string
  domain: string
  status: OrderState
  sale_price_cents: number
  currency: string
}

export interface TransferFacts {
  public_id: string
  domain: string
  status: OrderState
}

export interface Order extends OrderFacts {
  payment_model: PaymentModel
  buyer: Buyer
  quote_id: string | null
  external_payment_ref: string | null
  commission_cents: number
  amount_owed_cents: number
  created_at: string
  updated_at: string
  partner_id: string
  /** What an operator may do with it now. */
  steps: OrderStepName[]
  timeline: TimelineEntry<OrderState>[]
}

export interface CaseFacts {
  case_id: string
  domain: string | null
  tier: CaseTier
  status: CaseState
  deal_price_cents: number | null
  partner_cut_cents: number | null
  currency: string
}

export interface BrokerageCase extends CaseFacts {
  buyer_email: string
  budget: number
  progress_url: string
  partner_share_basis_points: number
  created_at: string
  updated_at: string
  partner_id: string
  steps: CaseStepName[]
  timeline: TimelineEntry<CaseState>[]
}

export interface CheckoutSession {
  session_id: string
  checkout_url: string
  expires_at: string
  status: 'open' | 'paying' | 'paid' | 'cancelled' | 'expired'
  domain: string
  price_cents: number | null
  currency: string | null
  commission_cents: number | null
  partner_id: string
  return_url: string
  cancel_url: string
  buyer: Partial<Buyer> | null
  link_id: string | null
  /** Its order, once it is paid. */
  public_id: string | null
  created_at: string
  pays_at: string | null
  actions: ('pay' | 'decline' | 'cancel')[]
}

/** A session, and what became of what somebody did with it. */
export interface CheckoutOutcome extends CheckoutSession {
  outcome: 'paid' | 'paying' | 'declined' | 'abandoned' | 'cancelled'
}

export interface Listing {
  domain: string
  price_cents: number
  floor_price_cents: number
  currency: string
  listed: boolean
  live_site: boolean
  topics: string[]
  /** What becomes of somebody who wants to buy it now. */
  status: 'available' | 'reserved' | 'sold' | 'unlisted'
  /** The order that has it. */
  sold_by: string | null
  /** The quote that keeps it from all others. */
  reserved_by: { quote_id: string; partner_id: string; until: string } | null
}

type DataOf<Type> = Type extends TransferEventType
  ? { transfer: TransferFacts }
  : Type extends 'brokerage.case_completed'
    ? { case: CaseFacts }
    : { order: OrderFacts }

/**
 * An event; its `type` tells what `data` holds. Those of transfers are told only where the open point `transfer-events`
 * says so.
 */
export type PartnerEvent = {
  [Type in EventType | TransferEventType]: {
    id: string
    type: Type
    created_at: string
    data: DataOf<Type>
    partner_id: string
  }
}[EventType | TransferEventType]

export interface Delivery {
  delivery_id: string
  event_id: string
  type: EventType
  partner_id: string
  /** 0 for the first sending, more for duplicates. */
  copy: number
  state: 'pending' | 'delivered' | 'failed' | 'dropped'
  attempt_count: number
  /** What came of the last attempt, a redelivery or a probe as well; null before the first. */
  last_attempt: Pick<DeliveryAttempt, 'number' | 'at' | 'cause' | 'probe' | 'status' | 'failure'> | null
  next_attempt_at: string | null
  created_at: string
}

export interface DeliveryAttempt {
  number: number
  cause: string
  at: string
  url: string
  signature: string
  signature_spoilt: boolean
  /** What the receiver was to refuse, where it was sent to see that; null for a real attempt. */
  probe: string | null
  status: number | null
  failure: string | null
  answer: string | null
  took_ms: number
}

export interface WholeDelivery extends Delivery {
  /** The exact text that is sent. */
  body: string
  attempts: DeliveryAttempt[]
}

/** What a receiver did with a delivery that was tampered with. */
export interface Probe {
  tampering: 'signature' | 'body' | 'secret'
  /** `accepted` is a forgery taken; `unclear` is anything but a 2xx and a 4xx. */
  verdict: 'refused' | 'accepted' | 'unclear'
  status: number | null
  failure: string | null
}

export interface ProbedDelivery extends WholeDelivery {
  probes: Probe[]
}

export interface DeliveryProfile {
  duplicate: number
  reorder: boolean
  delay: string | null
  drop: boolean
  wrong_secret: boolean
  before_response: boolean
}

/** One line of the request log. */
export interface LoggedRequest {
  request_id: string
  position: number
  /** By the machine's clock. */
  at: string
  world_time: string
  method: string
  target: string
  endpoint: EndpointId | null
  status: number
  code: string | null
  key_id: string | null
  credential: string | null
  /** What went wrong with it on purpose, by a fault or by a magic name. */
  mishap: 'refuse' | 'delay' | 'drop' | 'garbage' | null
  /** Id of the fault that acted on it. */
  fault: string | null
  took_ms: number
}

/** Why a call was refused: one sentence, the mistakes it names, and for a signature the two canonical strings. */
export type Diagnosis = PresentedDiagnosis

export interface WholeRequest extends LoggedRequest {
  checks: { check: string; verdict: 'passed' | 'refused' | 'not_reached' }[]
  detail: string | null
  canonical_string: string | null
  /** Null for a call that was not refused. */
  diagnosis: Diagnosis | null
  /** Name of the world whose credential made it. */
  world: string
  request: { headers: [name: string, value: string][]; body_bytes: number; body: string; body_encoding: string }
  answer: { status: number; headers: Record<string, unknown>; body: string }
  failure: string | null
}

/** The names that behave by themselves (docs/magic-domains.md). */
export interface MagicList {
  domains: { name: string; [fact: string]: unknown }[]
  buyers: { name: string; [fact: string]: unknown }[]
}
