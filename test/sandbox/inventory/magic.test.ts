import { describe, expect, it } from 'vitest'
import { findListing, isAvailable, isSold, listListings } from '../../../src/sandbox/inventory/listings.ts'
import { MAGIC_KINDS, magicKind } from '../../../src/sandbox/inventory/magic.ts'
import { search } from '../../../src/sandbox/inventory/search.ts'
import { testWorld } from '../../support/world.ts'

describe('magic names', () => {
  it.each(MAGIC_KINDS)('%s is known by its number', (kind) => {
    expect(magicKind(`${kind}-1.test`)).toBe(kind)
    expect(magicKind(`${kind}-1000000000.test`)).toBe(kind)
  })

  it.each([
    'held.test',
    'held-.test',
    'held-0.test',
    'held-01.test',
    'held-1000000001.test',
    'held-1e3.test',
    'held-17.example',
    'held-17.test.test',
    'a.held-17.test',
    'holds-17.test',
    'sold-1-2.test',
  ])('%s is an ordinary name', (domain) => {
    expect(magicKind(domain)).toBeNull()
    expect(findListing(testWorld({ inventory: 0 }), domain)).toBeNull()
  })

  it('are listed when they are first met, at a price that the seed and the name decide', () => {
    const [one, other, different] = [testWorld(), testWorld({ inventory: 7 }), testWorld({ seed: 'another' })]
    const listing = findListing(one, 'held-17.test')
    expect(listing).toMatchObject({ domain: 'held-17.test', listed: true, liveSite: false, currency: 'USD' })
    expect(findListing(one, 'held-17.test')).toEqual(listing)
    findListing(other, 'held-18.test')
    expect({ ...findListing(other, 'held-17.test'), id: 0 }).toEqual({ ...listing, id: 0 })
    expect({ ...findListing(different, 'held-17.test'), id: 0 }).not.toEqual({ ...listing, id: 0 })
  })

  it('are all available but sold-N', () => {
    const world = testWorld()
    const available = MAGIC_KINDS.filter((kind) => isAvailable(world, `${kind}-5.test`))
    expect(available).toEqual(MAGIC_KINDS.filter((kind) => kind !== 'sold'))
    expect(isSold(world, 'sold-5.test')).toBe(true)
    expect(findListing(world, 'sold-5.test')?.priceCents).toBeGreaterThan(0)
  })

  it('run a live site only where that is their name', () => {
    const world = testWorld()
    expect(findListing(world, 'live-site-3.test')?.liveSite).toBe(true)
    expect(findListing(world, 'slow-3.test')?.liveSite).toBe(false)
  })

  it('are not shown by search, and take no place among what is listed until they are met', () => {
    const world = testWorld({ inventory: 3 })
    expect(listListings(world, { limit: 10 }).listings).toHaveLength(3)
    findListing(world, 'held-17.test')
    expect(search(world, 'held-17.test')).toEqual([])
    expect(search(world, 'held')).toEqual([])
    expect(listListings(world, { limit: 10 }).listings).toHaveLength(4)
  })
})
