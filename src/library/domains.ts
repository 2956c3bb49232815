import type { OperatorClient } from '../operator-api/client.ts'
import type { Listing } from './answers.ts'
import { type ListOf, listOf } from './lists.ts'
import { pathOf } from './sales.ts'

export interface ListingChanges {
  priceCents?: number
  floorPriceCents?: number
  listed?: boolean
  liveSite?: boolean
  topics?: string[]
}

export interface NewListing extends ListingChanges {
  /** A name under `.test`. */
  domain: string
  priceCents: number
  currency?: string
}

/**
 * The inventory of a world.
 *
 * @example
 * await world.domains.create({ domain: 'mine.test', priceCents: 65_000 })
 * await world.domains.set('mine.test', { priceCents: 70_000 }) // an order at the old price is a price_mismatch now
 */
export interface DomainsHandle extends ListOf<'domains', Listing, { q?: string }> {
  show(domain: string): Promise<Listing>
  create(listing: NewListing): Promise<Listing>
  /**
   * Adds as many as a CSV text has, or none of them: `domain,price_cents` and the other names in its first line.
   *
   * @returns how many.
   * @example await world.domains.import('domain,price_cents\none.test,1000\ntwo.test,2000\n')
   */
  import(csv: string): Promise<number>
  /** Changes what is given. */
  set(domain: string, changes: ListingChanges): Promise<Listing>
  delete(domain: string): Promise<void>
}

export function domainsHandle(client: OperatorClient, world: string): DomainsHandle {
  const path = `${world}/domains`
  return {
    ...listOf(client, path, 'domains'),
    show: (domain) => client.ask('GET', pathOf(path, domain)),
    create: (listing) => client.ask('POST', path, listing),
    async import(csv) {
      const { added } = await client.send<{ added: number }>('POST', path, {
        type: 'text/csv',
        bytes: Buffer.from(csv),
      })
      return added
    },
    set: (domain, changes) => client.ask('PATCH', pathOf(path, domain), changes),
    delete: (domain) => client.ask('DELETE', pathOf(path, domain)),
  }
}
