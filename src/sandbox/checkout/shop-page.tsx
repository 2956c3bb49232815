import type { ComponentChildren } from 'preact'
import { ApiError } from '../../contract/errors.ts'
import { moneyText } from '../../contract/money.ts'
import { findListing, isAvailable } from '../inventory/listings.ts'
import { LONGEST_QUERY, search } from '../inventory/search.ts'
import type { Listing } from '../inventory/types.ts'
import { normalizeDomain } from '../kernel/domain-name.ts'
import { pageToken, setCookie, tokensOf, tokensValue } from '../kernel/page-token.ts'
import type { World } from '../kernel/world.ts'
import type { Link } from '../referral/links.ts'
import { findLink, shopUrl } from '../referral/links.ts'
import { PageRefusal, type PageReply, type PageRequest, type PageRoute, valueIn } from '../wire/page.ts'
import { document, Layout } from '../wire/page-kit/layout.tsx'
import { Notice } from '../wire/page-kit/parts.tsx'
import { checkoutUrl, findSession, isOver, openSession, sessionNamedBy } from './sessions.ts'
import type { CheckoutSession, SessionState } from './types.ts'

/**
 * Where a tracking link leads (LINK-03): its domain, or a search over the shop, with a way to buy that remembers the link.
 * It is public like any shop and identifies a visitor only by its address.
 */
export const shopPage: PageRoute = {
  writes: true,
  worldOf: ({ worlds, params }) => worlds.find(params['world'] ?? ''),
  handle(request, world) {
    const link = world && findLink(world, request.params['link_id'] ?? '')
    if (!link) throw new PageRefusal(404, 'no such link')
    return request.method === 'POST' ? bought(world, link, request) : shown(world, link, request, null)
  },
}

/** Opens a checkout for the link's partner, with the link, unless the visitor has one already, and leads there. */
function bought(world: World, link: Link, request: PageRequest): PageReply {
  const domain = domainIn(request, link)
  const begun = begunCheckouts(world, link, request.cookies)
  const own = begun.find((session) => session.domain === domain)
  if (own) return { status: 303, location: checkoutUrl(world, own) }
  try {
    const session = openFor(world, link, domain)
    const cookies = [begunCookie(world, link, [session, ...begun])]
    return { status: 303, location: checkoutUrl(world, session), cookies }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return shown(world, link, request, { kind: 'bad', text: `${domain} cannot be bought at the moment.` })
  }
}

/** Links are made by credentials with an affiliate account only. */
function openFor(world: World, link: Link, domain: string): CheckoutSession {
  const address = shopUrl(world, link)
  const seller = { partnerId: link.partnerId, affiliate: true }
  return openSession(world, seller, { domain, returnUrl: address, cancelUrl: address, linkId: link.linkId })
}

/** What the form names; the shop of one domain sells no other. */
function domainIn({ form }: PageRequest, link: Link): string {
  const domain = normalizeDomain(valueIn(form, 'domain') ?? '')
  if (form.length !== 1 || domain === null || (link.domain !== null && link.domain !== domain)) {
    throw new PageRefusal(400, 'the form names no domain of this shop')
  }
  return domain
}

function shown(world: World, link: Link, request: PageRequest, refusal: ShopNews | null): PageReply {
  const news = refusal ?? newsOf(world, link, valueIn(request.query, 'session_id') ?? '')
  const page = link.domain === null ? wholeShop(world, link, request) : shopOfOne(world, link.domain)
  return {
    status: refusal ? 409 : 200,
    body: document(<Storefront news={news} {...page} />),
    formTargets: [world.publicUrl()],
  }
}

function shopOfOne(world: World, domain: string) {
  const listing = findListing(world, domain)
  const offers: ShelfOffer[] = listing && isAvailable(world, listing.domain) ? [listing] : []
  return { title: domain, query: null, offers, empty: 'This domain is not for sale at the moment.' }
}

/** Finds what the API's search finds, by the same rule. A link about a product starts with a search for it. */
function wholeShop(world: World, link: Link, request: PageRequest) {
  const query = (valueIn(request.query, 'q') || (link.product ?? '')).slice(0, LONGEST_QUERY)
  const offers = query.trim() === '' ? [] : search(world, query).map(({ listing }) => listing)
  return {
    title: link.product === null ? 'Find your domain' : `Domains for ${link.product}`,
    query,
    offers,
    empty: query.trim() === '' ? null : 'No domains found. Try other words.',
  }
}

const NEWS: Record<SessionState, ((domain: string) => ShopNews) | null> = {
  paid: (domain) => ({ kind: 'good', text: `Thank you. ${domain} is yours.` }),
  paying: (domain) => ({ kind: 'plain', text: `Your payment for ${domain} is in progress.` }),
  cancelled: () => ({ kind: 'plain', text: 'The checkout was canceled. Nothing was paid.' }),
  open: null,
  expired: null,
}

/** What became of the checkout that the visitor comes back from, if it began here. */
function newsOf(world: World, link: Link, sessionId: string): ShopNews | null {
  const session: CheckoutSession | null = sessionId === '' ? null : findSession(world, sessionId)
  return session?.linkId === link.linkId ? (NEWS[session.state]?.(session.domain) ?? null) : null
}

/** A browser remembers so many checkouts of a shop; the one begun longest ago is forgotten first. */
const REMEMBERED = 5

/**
 * The checkouts that a browser has begun in the shop of a link and that can still be paid, latest first: pressing Buy again
 * leads to the one there is.
 */
function begunCheckouts(world: World, link: Link, cookies: ReadonlyMap<string, string>): CheckoutSession[] {
  return tokensOf(cookies, cookieName(link), REMEMBERED).flatMap((token) => {
    const session = sessionNamedBy(world, token)
    const isOpen = session?.linkId === link.linkId && session.state === 'open' && !isOver(world, session)
    return isOpen ? [session] : []
  })
}

/** The cookie by which a browser remembers them, in this shop only. */
function begunCookie(world: World, link: Link, begun: readonly CheckoutSession[]): string {
  const tokens = begun.map(({ sessionId, expiresAtMs }) => pageToken(world, 'checkout', { id: sessionId, expiresAtMs }))
  const path = new URL(shopUrl(world, link)).pathname
  return setCookie(world, { name: cookieName(link), value: tokensValue(tokens, REMEMBERED), path })
}

function cookieName(link: Link): string {
  return `checkouts_${link.linkId}`
}

type ShelfOffer = Pick<Listing, 'domain' | 'priceCents' | 'currency' | 'topics'>

/** What happened before this page was shown. */
interface ShopNews {
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
function Storefront({ title, news, query, offers, empty }: StorefrontProps) {
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
