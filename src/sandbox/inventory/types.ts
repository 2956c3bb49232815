/** A domain of the inventory and what it is offered for. */
export interface Listing {
  /** Row number; what an operator adds counts down from -1. */
  readonly id: number
  /** Normalized name. */
  readonly domain: string
  /** Buy-now price in cents. */
  readonly priceCents: number
  /** The least that is accepted, in cents; never above the price. */
  readonly floorPriceCents: number
  readonly currency: string
  /** False where an operator took it off the list: then it is answered like a name that never was there. */
  readonly listed: boolean
  /** An active site runs on it (document: Brokerage eligibility). */
  readonly liveSite: boolean
  /** What it is about, most fitting first. */
  readonly topics: readonly string[]
  readonly registrar: string
  /** Milliseconds since 1970. */
  readonly registeredAtMs: number
}

/** What decides whether a name can be bought now, and for what. */
export interface Offer extends Pick<Listing, 'domain' | 'priceCents' | 'currency' | 'listed'> {
  /** An order that was not undone has it. */
  readonly isSold: boolean
  /** The partner whose quote holds it. */
  readonly reservedBy: string | null
}

/** One page of the inventory, in the order of the names. */
export interface ListingsPage {
  readonly listings: Listing[]
  /** Give it as `after` to go on; null at the end. */
  readonly next: string | null
}

/** A quote that keeps a name from all others. */
export interface Reservation {
  readonly quoteSeq: number
  readonly partnerId: string
  readonly expiresAtMs: number
}

/** The order that has a name. */
export interface SaleOfName {
  readonly publicId: string
  readonly partnerId: string
  readonly atMs: number
}

/** A listing before it has a row, with the words by which search finds it. */
export interface DrawnListing extends Omit<Listing, 'id'> {
  /** Space-separated; empty where search does not know it. */
  readonly words: string
}

/** What search needs of a listing. */
export interface ShelfListing extends Pick<Listing, 'id' | 'domain' | 'priceCents' | 'currency' | 'topics'> {
  /** The words of its name, folded. */
  readonly words: readonly string[]
}
