import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/contract/errors.ts'
import type { Environment } from '../../../src/sandbox/app/environment.ts'
import {
  addListing,
  afterPriceWasTold,
  findListing,
  isAvailable,
  isSold,
  listListings,
  removeListing,
  setListing,
} from '../../../src/sandbox/inventory/listings.ts'
import { search } from '../../../src/sandbox/inventory/search.ts'
import type { Listing } from '../../../src/sandbox/inventory/types.ts'
import { issueQuote } from '../../../src/sandbox/sales/quotes.ts'
import { size } from '../../support/size.ts'
import { castMember, testWorld } from '../../support/world.ts'

const anyDomain = (world: Environment) => (listListings(world, { limit: 1 }).listings[0] as Listing).domain

function refusal(act: () => unknown): { code: string; message: string } {
  try {
    act()
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error('nothing was refused')
}

function recordOrder(world: Environment, domain: string, status: string): void {
  world.db
    .prepare(
      `INSERT INTO orders (public_id, partner_id, domain, status, sale_price_cents, currency, payment_model, buyer,
         commission_cents, created_at, updated_at)
       VALUES (?, 'ptr_1', ?, ?, 100, 'USD', 'partner_collected', '{}', 20, 0, 0)`,
    )
    .run(`ord_${status}`, domain, status)
}

describe('a listing', () => {
  it('is null where the name was never listed', () => {
    const world = testWorld()
    expect(findListing(world, 'nowhere-at-all.test')).toBeNull()
    expect(isAvailable(world, 'nowhere-at-all.test')).toBe(false)
  })

  it.each([
    ...['EXTERNALLY_PAID', 'MANUAL_REVIEW', 'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'SETTLED'].map((at) => [
      at,
      true,
    ]),
    ...['REFUNDED', 'CANCELLED'].map((at) => [at, false]),
  ] as [string, boolean][])('whose order is %s is sold: %s', (status, sold) => {
    const world = testWorld()
    const domain = anyDomain(world)
    recordOrder(world, domain, status)
    expect([isSold(world, domain), isAvailable(world, domain)]).toEqual([sold, !sold])
  })

  it('is not available while a quote is open', () => {
    const world = testWorld()
    const domain = anyDomain(world)
    issueQuote(world, castMember(world, 'main'), { domain })
    expect(isAvailable(world, domain)).toBe(false)
    expect(isSold(world, domain)).toBe(false)
  })

  it('is not available once it was taken off the list, and comes back', () => {
    const world = testWorld()
    const domain = anyDomain(world)
    expect(setListing(world, domain, { listed: false }).listed).toBe(false)
    expect(isAvailable(world, domain)).toBe(false)
    expect(search(world, domain).map(({ listing }) => listing.domain)).not.toContain(domain)
    setListing(world, domain, { listed: true })
    expect(isAvailable(world, domain)).toBe(true)
  })
})

describe('an operator', () => {
  it('changes price, floor, live site and topics, and search follows', () => {
    const world = testWorld()
    const domain = anyDomain(world)
    const changes = { priceCents: 12_345, floorPriceCents: 12_000, liveSite: true }
    const after = setListing(world, domain, { ...changes, topics: ['Falconry Gear'] })
    expect(after).toMatchObject({ ...changes, topics: ['falconry-gear'] })
    expect(findListing(world, domain)).toEqual(after)
    expect(search(world, 'falconry')[0]?.listing.domain).toBe(domain)
  })

  it('takes the floor down with the price', () => {
    const world = testWorld()
    expect(setListing(world, anyDomain(world), { priceCents: 100 })).toMatchObject({
      priceCents: 100,
      floorPriceCents: 100,
    })
  })

  it('adds a listing that is found by its words and topics, first among many', () => {
    const world = testWorld({ inventory: 500 })
    const added = addListing(world, { domain: 'plumbuscoffee.test', priceCents: 5_000, topics: ['coffee', 'plumbus'] })
    expect(added).toMatchObject({ id: -1, floorPriceCents: 5_000, currency: 'USD', listed: true, liveSite: false })
    expect(findListing(world, 'plumbuscoffee.test')).toEqual(added)
    expect(isAvailable(world, 'plumbuscoffee.test')).toBe(true)
    for (const q of ['plumbus', 'plumbuscoffee', 'plumbus coffee', 'coffee plumbus']) {
      expect(search(world, q)[0]?.listing.domain, q).toBe('plumbuscoffee.test')
    }
    expect(addListing(world, { domain: 'next-one.test', priceCents: 5_000 }).id).toBe(-2)
  })

  it('removes a listing, and search no longer knows it', () => {
    const world = testWorld()
    addListing(world, { domain: 'plumbuscoffee.test', priceCents: 5_000, topics: ['plumbus'] })
    removeListing(world, 'plumbuscoffee.test')
    expect(findListing(world, 'plumbuscoffee.test')).toBeNull()
    expect(search(world, 'plumbus')).toEqual([])
  })

  it('gets a magic name that was removed anew, at the price of its seed', () => {
    const world = testWorld()
    const before = findListing(world, 'held-1.test') as Listing
    setListing(world, 'held-1.test', { priceCents: 77, topics: ['plumbus'] })
    expect(search(world, 'plumbus')).toEqual([])
    removeListing(world, 'held-1.test')
    expect(findListing(world, 'held-1.test')?.priceCents).toBe(before.priceCents)
  })

  it.each([
    ['conflict', { domain: 'mine.test' }, 'mine.test is listed already'],
    ['conflict', { domain: 'held-1.test' }, 'held-1.test is listed already'],
    ['validation_error', { domain: 'a.example' }, 'domain must end with .test'],
    ['validation_error', { priceCents: 0 }, 'price_cents must be a whole number'],
    ['validation_error', { priceCents: 1.5 }, 'price_cents must be a whole number'],
    ['validation_error', { floorPriceCents: 6 }, 'floor_price_cents must be'],
    ['validation_error', { currency: 'usd' }, 'currency must be'],
    ['validation_error', { topics: ['"; DROP'] }, 'topics must be'],
    ['validation_error', { topics: 'abcdefghijklm'.split('') }, 'topics must be'],
  ])('is refused with %s a listing with %j, and nothing is added', (code, input, message) => {
    const world = testWorld()
    addListing(world, { domain: 'mine.test', priceCents: 5 })
    const refused = refusal(() => addListing(world, { domain: 'a.test', priceCents: 5, ...input }))
    expect(refused).toEqual({ code, message: expect.stringContaining(message) })
    expect(findListing(world, 'a.test')).toBeNull()
  })

  it('is refused to change or remove what was never listed', () => {
    const world = testWorld()
    const missing = { code: 'not_found', message: 'no listing is called nowhere-at-all.test' }
    expect(refusal(() => setListing(world, 'nowhere-at-all.test', { priceCents: 5 }))).toEqual(missing)
    expect(refusal(() => removeListing(world, 'nowhere-at-all.test'))).toEqual(missing)
  })
})

describe('the list of listings', () => {
  function walk(world: Environment, page: { limit: number; q?: string }): string[] {
    const domains: string[] = []
    for (let after: string | null = ''; after !== null; ) {
      const { listings, next } = listListings(world, { ...page, after })
      expect(listings.length).toBeLessThanOrEqual(page.limit)
      domains.push(...listings.map(({ domain }) => domain))
      after = next
    }
    return domains
  }

  it.each([1, 7, 50, 51])('gives each once in the order of names, %i at a time', (limit) => {
    const world = testWorld({ inventory: 50 })
    const all = world.db.prepare('SELECT domain FROM listings ORDER BY domain').pluck().all()
    expect(walk(world, { limit })).toEqual(all)
  })

  it('ends with its last full page', () => {
    expect(listListings(testWorld({ inventory: 50 }), { limit: 50 }).next).toBeNull()
    expect(listListings(testWorld({ inventory: 51 }), { limit: 50 }).next).not.toBeNull()
  })

  it('gives those that a text is part of, also where many rows lie between them', () => {
    const world = testWorld({ inventory: size(21_000, 45_000) })
    addListing(world, { domain: 'a-plumbus.test', priceCents: 5 })
    addListing(world, { domain: 'z-plumbus.test', priceCents: 5 })
    expect(walk(world, { limit: 10, q: 'PLUMBUS' })).toEqual(['a-plumbus.test', 'z-plumbus.test'])
    expect(walk(world, { limit: 10, q: '%' })).toEqual([])
  })
})

describe('a price', () => {
  const MOST_CENTS = 1_000_000_000_000

  it('is from 1 to a thousand billion cents, with a floor that is no higher', () => {
    const world = testWorld({ inventory: 0 })
    const add = (priceCents: number, floorPriceCents = 1) =>
      addListing(world, { domain: `p-${priceCents}.test`, priceCents, floorPriceCents })
    expect(add(1).priceCents).toBe(1)
    expect(add(MOST_CENTS, MOST_CENTS).floorPriceCents).toBe(MOST_CENTS)
    for (const cents of [0, -1, 1.5, MOST_CENTS + 1]) {
      expect(refusal(() => add(cents)).message).toBe(`price_cents must be a whole number from 1 to ${MOST_CENTS}`)
    }
    expect(refusal(() => add(2, 3)).message).toBe('floor_price_cents must be a whole number from 1 to price_cents')
    expect(refusal(() => add(2, 0)).code).toBe('validation_error')
  })

  it('of price-moves-N is a tenth higher once it was told, in whole dollars, and moves no more (QUOTE-05)', () => {
    const world = testWorld({ inventory: 0 })
    const before = findListing(world, 'price-moves-3.test') as Listing
    afterPriceWasTold(world, before)
    const moved = findListing(world, before.domain) as Listing
    expect(moved.priceCents - before.priceCents).toBe(Math.round(before.priceCents / 1_000) * 100)
    afterPriceWasTold(world, moved)
    expect(findListing(world, before.domain)?.priceCents).toBe(moved.priceCents)
  })
})
