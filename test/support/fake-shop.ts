import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A small service by the API document, written apart from the sandbox: orders, webhooks, hosted pages and reports. It looks at
 * no signature, and can be wrong in one way at a time.
 */
export interface ShopOptions {
  sign?:
    | 'right'
    | 'prefixed'
    | 'upper-case'
    | 'base64'
    | 'api-secret'
    | 'rewritten'
    | 'timestamped'
    | 'data-alone'
    | 'made-up'
    | 'nothing'
  deliveries?: 'right' | 'never' | 'other-data' | 'takes-any-answer' | 'endless'
  /** How long it waits for a receiver. */
  deadlineMs?: number
  page?:
    | 'right'
    | 'token-unchecked'
    | 'tail-unchecked'
    | 'script-only'
    | 'link-only'
    | 'needs-login'
    | 'shows-expired-page'
  /** What pressing the button to pay leads to. */
  purchase?:
    | 'sold'
    | 'asked-to-confirm'
    | 'declined'
    | 'wants-an-unmarked-field'
    | 'asked-for-more'
    | 'thanked'
    | 'sent-in-parts'
  ledger?: 'oldest-first' | 'newest-first' | 'unsigned' | 'wrong'
  cursorName?: string
  /** The key of the next page, beside a flag that says whether there is one. */
  nextPageKey?: string
  /** Whether an answer says by a flag that its list goes on. */
  hasFlagOfMore?: boolean
  /** Another address for the hosted page. */
  pagesAt?: string
}

export interface Shop {
  url: string
  keyId: string
  secret: string
  /** `METHOD path` of every request, and the headers of pages. */
  requests: { line: string; headers: IncomingMessage['headers']; body: string }[]
  close(): Promise<void>
}

/** What a target file says the shop sells; it has no search. */
export const SHOP_FIXTURES = { sellable: ['a.test', 'b.test', 'c.test', 'd.test', 'e.test'] }

/** Where a target file says the shop keeps things: what the runner finds by itself carries no failure alone. */
export const SHOP_DIALECT = {
  roles: {
    'ledger.items': '/entries',
    'ledger.total': '/balance_cents',
    'ledger.kind': '/kind',
    'ledger.amount': '/amount_cents',
    'ledger.balance': '/balance_cents',
  },
}

const KEY_ID = 'pk_test_shop0001'
const SECRET = 'sk_test_shop-secret-0001'
const ROOT = '/api/partner/v1'
const TOKEN = 'Zx81tokenAb9'

interface State {
  options: ShopOptions
  url: string
  orders: Record<string, unknown>[]
  events: { id: string; type: string; created_at: string; data: object }[]
  hooks: { url: string; secret: string }[]
  sold: boolean
}

interface Ask {
  method: string
  url: URL
  headers: IncomingMessage['headers']
  body: string
}

export async function startShop(options: ShopOptions = {}): Promise<Shop> {
  const state: State = { options, url: '', orders: [], events: [], hooks: [], sold: false }
  const requests: Shop['requests'] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString()
      const url = new URL(request.url ?? '/', 'http://shop.test')
      requests.push({ line: `${request.method} ${url.pathname}`, headers: request.headers, body })
      route(state, { method: request.method ?? '', url, headers: request.headers, body }, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: state.url, keyId: KEY_ID, secret: SECRET, requests, close }
}

const HANDLERS: Record<string, (state: State, ask: Ask, response: ServerResponse) => void> = {
  'GET /availability': (_state, { url }, response) =>
    json(response, 200, { domain: url.searchParams.get('domain'), available: true, price_cents: 1000 }),
  'GET /pricing': (_state, _ask, response) => json(response, 200, { price_cents: 1000, currency: 'USD' }),
  'PUT /api/partner/webhooks': register,
  'POST /orders': order,
  'GET /events': ({ events }, _ask, response) => json(response, 200, { events, next_cursor: null }),
  'POST /checkout-session': ({ url, options: { pagesAt = url } }, _ask, response) =>
    json(response, 201, { session_id: 'cs_1', checkout_url: `${pagesAt}/pay?pt=${TOKEN}`, status: 'open' }),
  'GET /pay': payPage,
  'POST /pay': pay,
  'POST /ops/pay': (state, { body }, response) => {
    state.sold = JSON.parse(body).session === 'cs_1'
    json(response, 200, {})
  },
  'GET /me/commissions': ledger,
}

function route(state: State, ask: Ask, response: ServerResponse): void {
  const handle = HANDLERS[`${ask.method} ${ask.url.pathname.replace(ROOT, '')}`]
  if (handle) handle(state, ask, response)
  else json(response, 404, { code: 'not_found', message: 'nothing here' })
}

function register(state: State, ask: Ask, response: ServerResponse): void {
  const { url, secret } = JSON.parse(ask.body)
  state.hooks = [{ url, secret }]
  json(response, 200, { url, active: true, created_at: new Date().toISOString() })
}

function order(state: State, ask: Ask, response: ServerResponse): void {
  const { domain } = JSON.parse(ask.body)
  const number = state.orders.length + 1
  const made = {
    public_id: `ord_${number}`,
    domain,
    status: 'EXTERNALLY_PAID',
    sale_price_cents: 1000,
    currency: 'USD',
  }
  state.orders.push(made)
  const event = {
    id: `evt_${number}`,
    type: 'order.recorded',
    created_at: new Date().toISOString(),
    data: { order: made },
  }
  state.events.push(event)
  json(response, 201, made)
  for (const hook of state.hooks) void deliver(state, hook, event, 1)
}

async function deliver(state: State, hook: State['hooks'][number], event: State['events'][number], attempt: number) {
  const { deliveries = 'right', deadlineMs = 5_000 } = state.options
  if (deliveries === 'never') return
  const data = deliveries === 'other-data' ? { ...event.data, extra: attempt } : event.data
  const body = JSON.stringify({ ...event, partner_id: 'ptr_1', data })
  const failed = await fetch(hook.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signature(state, hook.secret, body) },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(deadlineMs),
  }).then(
    ({ status }) => status !== 200,
    () => true,
  )
  const again = deliveries === 'endless' || (failed && deliveries !== 'takes-any-answer')
  if (again && attempt < (deliveries === 'endless' ? 5_000 : 3)) await deliver(state, hook, event, attempt + 1)
}

function signature(state: State, secret: string, body: string): Record<string, string> {
  const mac = (message: string, key = secret) => createHmac('sha256', key).update(message).digest('hex')
  const stamp = '1700000000'
  const values: Record<NonNullable<ShopOptions['sign']>, string> = {
    right: mac(body),
    prefixed: `v1=${mac(body)}`,
    'upper-case': mac(body).toUpperCase(),
    base64: createHmac('sha256', secret).update(body).digest('base64'),
    'api-secret': mac(body, SECRET),
    rewritten: mac(JSON.stringify(JSON.parse(body), null, 2)),
    timestamped: mac(`${stamp}.${body}`),
    'data-alone': mac(JSON.stringify(JSON.parse(body).data)),
    'made-up': 'ab'.repeat(32),
    nothing: '',
  }
  const value = values[state.options.sign ?? 'right']
  return value === '' ? {} : { 'x-partner-signature': value, 'x-partner-timestamp': stamp }
}

function isGood(state: State, token: string): boolean {
  const { page = 'right' } = state.options
  if (page === 'token-unchecked') return true
  return page === 'tail-unchecked' ? token.slice(0, -1) === TOKEN.slice(0, -1) : token === TOKEN
}

function payPage(state: State, ask: Ask, response: ServerResponse): void {
  const { page = 'right' } = state.options
  const token = ask.url.searchParams.get('pt') ?? ''
  const [status, text] = payPageOf(state, page, token, ask.headers['x-partner-key-id'] !== undefined)
  html(response, status, text)
}

function payPageOf(
  state: State,
  page: NonNullable<ShopOptions['page']>,
  token: string,
  knownCaller: boolean,
): [number, string] {
  if (page === 'needs-login' && !knownCaller) return [401, '<title>Log in</title>']
  if (page === 'script-only') return [200, '<title>Shop</title><script src="/app.js"></script>']
  if (page === 'link-only' && !state.sold)
    return [200, '<title>Shop</title><a href="/go">Pay now</a><iframe src="/p"></iframe>']
  const expired = '<title>Expired</title><p>This link is no good.</p>'
  if (!isGood(state, token)) return [page === 'shows-expired-page' ? 200 : 403, expired]
  return [200, state.sold ? '<title>Sold</title><p>Thank you</p>' : formPage(token, state.options)]
}

function formPage(token: string, { purchase }: ShopOptions): string {
  const unmarked = purchase === 'wants-an-unmarked-field' ? '<input name=f7>' : ''
  const encoding = purchase === 'sent-in-parts' ? 'enctype="multipart/form-data"' : ''
  return `<!doctype html><title>Pay for &quot;a.test&quot;</title><script>if (a < b) { "</form>" }</script>
    <form id="out" action="/pay" method=post ${encoding}><input type=hidden name=pt value='${token}'>
      <label>E-mail <input type="email" name="buyer[email]" required></label>
      <select name="buyer[country]"><option value="">Choose</option><option value="DE">Germany</option></select>
      <textarea name=note>&lt;none&gt;</textarea><input type=checkbox name=terms required>${unmarked}
      <button name="do" value="pay">Pay $10.00</button><button name="do" value="decline">Simulate a declined card</button>
    </form><button form="out" name="do" value="cancel">Cancel</button>${purchase === 'thanked' ? NEWSLETTER : ''}`
}

const NEWSLETTER = '<form action="/news" method=post><input type=email name=reader><button>Subscribe</button></form>'

const MORE_TO_FILL_IN =
  '<title>Your address</title><form action="/address" method=post><input name=street required><button>Go on</button></form>'

function confirmPage(form: URLSearchParams): string {
  const kept = [...form].map(([name, value]) => `<input type=hidden name="${name}" value="${value}">`).join('')
  return `<title>Is that right?</title><form action="/pay" method=post>${kept}<input type=hidden name=ticket value=t1>
    <button name="do" value="pay">Pay now</button></form>`
}

/** The fields of a form that was sent as multipart/form-data. */
function fieldsIn(body: string): URLSearchParams {
  const parts = [...body.matchAll(/name="([^"]+)"\r\n\r\n([\s\S]*?)\r\n--/g)]
  return new URLSearchParams(parts.map(([, name = '', value = '']) => [name, value]))
}

function pay(state: State, ask: Ask, response: ServerResponse): void {
  const form = state.options.purchase === 'sent-in-parts' ? fieldsIn(ask.body) : new URLSearchParams(ask.body)
  const leave = (place: string) => response.writeHead(303, { location: `https://partner.example.com/${place}` }).end()
  const complete = form.get('buyer[email]')?.includes('@') && form.get('terms') === 'on'
  if (!isGood(state, form.get('pt') ?? '')) html(response, 403, 'no')
  else if (form.get('do') === 'cancel') leave('cancel')
  else if (form.get('do') === 'decline') html(response, 402, '<title>Declined</title>')
  else if (!complete || form.get('f7') === '') html(response, 422, 'incomplete')
  else if (state.options.purchase === 'declined')
    html(response, 200, `<p>Abgelehnt.</p>${formPage('another', state.options)}`)
  else if (state.options.purchase === 'asked-to-confirm' && !form.has('ticket')) html(response, 200, confirmPage(form))
  else if (state.options.purchase === 'asked-for-more') html(response, 200, MORE_TO_FILL_IN)
  else {
    state.sold = true
    if (state.options.purchase === 'thanked') html(response, 200, `<title>Thank you</title>${NEWSLETTER}`)
    else leave('return?session_id=cs_1')
  }
}

const AMOUNTS = [100, 250, -50, 300, -100]

function ledger(state: State, ask: Ask, response: ServerResponse): void {
  const { ledger: how = 'oldest-first', cursorName = 'cursor', nextPageKey, hasFlagOfMore = true } = state.options
  const kinds = ['ACCRUED', 'accrual', 'Reversed', 'accrued', 'PAID_OUT']
  let balance = 0
  const lines = AMOUNTS.map((amount, index) => {
    balance += how === 'wrong' && index === 3 ? amount + 1 : amount
    const written = how === 'unsigned' ? Math.abs(amount) : amount
    return { entry_id: `e${index}`, kind: kinds[index], amount_cents: written, balance_cents: balance }
  })
  const ordered = how === 'newest-first' ? lines.reverse() : lines
  const from = Number(ask.url.searchParams.get(cursorName) ?? 0)
  const next = from + 2 < ordered.length ? String(from + 2) : null
  const paging = nextPageKey
    ? { paging: { ...(hasFlagOfMore && { hasMore: next !== null }), [nextPageKey]: next } }
    : { next_cursor: next }
  json(response, 200, { entries: ordered.slice(from, from + 2), balance_cents: balance, ...paging })
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

function html(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(text)
}
