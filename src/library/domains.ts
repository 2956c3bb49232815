import type { CamelCased } from '../operator-api/camel-case.ts'
import type { OperatorClient } from '../operator-api/client.ts'
import type { BodyOf } from '../operator-api/operations.ts'
import type { Listing } from '../operator-api/rows/domains.ts'
import { type Methods, pagedMethodsOf, type Whole } from './methods.ts'

export type ListingChanges = CamelCased<BodyOf<'domains.set'>>

/** A name under `.test` and its price, at least. */
export type NewListing = CamelCased<BodyOf<'domains.create'>>

/**
 * The inventory of a world.
 *
 * @example
 * await world.domains.create({ domain: 'mine.test', priceCents: 65_000 })
 * await world.domains.set('mine.test', { priceCents: 70_000 }) // an order at the old price is a price_mismatch now
 */
export interface DomainsHandle extends Methods<'domains', 'create'>, Whole<'domains.list'> {
  create(listing: NewListing): Promise<Listing>
  /**
   * Adds as many as a CSV text has, or none of them: `domain,price_cents` and the other names in its first line.
   *
   * @returns how many.
   * @example await world.domains.import('domain,price_cents\none.test,1000\ntwo.test,2000\n')
   */
  import(csv: string): Promise<number>
}

export function domainsHandle(client: OperatorClient, w: string): DomainsHandle {
  const methods = pagedMethodsOf(client, w, 'domains')
  return {
    ...methods,
    create: (listing) => methods.create(listing) as Promise<Listing>,
    async import(csv) {
      const content = { type: 'text/csv', bytes: Buffer.from(csv) }
      return ((await client.send('domains.create', { w }, content)) as { added: number }).added
    },
  }
}
