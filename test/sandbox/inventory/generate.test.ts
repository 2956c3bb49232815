import { describe, expect, it } from 'vitest'
import { findListing, isAvailable, setListing } from '../../../src/sandbox/inventory/listings.ts'
import { magicKind } from '../../../src/sandbox/inventory/magic.ts'
import { search } from '../../../src/sandbox/inventory/search.ts'
import type { Listing } from '../../../src/sandbox/inventory/types.ts'
import { normalizeDomain } from '../../../src/sandbox/kernel/domain-name.ts'
import { openDatabase } from '../../../src/storage/db.ts'
import { seedInventory } from '../../support/seed-inventory.ts'
import { size } from '../../support/size.ts'
import { TEST_NOW_MS, testWorld } from '../../support/world.ts'

interface Row {
  id: number
  domain: string
  price_cents: number
  floor_price_cents: number
  topics: string
  registered_at: number
  registrar: string
}

function seeded(seed: string, count: number, nowMs = TEST_NOW_MS): Row[] {
  const db = openDatabase(null)
  seedInventory(db, { seed, count, nowMs })
  return db.prepare('SELECT * FROM listings ORDER BY id').all() as Row[]
}

const YEAR_MS = 365 * 86_400_000
const MANY = size(2_000, 12_000)
const large = seeded('sandbox', MANY)

describe('an inventory made from a seed', () => {
  it('is the same for the same seed whatever the day, and another for another seed', () => {
    expect(seeded('sandbox', 200, TEST_NOW_MS + 3 * YEAR_MS)).toEqual(seeded('sandbox', 200))
    const other = new Set(seeded('other', 200).map(({ domain }) => domain))
    expect(large.slice(0, 200).filter(({ domain }) => other.has(domain)).length).toBeLessThan(20)
  })

  it('is the beginning of a larger one', () => {
    expect(large.slice(0, 500)).toEqual(seeded('sandbox', 500))
  })

  it('holds exactly so many different names, all under .test and none of them magic', () => {
    expect(new Set(large.map(({ domain }) => domain)).size).toBe(MANY)
    for (const { domain } of large) {
      expect(domain.endsWith('.test')).toBe(true)
      expect(normalizeDomain(domain)).toBe(domain)
      expect(magicKind(domain)).toBeNull()
    }
  })

  it('has plain names, names with hyphens, with digits and with other letters', () => {
    const share = (pattern: RegExp) => large.slice(0, 2_000).filter(({ domain }) => pattern.test(domain)).length
    expect(share(/^[a-z]{3,20}\.test$/)).toBeGreaterThan(1_600)
    expect(share(/^[a-z]+-[a-z]+\.test$/)).toBeGreaterThan(20)
    expect(share(/\d\.test$/)).toBeGreaterThan(20)
    expect(share(/^xn--/)).toBeGreaterThan(10)
  })

  it('has three to six topics a listing, none twice', () => {
    for (const { topics } of large) {
      const slugs = topics.split(' ')
      expect(slugs.length).toBeGreaterThanOrEqual(3)
      expect(slugs.length).toBeLessThanOrEqual(6)
      expect(new Set(slugs).size).toBe(slugs.length)
    }
  })

  it('has round prices and floors of 60 to 90 percent', () => {
    for (const { price_cents: price, floor_price_cents: floor } of large) {
      expect(price % 2_500).toBe(0)
      expect(floor % 500).toBe(0)
      expect(floor / price).toBeGreaterThanOrEqual(0.59)
      expect(floor / price).toBeLessThanOrEqual(0.9)
    }
  })

  it('was registered in the past, also where the world’s clock stands long ago', () => {
    for (const { registered_at: at } of large) expect(at).toBeLessThan(TEST_NOW_MS)
    const longAgo = Date.UTC(1999, 0, 1)
    for (const { registered_at: at } of seeded('sandbox', 100, longAgo)) expect(at).toBeLessThan(longAgo)
  })

  it('is all available', () => {
    const world = testWorld({ inventory: 100 })
    const domains = world.db.prepare('SELECT domain FROM listings').pluck().all() as string[]
    expect(domains.filter((domain) => isAvailable(world, domain))).toHaveLength(100)
  })

  it('replaces what was there before, in the index as well', () => {
    const world = testWorld({ inventory: 100 })
    const [domain] = world.db.prepare('SELECT domain FROM listings').pluck().all() as [string]
    const before = findListing(world, domain) as Listing
    setListing(world, domain, { priceCents: 100, topics: ['quilting'] })
    seedInventory(world.db, { seed: 'test', count: 100, nowMs: world.clock.nowMs() })
    expect(findListing(world, domain)).toEqual(before)
    expect(search(world, 'quilting')).toEqual([])
    expect(search(world, domain)[0]?.listing.domain).toBe(domain)
  })

  it('tells how far it is', () => {
    const steps: [number, number][] = []
    const onProgress = (done: number, of: number) => steps.push([done, of])
    seedInventory(openDatabase(null), { seed: 'sandbox', count: 20_000, nowMs: TEST_NOW_MS, onProgress })
    expect(steps).toEqual([
      [10_000, 20_000],
      [20_000, 20_000],
    ])
  })
})
