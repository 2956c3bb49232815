import { CASE_STEPS, type CaseStep, type CaseStepName } from './case-states.ts'
import { ENDPOINT_IDS, ENDPOINTS } from './endpoints.ts'
import { ERROR_CODES, type ErrorCode } from './errors.ts'
import type { EnvironmentWord } from './ids.ts'
import { LIMITS } from './limits.ts'
import { ORDER_STEPS, type OrderState, type OrderStep, type OrderStepName } from './order-states.ts'
import { type OrderPaymentModel, PAYMENT_MODELS, type PaymentModel } from './payment-models.ts'
import type { Scope } from './scopes.ts'

/** Names of the two ends of a date range. */
export type WindowFilter = 'from' | 'to'

/** Whose things are found or shown. */
type Whose = 'own' | 'all'

const WINDOW = some<WindowFilter>('from', 'to')

/**
 * What the document fixes, as one value. The sandbox obeys it where its own decisions are made; a defect
 * (src/proof/defects) is this value with one thing changed, or a plugin where only the answer is wrong. What the document
 * leaves open is in gaps.ts instead.
 */
const DOCUMENTED = {
  /** The environment word of secrets; that of key ids is always `sandbox` here (CRED-01). */
  credentials: { secretWord: one<EnvironmentWord>('sandbox') },
  timestamp: {
    pastSeconds: one<number>(LIMITS.timestampSkewSeconds),
    futureSeconds: one<number>(LIMITS.timestampSkewSeconds),
  },
  /** Any one of the listed scopes opens the endpoint. */
  scopes: fromKeys(ENDPOINT_IDS, (id): readonly Scope[] => ENDPOINTS[id].scopes),
  /** Whether a credential must be linked to an affiliate account. */
  affiliate: fromKeys(ENDPOINT_IDS, (id) => 'affiliate' in ENDPOINTS[id]),
  /** Each code as it goes over the wire. */
  codes: fromKeys(ERROR_CODES, (code): string => code),
  /** Statuses that replace those of the error table. */
  statuses: one<Partial<Record<ErrorCode, number>>>({}),
  search: { results: one<number>(LIMITS.searchResults), byWord: true, byMeaning: true },
  quotes: { seconds: one<number>(LIMITS.quoteSeconds), reserves: true, priceHolds: true, expiryChecked: true },
  orders: {
    priceChecked: one<'both-ways' | 'never' | 'only-below' | 'only-above'>('both-ways'),
    listShows: one<Whose>('own'),
    detailShows: one<Whose>('own'),
    /** Filters that have an effect. */
    filters: some<WindowFilter | 'status' | 'domain'>('status', 'domain', ...WINDOW),
    initialStatus: one<OrderState>('EXTERNALLY_PAID'),
  },
  refunds: {
    /** States in which a partner may ask for its order to be refunded. */
    from: some<OrderState>('EXTERNALLY_PAID', 'MANUAL_REVIEW', 'TRANSFER_IN_PROGRESS'),
    /** Models of the orders it may ask for. */
    models: some<OrderPaymentModel>('partner_collected'),
    /** Whose orders a request finds. */
    finds: one<Whose>('own'),
    /** Whether commission and worth of a sale that was undone are taken back. */
    reversesCommission: true,
  },
  settlement: {
    /** What a run settles: orders in these states, of these models. */
    from: some<OrderState>('TRANSFER_COMPLETED'),
    models: some<OrderPaymentModel>('partner_collected'),
    /** What a statement says is owed. */
    owes: one<'gross-less-commission' | 'gross'>('gross-less-commission'),
    /** Whether a later statement makes up for orders that were undone after theirs. */
    adjusts: true,
    shows: one<Whose>('own'),
    /** Filters that have an effect. */
    filters: WINDOW,
  },
  payouts: {
    /** Models whose commission a run pays. */
    models: some<PaymentModel>('hosted_checkout', 'brokerage'),
    /** Whether commission is paid once it is earned, or only once it is payable. */
    pays: one<'payable' | 'accrued-too'>('payable'),
    shows: one<Whose>('own'),
    filters: WINDOW,
    /** What the total paid is summed over. */
    total: one<'filter' | 'page' | 'everything'>('filter'),
  },
  reports: {
    shows: one<Whose>('own'),
    /** Models that transactions list. */
    models: some<PaymentModel>(...PAYMENT_MODELS),
    transactionFilters: some<WindowFilter | 'status' | 'payment_model'>(...WINDOW, 'status', 'payment_model'),
    /** What the totals of transactions are summed over. */
    totals: one<'filter' | 'page' | 'everything'>('filter'),
    /** Filters of /me/sales, /me/commissions and /analytics that have an effect. */
    salesFilters: WINDOW,
    commissionFilters: WINDOW,
    analyticsFilters: WINDOW,
    /** Which sales /me/sales shows: those that a link led to, or all. */
    sales: one<'attributed' | 'all'>('attributed'),
    /** What the balance of a line sums up. */
    balance: one<'ledger' | 'page' | 'line'>('ledger'),
  },
  checkout: {
    /** How long a page may be opened. */
    seconds: one<number>(LIMITS.checkoutSeconds),
    /** How much of a page's token must be right. */
    tokenChecked: one<'whole' | 'all-but-last-character' | 'never'>('whole'),
    expiryChecked: true,
    /** Whether a session needs a listed domain. */
    listedOnly: true,
  },
  idempotency: {
    keyRequired: true,
    sameBody: one<'replays' | 'records-again'>('replays'),
    otherBody: one<'conflict' | 'replays' | 'records-again'>('conflict'),
    keyWithin: one<'partner' | 'everyone'>('partner'),
  },
  steps: one<Readonly<Record<OrderStepName, OrderStep>>>(ORDER_STEPS),
  brokerage: {
    /** What makes a domain ineligible. */
    ineligible: some<'active_site' | 'in_case'>('active_site', 'in_case'),
    listShows: one<Whose>('own'),
    detailShows: one<Whose>('own'),
    steps: one<Readonly<Record<CaseStepName, CaseStep>>>(CASE_STEPS),
    /** Whether a closed deal earns the partner its cut. */
    paysCut: true,
  },
  referral: {
    listShows: one<Whose>('own'),
    countsClicks: true,
    /** Whether purchases are attributed to links. */
    attributes: true,
    /** Whose clicks /me/clicks counts, and its filters that have an effect. */
    clicksShow: one<Whose>('own'),
    clickFilters: WINDOW,
  },
  events: {
    history: one<Whose>('own'),
    afterId: one<'exclusive' | 'inclusive' | 'ignored'>('exclusive'),
  },
  webhooks: {
    /** What a later registration replaces. */
    replaces: some<'url' | 'secret'>('url', 'secret'),
    /** To whose endpoints an event is sent. */
    tells: one<'own' | 'everyone'>('own'),
    /** How long an attempt may take, in milliseconds of real time. */
    deadlineMs: one<number>(LIMITS.webhookTimeoutMs),
  },
}

/** The document as rules, or a careless reading of it. */
export type Rules = { readonly [Area in keyof typeof DOCUMENTED]: Readonly<(typeof DOCUMENTED)[Area]> }

export const RULES: Rules = DOCUMENTED

/** The document's value; the others of its type are what careless services do. */
function one<Value>(value: Value): Value {
  return value
}

function some<Value>(...values: readonly Value[]): readonly Value[] {
  return values
}

function fromKeys<Key extends string, Value>(keys: readonly Key[], value: (key: Key) => Value): Record<Key, Value> {
  return Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<Key, Value>
}
