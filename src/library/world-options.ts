import type { GapChoices } from '../contract/gaps.ts'

/** How a world goes on by itself; durations of its time, null or left out for never. */
export interface ProgressOptions {
  startAfter?: string | null
  completeAfter?: string | null
  settleEvery?: string | null
}

export interface RulesOptions {
  /** The partner's shares, in hundredths of a percent. */
  commission?: {
    partnerCollectedBasisPoints?: number
    hostedCheckoutBasisPoints?: number
    brokerageBasisPoints?: number
  }
  /** What holds an order for manual review. */
  review?: { priceAboveCents?: number | null; buyerCountries?: string[] }
}

/**
 * How a world is made; every member has a default.
 *
 * @example const world = await sandbox.createWorld({ seed: 'ci', frozen: true, progress: { startAfter: '10m' } })
 */
export interface WorldOptions {
  /** Made up where none is given. */
  name?: string
  /** Everything synthetic derives from it: inventory, prices, ids. That of the sandbox unless said otherwise. */
  seed?: string
  /** Listings made from the seed, besides the magic ones. */
  inventory?: number
  /** Where its clock starts; now unless said otherwise. */
  clock?: string | Date
  /** Time stands still, and what falls due waits for `clock.advance`. */
  frozen?: boolean
  /** Open points of the API document that this world decides otherwise than usual (docs/gaps-and-choices.md). */
  gaps?: Partial<GapChoices>
  /** Draws the open points that `gaps` leaves from this seed. */
  vary?: string
  /** The partner's shares, and what is held for review. */
  rules?: RulesOptions
  /** Orders that go on by themselves; `manual`, the default, is never. */
  progress?: 'manual' | ProgressOptions
}
