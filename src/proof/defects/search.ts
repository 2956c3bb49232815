import { object, optional, text } from '../../contract/schema.ts'
import { listListings } from '../../sandbox/inventory/listings.ts'
import type { Listing } from '../../sandbox/inventory/types.ts'
import { wordsOf } from '../../sandbox/inventory/words.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { ok } from '../../sandbox/wire/route.ts'
import { answeringWhere, type Fields } from './answers.ts'
import { changing, type Defect, defect } from './defect.ts'
import { type AnyInput, accepting, altering, keeping, listing } from './routes.ts'

const OPTIONAL_Q = object({ q: optional(text()) }, { open: true })
const STRANGERS = 5
const PAGE = 20
const WILDCARDS = /^(?:[*%.?_]+|\[.-.\])$/

/** Mistakes of search. */
export const searchDefects: readonly Defect[] = [
  defect('search-gives-six', ['INV-01'], {
    summary: 'A search returns up to six domains.',
    ...changing('search', { results: 6 }),
  }),
  defect('search-of-one-letter-lists', ['INV-01'], {
    summary: 'A search for one letter lists as many domains as a page has.',
    ...listing('domains.search', (domains, input) =>
      String(input.query['q']).length > 1 ? domains : someListings(input, PAGE),
    ),
  }),
  defect('search-of-wildcards-lists', ['INV-01'], {
    summary: 'A search for wildcards alone lists as many domains as a page has.',
    ...listing('domains.search', (domains, input) =>
      WILDCARDS.test(String(input.query['q'])) ? someListings(input, PAGE) : domains,
    ),
  }),
  defect('search-of-two-q-gives-five-of-each', ['INV-01'], {
    summary: 'A search with q twice returns up to five domains for each.',
    ...answeringWhere(
      ({ status }, { endpoint, query }) =>
        endpoint === 'domains.search' && status < 500 && query.filter(([name]) => name === 'q').length > 1,
      (answer, { world }) => ({
        ...answer,
        status: 200,
        body: JSON.stringify({ query: '', domains: firstListings(world as World, 2 * STRANGERS) }),
      }),
    ),
  }),
  defect('search-without-q-lists', ['INV-02'], {
    summary: 'A search without q lists some domains.',
    ...accepting('domains.search', { query: OPTIONAL_Q }, (input, correct) =>
      input.query['q'] === undefined ? ok({ query: '', domains: someListings(input) }) : correct(input),
    ),
  }),
  defect('search-finds-nothing', ['INV-03', 'INV-04', 'INV-05'], {
    summary: 'Every search returns an empty list.',
    ...altering('domains.search', () => ({ domains: [] })),
  }),
  defect('search-worst-first', ['INV-03'], {
    summary: 'Search shows the worst match first.',
    ...listing('domains.search', (domains) => domains.reverse()),
  }),
  defect('search-knows-no-topics', ['INV-04'], {
    summary: 'Search finds domains by the words of their names only.',
    ...keeping('domains.search', isNamedIn),
  }),
  defect('search-fills-up-with-strangers', ['INV-05'], {
    summary: 'A search that finds fewer than five fills up with domains that do not match.',
    ...listing('domains.search', (domains, input) => [...domains, ...someListings(input)].slice(0, STRANGERS)),
  }),
]

/** Does the name of a domain contain a word of the query? */
function isNamedIn({ domain }: Fields, { query }: AnyInput): boolean {
  return wordsOf(String(query['q']).toLowerCase()).some((word) => String(domain).includes(word))
}

function someListings({ world }: AnyInput, limit = STRANGERS): Fields[] {
  return firstListings(world, limit)
}

function firstListings(world: World, limit: number): Fields[] {
  return listListings(world, { limit }).listings.map(shown)
}

function shown(listing: Listing): Fields {
  return {
    domain: listing.domain,
    price_cents: listing.priceCents,
    currency: listing.currency,
    available: true,
    topics: listing.topics,
    score: 0,
  }
}
