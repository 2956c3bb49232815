/** Bounds of what may be set about a world. */
export const SETTING_LIMITS = {
  inventory: 10_000_000,
  /** The command line's, which takes more than the operator API. */
  rateLimit: { requests: 999_999_999, seconds: 999_999 },
  /** Ten years either way: more is a mistake in the unit. */
  authSkewSeconds: 315_360_000,
  buyerCountries: 300,
  deliveryDelayMs: 365 * 86_400_000,
  /** Extra copies of each webhook. */
  deliveryCopies: 5,
} as const

/** Bounds of what an operator may ask for when calls are to go wrong. */
export const FAULT_LIMITS = { delayMs: 60_000, retryAfterSeconds: 3_600, times: 1_000_000, rules: 1_000 } as const

/** What the snapshot of a world may weigh. */
export const SNAPSHOT_BYTES = 1024 * 1024 * 1024
