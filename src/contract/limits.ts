import type { GapChoices } from './choices.ts'

/** Every number of the document (Limits), and ours where it names none (marked with the gap's id). */
export const LIMITS = {
  /** At most this many domains in a search answer (INV-01). */
  searchResults: 5,
  /** Either side of the server's time (TIME-01..03). */
  timestampSkewSeconds: 300,
  /** How long a quote holds its domain and price (QUOTE-01). */
  quoteSeconds: 600,
  /** How long a checkout page may be opened (CHK-02). */
  checkoutSeconds: 7 * 24 * 3600,
  /** How long a webhook receiver may take (HOOK-04). */
  webhookTimeoutMs: 5_000,

  /** NONCE-05: twice the skew, so that no accepted timestamp outlives its nonce. */
  nonceRetentionSeconds: 600,
  /** NONCE-07. */
  nonceMaxLength: 128,
  /** ERR-06. */
  rateLimit: { requests: 1_000, seconds: 10 },
  /** EVT-04. */
  eventsPage: { min: 1, max: 200, default: 50 },
  /** ORD-14. */
  listPage: { min: 1, max: 100, default: 20 },
  /** Larger bodies are answered 413. */
  bodyBytes: 64 * 1024,
  /** Deeper JSON is refused before it is parsed. */
  jsonDepth: 32,
  /** How much of a caller's value a message may quote. */
  quotedCharacters: 64,
} as const

/**
 * How long the pages of the event history may be, as an open point decides (EVT-04).
 *
 * @example eventsPage(DEFAULT_GAPS) // { min: 1, max: 200, default: 50 }
 */
export function eventsPage(gaps: Pick<GapChoices, 'events-limits'>): { min: number; max: number; default: number } {
  const [min = 1, max = 1, usual = 1] = gaps['events-limits'].match(/\d+/g)?.map(Number) ?? []
  return { min, max, default: usual }
}

/** The highest price or budget: far above any, and far below where cents lose their exactness. */
export const MOST_CENTS = 1_000_000_000_000

/** Bounds of what may be set about a world. */
export const SETTING_LIMITS = {
  inventory: 10_000_000,
  /** As many as the sandbox is made for. */
  seededOrders: 100_000,
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
