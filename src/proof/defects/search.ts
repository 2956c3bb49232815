import { ApiError } from '../../contract/errors.ts'
import { object, optional, text } from '../../contract/schema.ts'
import { listListings } from '../../sandbox/inventory/listings.ts'
import type { Listing } from '../../sandbox/inventory/types.ts'
import { ok } from '../../sandbox/wire/answer.ts'
import type { Fields } from './answers.ts'
import { changing, type Defect } from './defect.ts'
import { lowered } from './inventory.ts'
import { type AnyInput, acceptingQuery, handling, itemsOf, showing, underRules } from './routes.ts'

const OPTIONAL_Q = object({ q: optional(text()) }, { open: true })
const STRANGERS = 5
const PAGE = 20
const WILDCARDS = /^(?:[*%.?_]+|\[.-.\])$/

/** Mistakes of search. */
export const searchDefects: readonly Defect[] = [
  {
    id: 'search-gives-six',
    breaks: ['INV-01'],
    summary: 'A search returns up to six domains.',
    ...changing('search', { results: 6 }),
  },
  {
    id: 'search-obeys-limit',
    breaks: ['INV-01'],
    summary: 'A parameter limit raises the number of results.',
    ...handling('domains.search', (input, sound) => sound(withResults(input, limitOf(input)))),
  },
  {
    id: 'search-of-one-letter-lists',
    breaks: ['INV-01'],
    summary: 'A search for one letter lists as many domains as a page has.',
    ...showing('domains.search', (body, input) =>
      String(input.query['q']).length > 1 ? body : { ...body, domains: someListings(input, PAGE) },
    ),
  },
  {
    id: 'search-of-wildcards-lists',
    breaks: ['INV-01'],
    summary: 'A search for nothing but wildcards lists as many domains as a page has.',
    ...showing('domains.search', (body, input) =>
      WILDCARDS.test(String(input.query['q'])) ? { ...body, domains: someListings(input, PAGE) } : body,
    ),
  },
  {
    id: 'search-without-q-lists',
    breaks: ['INV-02'],
    summary: 'A search without q lists some domains.',
    ...acceptingQuery('domains.search', OPTIONAL_Q, (input, sound) =>
      input.query['q'] === undefined ? ok({ query: '', domains: someListings(input) }) : sound(input),
    ),
  },
  {
    id: 'search-with-blank-q-finds-nothing',
    breaks: ['INV-02'],
    summary: 'A search for blanks gives an empty list.',
    ...acceptingQuery('domains.search', object({ q: text() }, { open: true }), (input, sound) =>
      String(input.query['q']).trim() === '' ? ok({ query: '', domains: [] }) : sound(input),
    ),
  },
  {
    id: 'search-knows-no-words',
    breaks: ['INV-03'],
    summary: 'Search finds domains by topic only.',
    ...changing('search', { byWord: false }),
  },
  {
    id: 'search-finds-nothing',
    breaks: ['INV-03', 'INV-04', 'INV-05'],
    summary: 'A search gives an empty list, whatever it looks for.',
    ...showing('domains.search', (body) => ({ ...body, domains: [] })),
  },
  {
    id: 'search-worst-first',
    breaks: ['INV-03'],
    summary: 'Search shows the worst match first.',
    ...showing('domains.search', (body) => ({ ...body, domains: itemsOf(body, 'domains').reverse() })),
  },
  {
    id: 'search-knows-no-topics',
    breaks: ['INV-04'],
    summary: 'Search finds domains by the words of their names only.',
    ...changing('search', { byMeaning: false }),
  },
  {
    id: 'search-without-match-is-not-found',
    breaks: ['INV-05'],
    summary: 'A search that finds nothing is refused with 404.',
    ...showing('domains.search', (body) => {
      if (itemsOf(body, 'domains').length === 0) throw new ApiError('not_found', 'no domain matches')
      return body
    }),
  },
  {
    id: 'search-fills-up-with-strangers',
    breaks: ['INV-05'],
    summary: 'A search that finds fewer than five fills up with domains that do not match.',
    ...showing('domains.search', (body, input) => ({
      ...body,
      domains: [...itemsOf(body, 'domains'), ...someListings(input)].slice(0, STRANGERS),
    })),
  },
  {
    id: 'search-price-differs',
    breaks: ['INV-09'],
    summary: 'Search tells prices from which one cent is missing.',
    ...showing('domains.search', (body) => ({
      ...body,
      domains: itemsOf(body, 'domains').map((domain) => lowered(domain, 'price_cents')),
    })),
  },
]

function withResults(input: AnyInput, results: number): AnyInput {
  return underRules(input, (rules) => ({ ...rules, search: { ...rules.search, results } }))
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
