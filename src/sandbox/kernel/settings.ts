/** How a world misbehaves on purpose when it delivers webhooks, so that receivers can be tried. */
export interface DeliveryProfile {
  /** Extra copies of each delivery. */
  duplicate: number
  /** Later events before earlier ones, among those that are due together. */
  reorder: boolean
  /** World time between an event and its first attempt, in milliseconds. */
  delayMs: number
  /** Nothing is sent; the history has it all the same. */
  drop: boolean
  /** Signed with a secret that the partner never registered. */
  wrongSecret: boolean
  /** A call is answered only when the attempts for what it caused have ended. */
  beforeResponse: boolean
}

export const PLAIN_DELIVERY: DeliveryProfile = {
  duplicate: 0,
  reorder: false,
  delayMs: 0,
  drop: false,
  wrongSecret: false,
  beforeResponse: false,
}

/** The partner's shares, in hundredths of a percent of the price. */
export interface CommissionRates {
  partnerCollectedBasisPoints: number
  hostedCheckoutBasisPoints: number
  brokerageBasisPoints: number
}

/** What happens without an operator, in milliseconds of world time; null for never. */
export interface Progress {
  /** From the recording of an order to the start of its transfer. */
  readonly startAfterMs: number | null
  /** From the start of a transfer to its completion. */
  readonly completeAfterMs: number | null
  /** Between two settlement runs. */
  readonly settleEveryMs: number | null
  /** The world's time at which this was set; no wait counts from before it. */
  readonly sinceMs: number
}

/** Which orders are held for manual review as soon as they are recorded (STATE-08). */
export interface ReviewRule {
  /** Dearer ones; null for none. */
  priceAboveCents: number | null
  /** Those of buyers from these countries (ISO 3166 alpha-2). */
  buyerCountries: readonly string[]
}

/** What an operator may set about a world. */
export interface WorldSettings {
  /** Calls a credential may make in so many seconds of wall time, and visits of all pages; null for no limit (ERR-06). */
  rateLimit: { requests: number; seconds: number } | null
  /** The partner's share of what is sold, for each sales model. */
  commission: CommissionRates
  /** How orders and settlements go on by themselves. */
  progress: Progress
  /** Which orders are held. */
  review: ReviewRule
  /** How webhooks misbehave on purpose. */
  delivery: DeliveryProfile
  /** Which clock judges timestamps (TIME-07). */
  authClock: 'wall' | 'world'
  /** Seconds by which the judging clock is ahead of the real one. */
  authSkewSeconds: number
  /** Listings made from the seed, besides the magic ones. */
  inventory: number
}
