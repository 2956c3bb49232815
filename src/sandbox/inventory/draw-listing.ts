import { createDice, type Dice, seedKey } from './dice.ts'
import { type DrawnName, domainOf, drawName, labelLength, parts } from './draw-name.ts'
import { type Topic, topics } from './lexicon.ts'
import { magicKind } from './magic.ts'
import type { DrawnListing } from './types.ts'

/** The currency of all that is made from a seed. */
export const LISTING_CURRENCY = 'USD'

const DAY_MS = 86_400_000
/** Registrations lie before a day that the seed chooses in the year before this one, on any day of the run. */
const EPOCH_MS = Date.UTC(2025, 0, 1)
const YEARS_BACK = 24

/**
 * Draws a listing from its number alone.
 *
 * @param n the listing's number, from 1.
 * @param attempt counts up where the name of the attempt before was taken.
 * @returns null where the attempt came to no name that may be listed.
 */
export type DrawListing = (n: number, attempt: number) => DrawnListing | null

/** @param nowMs the world's time: nothing was registered after it. */
export function listingDrawer(seed: string, nowMs: number): DrawListing {
  const key = seedKey(seed, 'inventory')
  const epochMs = inventoryEpochMs(seed, nowMs)
  return (n, attempt) => {
    const dice = createDice(key, n, attempt)
    const name = drawName(dice, n, attempt)
    const domain = domainOf(name)
    if (domain === null || magicKind(domain) !== null) return null
    return { domain, ...terms(dice, name, epochMs), words: name.words.join(' ') }
  }
}

/**
 * The listing of a magic name: an ordinary one, but that search does not know it.
 *
 * @param domain a name that magicKind knows.
 */
export function drawMagicListing(seed: string, domain: string, nowMs: number): DrawnListing {
  const dice = createDice(seedKey(seed, `magic ${domain}`), 0, 0)
  const topic = dice.of(topics().all)
  const name: DrawnName = { label: domain, words: [], topics: [topic], worth: 1 }
  const epochMs = inventoryEpochMs(seed, nowMs)
  return { domain, ...terms(dice, name, epochMs), liveSite: magicKind(domain) === 'live-site', words: '' }
}

/** The day before which all listings of a seed were registered: all that the world's time changes about them. */
export function inventoryEpochMs(seed: string, nowMs: number): number {
  return Math.min(EPOCH_MS - (seedKey(seed, 'inventory').second % 365) * DAY_MS, nowMs)
}

function terms(dice: Dice, name: DrawnName, epochMs: number): Omit<DrawnListing, 'domain' | 'words'> {
  const dollars = drawPrice(dice, name)
  return {
    priceCents: dollars * 100,
    floorPriceCents: drawFloor(dice, dollars) * 100,
    currency: LISTING_CURRENCY,
    listed: true,
    liveSite: false,
    topics: drawTopics(dice, name.topics),
    registrar: dice.of(parts().registrars),
    registeredAtMs: epochMs - DAY_MS - dice.below(YEARS_BACK * 365 * 24 * 3_600) * 1_000,
  }
}

/** Dollars from 50 up, most of them three or four digits, rounded the way sellers round. */
function drawPrice(dice: Dice, name: DrawnName): number {
  const spread = (dice.below(1_000) + dice.below(1_000) + dice.below(1_000)) / 1_000 - 1.5
  const brevity = Math.min(2, 11 / labelLength(name))
  const exact = 1_100 * Math.exp(1.5 * spread) * brevity * name.worth
  const step = exact < 500 ? 25 : exact < 2_000 ? 50 : exact < 10_000 ? 100 : 500
  return Math.max(50, Math.round(exact / step) * step)
}

/** Whole fives from 60 to 90 percent of the price. */
function drawFloor(dice: Dice, dollars: number): number {
  return Math.floor((dollars * (60 + dice.below(31))) / 100 / 5) * 5
}

/** Three to six: what the name is about, then what goes with it, then what goes with that. */
function drawTopics(dice: Dice, about: readonly Topic[]): string[] {
  const wanted = 3 + dice.below(4)
  const slugs: string[] = []
  const add = (slug: string) => {
    if (slugs.length < wanted && !slugs.includes(slug)) slugs.push(slug)
  }
  for (const { slug } of about) add(slug)
  for (const { near } of about) for (const slug of near) add(slug)
  for (const slug of slugs.slice(about.length)) add(dice.of(topics().bySlug.get(slug)?.near ?? [slug]))
  return slugs
}
