import { LONGEST_QUERY } from '../inventory/query.ts'
import { Layout } from '../wire/page-kit/layout.tsx'
import { moneyText, Notice } from '../wire/page-kit/parts.tsx'

export interface ShelfOffer {
  domain: string
  priceCents: number
  currency: string
}

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
    <Layout title={title}>
      {news && (
        <Notice kind={news.kind}>
          <p>{news.text}</p>
        </Notice>
      )}
      {query !== null && <SearchForm query={query} />}
      {offers.map((offer) => (
        <Offered key={offer.domain} {...offer} />
      ))}
      {offers.length === 0 && empty !== null && <p>{empty}</p>}
    </Layout>
  )
}

function SearchForm({ query }: { query: string }) {
  return (
    <search>
      <form method="get">
        <div class="field">
          <label for="q">What is your domain for?</label>
          <input type="search" id="q" name="q" value={query} maxLength={LONGEST_QUERY} required />
        </div>
        <button type="submit">Search</button>
      </form>
    </search>
  )
}

function Offered({ domain, priceCents, currency }: ShelfOffer) {
  return (
    <section>
      <h2>{domain}</h2>
      <p class="price">{moneyText(priceCents, currency)}</p>
      <form method="post">
        <input type="hidden" name="domain" value={domain} />
        <button class="main" type="submit">
          {`Buy ${domain}`}
        </button>
      </form>
    </section>
  )
}
