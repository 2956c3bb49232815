import { MOST_CENTS } from '../../contract/limits.ts'
import { flag, integer, list, object, optional, text } from '../../contract/schema.ts'
import { del, get, type Page, patch, post, returns } from '../operation.ts'

export interface Listing {
  domain: string
  price_cents: number
  floor_price_cents: number
  currency: string
  listed: boolean
  live_site: boolean
  topics: string[]
  /** What happens to an attempt to buy it now. */
  status: 'available' | 'reserved' | 'sold' | 'unlisted'
  /** The order that has it. */
  sold_by: string | null
  /** The quote that keeps it from all others. */
  reserved_by: { quote_id: string; partner_id: string; until: string } | null
}

/** What a CSV file of listings may weigh. */
export const CSV_LIMITS = { bytes: 2 * 1024 * 1024, rows: 10_000 } as const

const cents = integer({ minimum: 1, maximum: MOST_CENTS })
const changes = {
  floor_price_cents: optional(cents),
  listed: optional(flag()),
  live_site: optional(flag()),
  topics: optional(list(text({ format: 'plain', minLength: 1, maxLength: 64 }), { maxItems: 100 })),
}

/** A listing as it is written; a line of a CSV file is one, too. */
export const newListing = object({
  domain: text({ format: 'domain', maxLength: 255 }),
  price_cents: cents,
  currency: optional(text({ format: 'currency' })),
  ...changes,
})

export const domainRows = {
  'domains.list': get('/v1/worlds/{w}/domains', {
    summary:
      'The inventory in the order of names: `domains`, each with its `status` (available, reserved, sold, unlisted) and by which order or quote; `next_cursor`.',
    query: object({
      q: optional(text({ maxLength: 253 })),
      cursor: optional(text({ maxLength: 253 })),
      limit: optional(integer({ minimum: 1, maximum: 1_000 })),
    }),
    returns: returns<Page<'domains', Listing>>(),
    command: {
      usage: 'domain list',
      summary: 'list the domains, and which are sold or reserved',
      flags: {
        limit: ['--limit <n>', 'number of rows'],
        cursor: ['--cursor <name>', 'continue after this domain'],
        q: ['--query <text>', 'only domains that match'],
      },
      shows: 'domains',
    },
  }),
  'domains.show': get('/v1/worlds/{w}/domains/{name}', {
    summary: 'One listing.',
    returns: returns<Listing>(),
    command: {
      usage: 'domain show <name>',
      summary: 'show one domain: the order that bought it, or how long it is reserved',
      shows: 'domain',
    },
  }),
  'domains.create': post('/v1/worlds/{w}/domains', {
    summary:
      'Adds a listing: 201 with it. As `text/csv` with the same names in its first line it adds many, or none: 201 with how many were `added`.',
    body: newListing,
    takes: { type: 'text/csv', limitBytes: CSV_LIMITS.bytes },
    returns: returns<Listing | { added: number }>(),
  }),
  'domains.set': patch('/v1/worlds/{w}/domains/{name}', {
    summary: 'Changes what is given. The listing as it is then.',
    body: object({ price_cents: optional(cents), ...changes }),
    returns: returns<Listing>(),
  }),
  'domains.delete': del('/v1/worlds/{w}/domains/{name}', {
    summary: 'Removes a listing: 204.',
    command: {
      usage: 'domain remove <name>',
      summary: 'remove a domain for good',
      shows: { done: 'removed {0}' },
    },
  }),
}
