import { ENDPOINT_IDS, ENDPOINTS, type EndpointId } from './endpoints.ts'
import { ERROR_CODES, type ErrorCode } from './errors.ts'
import { LIMITS } from './limits.ts'
import { ORDER_STEPS, type OrderState, type OrderStep, type OrderStepName } from './order-states.ts'
import type { Scope } from './scopes.ts'

/**
 * What the document fixes, as one value. The sandbox obeys it where its own decisions are made; a defect
 * (src/defects) is this value with one thing changed, or a plugin where only the answer is wrong. What the document
 * leaves open is in gaps.ts instead.
 */
export interface Rules {
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
  readonly idempotency: {
    readonly keyRequired: boolean
    readonly sameBody: 'replays' | 'records-again'
    readonly otherBody: 'conflict' | 'replays' | 'records-again'
    readonly keyWithin: 'partner' | 'everyone'
  }
  readonly steps: Readonly<Record<OrderStepName, OrderStep>>
  readonly events: {
    readonly history: 'own' | 'everyones'
    readonly afterId: 'exclusive' | 'inclusive' | 'ignored'
  }
}

/** The document, as rules. */
export const RULES: Rules = {
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
  idempotency: { keyRequired: true, sameBody: 'replays', otherBody: 'conflict', keyWithin: 'partner' },
  steps: ORDER_STEPS,
  events: { history: 'own', afterId: 'exclusive' },
}

function fromKeys<Key extends string, Value>(keys: readonly Key[], value: (key: Key) => Value): Record<Key, Value> {
  return Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<Key, Value>
}
