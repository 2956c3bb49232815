import { ApiError } from '../../contract/errors.ts'
import { object, optional, text } from '../../contract/schema.ts'
import { listListings } from '../../sandbox/inventory/listings.ts'
import { knownWordsIn } from '../../sandbox/inventory/name-words.ts'
import type { Listing } from '../../sandbox/inventory/types.ts'
import { wordsOf } from '../../sandbox/inventory/words.ts'
import { ok } from '../../sandbox/wire/route.ts'
import type { Fields } from './answers.ts'
import { changing, type Defect, defect } from './defect.ts'
import { lowered } from './inventory.ts'
import { type AnyInput, accepting, altering, eachOf, handling, keeping, listing, underRules } from './routes.ts'

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
  defect('search-obeys-limit', ['INV-01'], {
    summary: 'A parameter limit raises the number of results.',
    ...handling('domains.search', (input, sound) => sound(underRules(input, 'search', { results: limitOf(input) }))),
  }),
  defect('search-of-one-letter-lists', ['INV-01'], {
    summary: 'A search for one letter lists as many domains as a page has.',
    ...listing('domains.search', 'domains', (domains, input) =>
      String(input.query['q']).length > 1 ? domains : someListings(input, PAGE),
    ),
  }),
  defect('search-of-wildcards-lists', ['INV-01'], {
    summary: 'A search for wildcards alone lists as many domains as a page has.',
    ...listing('domains.search', 'domains', (domains, input) =>
      WILDCARDS.test(String(input.query['q'])) ? someListings(input, PAGE) : domains,
    ),
  }),
  defect('search-without-q-lists', ['INV-02'], {
    summary: 'A search without q lists some domains.',
    ...accepting('domains.search', { query: OPTIONAL_Q }, (input, sound) =>
      input.query['q'] === undefined ? ok({ query: '', domains: someListings(input) }) : sound(input),
    ),
  }),
  defect('search-with-blank-q-finds-nothing', ['INV-02'], {
    summary: 'A search for blanks gives an empty list.',
    ...accepting('domains.search', { query: object({ q: text() }, { open: true }) }, (input, sound) =>
      String(input.query['q']).trim() === '' ? ok({ query: '', domains: [] }) : sound(input),
    ),
  }),
  defect('search-knows-no-words', ['INV-03'], {
    summary: 'Search finds domains by topic only.',
    ...keeping('domains.search', 'domains', (found, input) => !isNamedIn(found, input)),
  }),
  defect('search-finds-nothing', ['INV-03', 'INV-04', 'INV-05'], {
    summary: 'Every search returns an empty list.',
    ...altering('domains.search', () => ({ domains: [] })),
  }),
  defect('search-worst-first', ['INV-03'], {
    summary: 'Search shows the worst match first.',
    ...listing('domains.search', 'domains', (domains) => domains.reverse()),
  }),
  defect('search-knows-no-topics', ['INV-04'], {
    summary: 'Search finds domains by the words of their names only.',
    ...keeping('domains.search', 'domains', isNamedIn),
  }),
  defect('search-splits-topics', ['INV-04'], {
    summary: 'A search for a topic that is written like several words finds the words only.',
    ...listing('domains.search', 'domains', (domains, input) => {
      const topic = String(input.query['q']).toLowerCase()
      return knownWordsIn(topic) ? domains.filter(({ topics }) => !(topics as string[]).includes(topic)) : domains
    }),
  }),
  defect('search-without-match-is-not-found', ['INV-05'], {
    summary: 'A search that finds nothing is refused with 404.',
    ...listing('domains.search', 'domains', (domains) => {
      if (domains.length === 0) throw new ApiError('not_found', 'no domain matches')
      return domains
    }),
  }),
  defect('search-fills-up-with-strangers', ['INV-05'], {
    summary: 'A search that finds fewer than five fills up with domains that do not match.',
    ...listing('domains.search', 'domains', (domains, input) =>
      [...domains, ...someListings(input)].slice(0, STRANGERS),
    ),
  }),
  defect('search-price-differs', ['INV-09'], {
    summary: 'Search shows prices that are one cent too low.',
    ...eachOf('domains.search', 'domains', (domain) => lowered(domain, 'price_cents')),
  }),
]

/** Does the name of a domain contain a word of the query? */
function isNamedIn({ domain }: Fields, { query }: AnyInput): boolean {
  return wordsOf(String(query['q']).toLowerCase()).some((word) => String(domain).includes(word))
}

function limitOf({ call, world }: AnyInput): number {
  const limit = Number(call.query.find(([name]) => name === 'limit')?.[1])
  return limit > 0 ? limit : world.rules.search.results
}

function someListings({ world }: AnyInput, limit = STRANGERS): Fields[] {
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
