import { LATEST_MS } from '../../clock/instant.ts'
import { SETTING_LIMITS } from '../../contract/limits.ts'
import { flag, integer, list, nullable, object, oneOf, optional, type TypeOf, text } from '../../contract/schema.ts'

/** How a world misbehaves on purpose when it delivers webhooks, so that receivers can be tried. */
const deliveryProfile = object({
  duplicate: integer({ minimum: 0, maximum: SETTING_LIMITS.deliveryCopies }),
  /** Later events before earlier ones, among those that are due together. */
  reorder: flag(),
  /** World time between an event and its first attempt, in milliseconds. */
  delayMs: integer({ minimum: 0, maximum: SETTING_LIMITS.deliveryDelayMs }),
  /** Nothing is sent; the history has it all the same. */
  drop: flag(),
  /** Signed with a secret that the partner never registered. */
  wrongSecret: flag(),
  /** A call is answered only when the attempts for what it caused have ended. */
  beforeResponse: flag(),
})

type DeliverySettings = TypeOf<typeof deliveryProfile>

export const PLAIN_DELIVERY: DeliverySettings = {
  duplicate: 0,
  reorder: false,
  delayMs: 0,
  drop: false,
  wrongSecret: false,
  beforeResponse: false,
}

const basisPoints = integer({ minimum: 0, maximum: 10_000 })

/** The partner's share of what is sold, for each sales model, in hundredths of a percent of the price. */
const commissionRates = object({
  partnerCollectedBasisPoints: basisPoints,
  hostedCheckoutBasisPoints: basisPoints,
  brokerageBasisPoints: basisPoints,
})

export type CommissionRates = TypeOf<typeof commissionRates>

/** Each run writes a statement for each partner, so there is a shortest interval. */
export const LEAST_SETTLE_EVERY_MS = 60_000

const wait = nullable(integer({ minimum: 0 }))

/** What happens without an operator, in milliseconds of world time; null for never. */
const progress = object({
  /** From the recording of an order to the start of its transfer. */
  startAfterMs: wait,
  /** From the start of a transfer to its completion. */
  completeAfterMs: wait,
  /** Between two settlement runs. */
  settleEveryMs: nullable(integer({ minimum: LEAST_SETTLE_EVERY_MS })),
  /** The world's time at which this was set; no wait counts from before it. */
  sinceMs: integer({ minimum: 0, maximum: LATEST_MS }),
})

export type Progress = TypeOf<typeof progress>

/** Which orders are held for manual review as soon as they are recorded (STATE-08). */
const reviewRule = object({
  /** Dearer ones; null for none. */
  priceAboveCents: nullable(integer({ minimum: 0 })),
  /** Those of buyers from these countries (ISO 3166 alpha-2). */
  buyerCountries: list(text({ format: 'country' }), { maxItems: SETTING_LIMITS.buyerCountries }),
})

export type ReviewRule = TypeOf<typeof reviewRule>

/** What an operator may set about a world. */
export const worldSettings = object({
  /** Calls a credential may make in so many seconds of wall time, and visits of all pages; null for no limit (ERR-06). */
  rateLimit: nullable(
    object({
      requests: integer({ minimum: 1, maximum: SETTING_LIMITS.rateLimit.requests }),
      seconds: integer({ minimum: 1, maximum: SETTING_LIMITS.rateLimit.seconds }),
    }),
  ),
  commission: commissionRates,
  progress,
  review: reviewRule,
  delivery: deliveryProfile,
  /** Which clock judges timestamps (TIME-07). */
  authClock: oneOf(['wall', 'world']),
  /** Seconds by which the judging clock is ahead of the real one. */
  authSkewSeconds: integer({ minimum: -SETTING_LIMITS.authSkewSeconds, maximum: SETTING_LIMITS.authSkewSeconds }),
  /** Listings made from the seed, besides the magic ones. */
  inventory: integer({ minimum: 0, maximum: SETTING_LIMITS.inventory }),
  /** Refusals of the authentication checks say why, in `hint`. A file from before this was a setting has none. */
  hints: optional(flag()),
})

export type WorldSettings = TypeOf<typeof worldSettings>
