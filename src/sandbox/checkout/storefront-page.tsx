import type { ComponentChildren } from 'preact'
import { moneyText } from '../../contract/money.ts'
import { LONGEST_QUERY } from '../inventory/query.ts'
import type { Listing } from '../inventory/types.ts'
import { Layout } from '../wire/page-kit/layout.tsx'
import { Notice } from '../wire/page-kit/parts.tsx'

export type ShelfOffer = Pick<Listing, 'domain' | 'priceCents' | 'currency' | 'topics'>

/** What happened before this page was shown. */
export interface ShopNews {
  kind: 'good' | 'bad' | 'plain'
  text: string
}

interface StorefrontProps {
  title: string
  news: ShopNews | null
  /** What is looked for; null if the shop sells one domain and has no search. */
  query: string | null
  offers: readonly ShelfOffer[]
  /** Shown if there is nothing to offer. */
  empty: string | null
}

/** The shop behind a tracking link: something to look for, what there is, and a way to buy each. */
export function Storefront({ title, news, query, offers, empty }: StorefrontProps) {
  return (
    <Layout title={title} {...(query !== null && { shape: 'roomy' as const })}>
      {news && (
        <Notice kind={news.kind}>
          <p>{news.text}</p>
        </Notice>
      )}
      {query !== null && <SearchForm query={query} />}
      {query === null ? offers.map((offer) => <OneOffer key={offer.domain} {...offer} />) : <Shelf offers={offers} />}
      {offers.length === 0 && empty !== null && <p>{empty}</p>}
      {offers.length === 0 && query !== null && <Examples />}
    </Layout>
  )
}

function SearchForm({ query }: { query: string }) {
  return (
    <search>
      <form method="get" class="search">
        <div class="field">
          <label for="q">What is your domain for?</label>
          <input type="search" id="q" name="q" value={query} maxLength={LONGEST_QUERY} required />
        </div>
        <button class="main" type="submit">
          Search
        </button>
      </form>
    </search>
  )
}

/** Words that names of every ordinary inventory are about. */
const EXAMPLES = ['coffee', 'solar roof', 'bakery', 'travel']

function Examples() {
  return (
    <p class="examples">
      For example:{' '}
      {EXAMPLES.map((words) => (
        <a key={words} href={`?q=${encodeURIComponent(words)}`}>
          {words}
        </a>
      ))}
    </p>
  )
}

function Shelf({ offers }: { offers: readonly ShelfOffer[] }) {
  if (offers.length === 0) return null
  return (
    <ul class="shelf">
      {offers.map((offer) => (
        <Card key={offer.domain} {...offer} />
      ))}
    </ul>
  )
}

function Card({ domain, priceCents, currency, topics }: ShelfOffer) {
  return (
    <li class="offer">
      <div>
        <h2>{domain}</h2>
        <Topics topics={topics} />
      </div>
      <p class="price">{moneyText(priceCents, currency)}</p>
      <BuyForm domain={domain}>
        <button type="submit">
          Buy<span class="unseen">{` ${domain}`}</span>
        </button>
      </BuyForm>
    </li>
  )
}

/** The only domain of a shop, whose name is the heading of the page. */
function OneOffer({ domain, priceCents, currency, topics }: ShelfOffer) {
  return (
    <div class="alone">
      <Topics topics={topics} />
      <p class="price">{moneyText(priceCents, currency)}</p>
      <BuyForm domain={domain}>
        <button class="main" type="submit">
          Buy<span class="unseen">{` ${domain}`}</span>
        </button>
      </BuyForm>
    </div>
  )
}

function BuyForm({ domain, children }: { domain: string; children: ComponentChildren }) {
  return (
    <form method="post">
      <input type="hidden" name="domain" value={domain} />
      {children}
    </form>
  )
}

function Topics({ topics }: { topics: readonly string[] }) {
  if (topics.length === 0) return null
  return (
    <p class="topics">
      {topics.map((topic) => (
        <span key={topic}>{topic.replaceAll('-', ' ')}</span>
      ))}
    </p>
  )
}
