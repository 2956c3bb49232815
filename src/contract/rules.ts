import { CASE_STEPS, type CaseStep, type CaseStepName } from './case-states.ts'
import { ENDPOINT_IDS, ENDPOINTS, type EndpointId } from './endpoints.ts'
import { ERROR_CODES, type ErrorCode } from './errors.ts'
import type { EnvironmentWord } from './ids.ts'
import { LIMITS } from './limits.ts'
import { ORDER_STEPS, type OrderState, type OrderStep, type OrderStepName } from './order-states.ts'
import { type OrderPaymentModel, PAYMENT_MODELS, type PaymentModel } from './payment-models.ts'
import type { Scope } from './scopes.ts'

/**
 * What the document fixes, as one value. The sandbox obeys it where its own decisions are made; a defect
 * (src/defects) is this value with one thing changed, or a plugin where only the answer is wrong. What the document
 * leaves open is in gaps.ts instead.
 */
export interface Rules {
  /** The environment word of secrets; that of key ids is always `sandbox` here (CRED-01). */
  readonly credentials: { readonly secretWord: EnvironmentWord }
  readonly timestamp: {
    readonly pastSeconds: number
    readonly futureSeconds: number
    /** `seconds` is the document's; the others are what careless services read. */
    readonly form: 'seconds' | 'any-number' | 'milliseconds-too'
  }
  readonly signature: {
    readonly prefix: 'required' | 'optional'
    readonly digest: 'lower-hex' | 'any-case-hex' | 'hex-or-base64' | 'first-16-digits'
    /** Whose secret a signature may be made with. */
    readonly secretOf: 'credential' | 'any-credential' | 'credential-or-key-id'
  }
  readonly nonce: {
    readonly tracked: boolean
    /** What a nonce is unique within. */
    readonly within: 'credential' | 'credential-and-path' | 'credential-and-method' | 'credential-and-timestamp'
    readonly compared: 'whole' | 'case-insensitive' | 'all-but-last-character'
    readonly form: 'any' | 'uuid'
  }
  /** Any one of the listed scopes opens the endpoint. */
  readonly scopes: Readonly<Record<EndpointId, readonly Scope[]>>
  /** Whether a credential must be linked to an affiliate account. */
  readonly affiliate: Readonly<Record<EndpointId, boolean>>
  /** Each code as it goes over the wire. */
  readonly codes: Readonly<Record<ErrorCode, string>>
  /** Statuses that replace those of the error table. */
  readonly statuses: Readonly<Partial<Record<ErrorCode, number>>>
  readonly search: { readonly results: number; readonly byWord: boolean; readonly byMeaning: boolean }
  readonly quotes: {
    readonly seconds: number
    readonly reserves: boolean
    readonly priceHolds: boolean
    readonly expiryChecked: boolean
  }
  readonly orders: {
    readonly priceChecked: 'both-ways' | 'never' | 'only-below' | 'only-above'
    readonly listShows: 'own' | 'everyones'
    readonly detailShows: 'own' | 'everyones'
    /** Filters that have an effect. */
    readonly filters: readonly ('status' | 'domain' | 'from' | 'to')[]
    readonly initialStatus: OrderState
  }
  readonly refunds: {
    /** States in which a partner may ask for its order to be refunded. */
    readonly from: readonly OrderState[]
    /** Models of the orders it may ask for. */
    readonly models: readonly OrderPaymentModel[]
    /** Whose orders a request finds. */
    readonly finds: 'own' | 'everyones'
    /** Whether commission and worth of a sale that was undone are taken back. */
    readonly reversesCommission: boolean
  }
  readonly settlement: {
    /** What a run settles: orders in these states, of these models. */
    readonly from: readonly OrderState[]
    readonly models: readonly OrderPaymentModel[]
    /** What a statement says is owed. */
    readonly owes: 'gross-less-commission' | 'gross'
    /** Whether a later statement makes up for orders that were undone after theirs. */
    readonly adjusts: boolean
    readonly shows: 'own' | 'everyones'
    /** Filters that have an effect. */
    readonly filters: readonly WindowFilter[]
  }
  readonly payouts: {
    /** Models whose commission a run pays. */
    readonly models: readonly PaymentModel[]
    /** Whether commission is paid once it is earned, or only once it is payable. */
    readonly pays: 'payable' | 'accrued-too'
    readonly shows: 'own' | 'everyones'
    readonly filters: readonly WindowFilter[]
    /** What the total paid is summed over. */
    readonly total: 'filter' | 'page' | 'everything'
  }
  readonly reports: {
    readonly shows: 'own' | 'everyones'
    /** Models that transactions list. */
    readonly models: readonly PaymentModel[]
    readonly transactionFilters: readonly (WindowFilter | 'status' | 'payment_model')[]
    /** What the totals of transactions are summed over. */
    readonly totals: 'filter' | 'page' | 'everything'
    /** Filters of /me/sales, /me/commissions and /analytics that have an effect. */
    readonly salesFilters: readonly WindowFilter[]
    readonly commissionFilters: readonly WindowFilter[]
    readonly analyticsFilters: readonly WindowFilter[]
    /** Which sales /me/sales shows: those that a link led to, or all. */
    readonly sales: 'attributed' | 'all'
    /** What the balance of a line sums up. */
    readonly balance: 'ledger' | 'page' | 'line'
  }
  readonly checkout: {
    /** How long a page may be opened. */
    readonly seconds: number
    /** How much of a page's token must be right. */
    readonly tokenChecked: 'whole' | 'all-but-last-character' | 'never'
    readonly expiryChecked: boolean
    /** Whose sale it is that a buyer pays for on the page. */
    readonly attributesTo: 'creator' | 'nobody'
    /** Whether a session needs a listed domain. */
    readonly listedOnly: boolean
  }
  readonly idempotency: {
    readonly keyRequired: boolean
    readonly sameBody: 'replays' | 'records-again'
    readonly otherBody: 'conflict' | 'replays' | 'records-again'
    readonly keyWithin: 'partner' | 'everyone'
  }
  readonly steps: Readonly<Record<OrderStepName, OrderStep>>
  readonly brokerage: {
    /** What makes a domain ineligible. */
    readonly ineligible: readonly ('active_site' | 'in_case')[]
    readonly listShows: 'own' | 'everyones'
    readonly detailShows: 'own' | 'everyones'
    readonly steps: Readonly<Record<CaseStepName, CaseStep>>
    /** Whether a closed deal earns the partner its cut. */
    readonly paysCut: boolean
  }
  readonly referral: {
    readonly listShows: 'own' | 'everyones'
    readonly countsClicks: 'once-a-visit' | 'every-time' | 'never'
    /** Whether purchases are attributed to links. */
    readonly attributes: boolean
    /** Whose clicks /me/clicks counts, and its filters that have an effect. */
    readonly clicksShow: 'own' | 'everyones'
    readonly clickFilters: readonly WindowFilter[]
  }
  readonly events: {
    readonly history: 'own' | 'everyones'
    readonly afterId: 'exclusive' | 'inclusive' | 'ignored'
  }
  readonly webhooks: {
    /** What a later registration replaces. */
    readonly replaces: readonly ('url' | 'secret')[]
    /** To whose endpoints an event is sent. */
    readonly tells: 'own' | 'everyone'
    /** How long an attempt may take, in milliseconds of real time. */
    readonly deadlineMs: number
  }
}

/** Names of the two ends of a date range. */
export type WindowFilter = 'from' | 'to'

const WINDOW = ['from', 'to'] as const

/** The document, as rules. */
export const RULES: Rules = {
  credentials: { secretWord: 'sandbox' },
  timestamp: {
    pastSeconds: LIMITS.timestampSkewSeconds,
    futureSeconds: LIMITS.timestampSkewSeconds,
    form: 'seconds',
  },
  signature: {
    prefix: 'required',
    digest: 'lower-hex',
    secretOf: 'credential',
  },
  nonce: { tracked: true, within: 'credential', compared: 'whole', form: 'any' },
  scopes: fromKeys(ENDPOINT_IDS, (id) => ENDPOINTS[id].scopes),
  affiliate: fromKeys(ENDPOINT_IDS, (id) => 'affiliate' in ENDPOINTS[id]),
  codes: fromKeys(ERROR_CODES, (code) => code),
  statuses: {},
  search: { results: LIMITS.searchResults, byWord: true, byMeaning: true },
  quotes: { seconds: LIMITS.quoteSeconds, reserves: true, priceHolds: true, expiryChecked: true },
  orders: {
    priceChecked: 'both-ways',
    listShows: 'own',
    detailShows: 'own',
    filters: ['status', 'domain', 'from', 'to'],
    initialStatus: 'EXTERNALLY_PAID',
  },
  refunds: {
    from: ['EXTERNALLY_PAID', 'MANUAL_REVIEW', 'TRANSFER_IN_PROGRESS'],
    models: ['partner_collected'],
    finds: 'own',
    reversesCommission: true,
  },
  settlement: {
    from: ['TRANSFER_COMPLETED'],
    models: ['partner_collected'],
    owes: 'gross-less-commission',
    adjusts: true,
    shows: 'own',
    filters: WINDOW,
  },
  payouts: {
    models: ['hosted_checkout', 'brokerage'],
    pays: 'payable',
    shows: 'own',
    filters: WINDOW,
    total: 'filter',
  },
  reports: {
    shows: 'own',
    models: PAYMENT_MODELS,
    transactionFilters: [...WINDOW, 'status', 'payment_model'],
    totals: 'filter',
    salesFilters: WINDOW,
    commissionFilters: WINDOW,
    analyticsFilters: WINDOW,
    sales: 'attributed',
    balance: 'ledger',
  },
  checkout: {
    seconds: LIMITS.checkoutSeconds,
    tokenChecked: 'whole',
    expiryChecked: true,
    attributesTo: 'creator',
    listedOnly: true,
  },
  idempotency: { keyRequired: true, sameBody: 'replays', otherBody: 'conflict', keyWithin: 'partner' },
  steps: ORDER_STEPS,
  brokerage: {
    ineligible: ['active_site', 'in_case'],
    listShows: 'own',
    detailShows: 'own',
    steps: CASE_STEPS,
    paysCut: true,
  },
  referral: {
    listShows: 'own',
    countsClicks: 'once-a-visit',
    attributes: true,
    clicksShow: 'own',
    clickFilters: WINDOW,
  },
  events: { history: 'own', afterId: 'exclusive' },
  webhooks: { replaces: ['url', 'secret'], tells: 'own', deadlineMs: LIMITS.webhookTimeoutMs },
}

function fromKeys<Key extends string, Value>(keys: readonly Key[], value: (key: Key) => Value): Record<Key, Value> {
  return Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<Key, Value>
}
