import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** What a foreign service may choose; the rest of it is always the same. */
export interface ForeignChoices {
  /** Parameters of GET /orders. */
  params?: Partial<Record<'domain' | 'from' | 'to' | 'cursor' | 'limit', string>>
  /** Extra keys of the answer to GET /pricing. */
  pricing?: (priceUnits: number) => Record<string, unknown>
  heldStatuses?: readonly string[]
  /** The states that the refusal of an unknown one lists. */
  listedStatuses?: readonly string[]
  orders?: number
  /** The list of orders says that it goes on, and names the next page in a way that nobody could guess. */
  hidesNextPage?: boolean
  /** The key of the next page, beside the flag that the list of orders goes on. */
  nextPageKey?: string
  /** What a page of orders has beside its rows. */
  paging?: (page: { start: number; next: string | null; total: number }) => object
  /** The list of orders goes on after the id of its last entry, and says no more than that it does. */
  pagesById?: boolean
  payouts?: readonly unknown[]
  /** The timeline of each order. */
  history?: readonly unknown[]
  /** Status of the answer to a repeated nonce. */
  replayStatus?: number
  scopes?: readonly string[]
  /** The rows of GET /transactions; none unless they are given. */
  sales?: readonly unknown[]
  /** Beside these rows. */
  totals?: unknown
}

export interface ForeignService {
  url: string
  keyId: string
  secret: string
  /** Verb and address of each request. */
  asked: string[]
  choices: ForeignChoices
}

const ROOT = '/api/partner/v1'
const DOMAINS = ['solar-roof.example', 'cloud-nine.example', 'solar-cloud.example']
const PAGE = 10

/** A service with shapes of its own, that looks at no signature but remembers nonces; it writes nothing. */
export async function startForeign(choices: ForeignChoices = {}): Promise<ForeignService> {
  const asked: string[] = []
  const nonces = new Set<string>()
  const service: ForeignService = {
    url: '',
    keyId: 'pk_test_foreign1',
    secret: 'sk_test_foreign-secret',
    asked,
    choices,
  }
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const url = new URL(request.url ?? '/', 'http://foreign.test')
    const nonce = String(request.headers['x-partner-nonce'])
    const answer = nonces.has(nonce)
      ? refused(service.choices.replayStatus ?? 401, 'replay_detected')
      : answerTo(url, service.choices)
    nonces.add(nonce)
    response.writeHead(answer.status, { 'content-type': 'application/json', 'x-ratelimit-limit': '100' })
    response.end(JSON.stringify(answer.json))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return service
}

interface Answer {
  status: number
  json: unknown
}

function answerTo(url: URL, choices: ForeignChoices): Answer {
  const path = url.pathname.replace(ROOT, '')
  const domain = url.searchParams.get('domain') ?? ''
  if (path === '/domains/search')
    return found(DOMAINS.filter((one) => one.includes(url.searchParams.get('q') ?? '?')).map((name) => ({ name })))
  if (path === '/availability')
    return found({
      domain,
      isAvailable: DOMAINS.includes(domain),
      price: DOMAINS.includes(domain) ? price(domain).toFixed(2) : null,
    })
  if (path === '/pricing' && DOMAINS.includes(domain))
    return found({ domain, floorPrice: price(domain) - 1, ...(choices.pricing ?? plainPrice)(price(domain)) })
  if (path.startsWith('/domains/') && DOMAINS.includes(path.slice(9)))
    return found({ name: path.slice(9), isAvailable: true, price: price(path.slice(9)).toFixed(2) })
  const { listedStatuses } = choices
  if (path === '/orders' && listedStatuses && url.searchParams.has('status'))
    return refused(400, 'validation_error', `status: must be one of ${listedStatuses.join(', ')}`)
  if (path === '/orders') return ordersPage(url, choices)
  if (path.startsWith('/orders/'))
    return found({
      ...order(Number(path.slice(12)), choices),
      history: choices.history ?? [{ state: 'EXTERNALLY_PAID', at: 1_700_000_000 }],
    })
  if (path === '/settlements' && !(choices.scopes ?? ['buy']).includes('buy')) return refused(403, 'forbidden')
  if (path === '/transactions')
    return { status: 200, json: { data: choices.sales ?? [], ...(choices.totals ? { totals: choices.totals } : {}) } }
  if (path === '/payouts') return found(choices.payouts ?? [])
  if (['/settlements', '/links', '/brokerage'].includes(path)) return found([])
  if (path === '/events') return { status: 200, json: { events: [], next_cursor: null } }
  return refused(404, 'not_found')
}

const price = (domain: string) => 40 + domain.length
const plainPrice = (units: number) => ({ buyNow: units })

function order(i: number, { heldStatuses = ['PARKED_FOR_REVIEW'] }: ForeignChoices) {
  const held = heldStatuses[i % 5]
  const created = new Date(Date.UTC(2026, 0, 1 + i)).toISOString()
  return {
    public_id: `ord_${i}`,
    domain: `sold-${i}.example`,
    status: held ?? 'SETTLED',
    sale_price_cents: 6500,
    currency: 'USD',
    createdAt: created,
  }
}

/** Oldest first, in pages, filtered by whatever the parameters are called here. */
function ordersPage(url: URL, choices: ForeignChoices): Answer {
  const names = {
    domain: 'domainName',
    from: 'createdAfter',
    to: 'createdBefore',
    cursor: 'pageToken',
    limit: 'pageSize',
    ...choices.params,
  }
  const given = (name: keyof typeof names) => url.searchParams.get(names[name])
  const all = Array.from({ length: choices.orders ?? 23 }, (_, i) => order(i, choices)).filter(
    (one) =>
      (given('domain') ?? one.domain) === one.domain &&
      one.createdAt >= (given('from') ?? '') &&
      one.createdAt <= (given('to') ?? '9'),
  )
  const { pagesById } = choices
  const start = pagesById
    ? all.findIndex((one) => one.public_id === given('cursor')) + 1
    : Number((given('cursor') ?? 'p0').slice(1))
  const end = start + Number(given('limit') ?? PAGE)
  const next = end < all.length ? `p${end}` : null
  const { hidesNextPage, nextPageKey = hidesNextPage ? 'onward' : null } = choices
  if (pagesById) return { status: 200, json: { data: all.slice(start, end), has_more: next !== null } }
  if (choices.paging)
    return { status: 200, json: { data: all.slice(start, end), ...choices.paging({ start, next, total: all.length }) } }
  const paging = nextPageKey === null ? { next } : { hasMore: next !== null, [nextPageKey]: next }
  return { status: 200, json: { data: all.slice(start, end), paging } }
}

function found(data: unknown): Answer {
  return { status: 200, json: { data } }
}

function refused(status: number, code: string, detail = 'No.'): Answer {
  return { status, json: { errors: [{ code, detail }] } }
}
