import { randomUUID } from 'node:crypto'
import type { TestAnswer, TestSandbox } from '../support/sandbox.ts'
import { burst, outcome, type Probe, showDefects } from './probe.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are judged member by member
type Fields = any
type Look = Probe['look']

const BUYER = { email: 'buyer@example.test' }

async function listing(sandbox: TestSandbox) {
  const [found] = await sandbox.forSale(1)
  return found as { domain: string; price_cents: number; currency: string }
}

/** The body of a sound order of a fresh domain. */
async function order(sandbox: TestSandbox, change: Fields = {}) {
  const { domain, price_cents: expected_price, currency } = await listing(sandbox)
  return { domain, expected_price, currency, buyer: BUYER, ...change }
}

const record = (sandbox: TestSandbox, body: Fields, key: string = randomUUID(), as = 'main') =>
  sandbox.call({ as, path: '/orders', body, key })

const events = async (sandbox: TestSandbox) =>
  (await sandbox.call({ path: '/events?limit=200' })).json.events as Fields[]
const ordersOf = async (sandbox: TestSandbox) =>
  (await sandbox.call({ path: '/orders?limit=100' })).json.orders as Fields[]

/** Records an order and looks at it. */
const recorded =
  (look: (json: Fields) => unknown, change: Fields = {}): Look =>
  async (sandbox) => {
    const answer = await record(sandbox, await order(sandbox, change))
    return answer.status === 201 ? look(answer.json) : outcome(answer)
  }

/** What becomes of an order whose body is changed. */
const refused =
  (change: (body: Fields) => void, look: (answer: TestAnswer) => unknown = outcome): Look =>
  async (sandbox) => {
    const body = await order(sandbox)
    change(body)
    return look(await record(sandbox, body))
  }

const bodies: Probe[] = [
  {
    defect: 'order-without-reference-crashes',
    look: refused(() => undefined),
    sound: '201',
    broken: '500 internal_error',
  },
  {
    defect: 'refused-orders-are-told',
    look: afterRefusal((body) => (body.expected_price -= 5)),
    sound: ['422 price_mismatch', 0, 0],
    broken: ['422 price_mismatch', 0, 1],
  },
  {
    defect: 'order-price-as-text',
    look: recorded((json) => typeof json.sale_price_cents),
    sound: 'number',
    broken: 'string',
  },
  {
    defect: 'order-price-with-decimals',
    look: recorded((json) => Number.isInteger(json.sale_price_cents)),
    sound: true,
    broken: false,
  },
  { defect: 'order-without-currency', look: recorded((json) => json.currency), sound: 'USD', broken: undefined },
  {
    defect: 'order-without-domain',
    look: recorded((json) => typeof json.domain),
    sound: 'string',
    broken: 'undefined',
  },
  {
    defect: 'order-id-without-prefix',
    look: recorded((json) => json.public_id.startsWith('ord_')),
    sound: true,
    broken: false,
  },
  {
    defect: 'order-starts-in-transfer',
    look: recorded((json) => json.status),
    sound: 'EXTERNALLY_PAID',
    broken: 'TRANSFER_IN_PROGRESS',
  },
  {
    defect: 'payment-reference-not-kept',
    look: recorded((json) => json.external_payment_ref, { external_payment_ref: 'p-1' }),
    sound: 'p-1',
    broken: null,
  },
  { defect: 'order-charged-one-cent-more', look: charged, sound: 0, broken: 1 },
  {
    defect: 'price-never-checked',
    look: refused((body) => (body.expected_price += 5)),
    sound: '422 price_mismatch',
    broken: '201',
  },
  {
    defect: 'price-checked-only-below',
    look: refused((body) => (body.expected_price += 5)),
    sound: '422 price_mismatch',
    broken: '201',
  },
  {
    defect: 'price-checked-only-above',
    look: refused((body) => (body.expected_price -= 5)),
    sound: '422 price_mismatch',
    broken: '201',
  },
  {
    defect: 'price-mismatch-is-conflict',
    look: refused((body) => (body.expected_price -= 5)),
    sound: '422 price_mismatch',
    broken: '409 conflict',
  },
  {
    defect: 'price-mismatch-is-400',
    look: refused((body) => (body.expected_price -= 5)),
    sound: '422 price_mismatch',
    broken: '400 price_mismatch',
  },
  {
    defect: 'price-mismatch-records-the-order',
    look: afterRefusal((body) => (body.expected_price -= 5)),
    sound: ['422 price_mismatch', 0, 0],
    broken: ['422 price_mismatch', 1, 1],
  },
  {
    defect: 'unlisted-domain-is-sold',
    look: refused((body) => (body.domain = 'nowhere.example')),
    sound: '404 not_found',
    broken: '201',
  },
  {
    defect: 'unlisted-domain-is-validation-error',
    look: refused((body) => (body.domain = 'nowhere.example')),
    sound: '404 not_found',
    broken: '400 validation_error',
  },
  {
    defect: 'order-without-domain-is-not-found',
    look: refused((body) => delete body.domain),
    sound: '400 validation_error',
    broken: '404 not_found',
  },
  {
    defect: 'order-price-as-text-passes',
    look: refused((body) => (body.expected_price = String(body.expected_price))),
    sound: '400 validation_error',
    broken: '201',
  },
  {
    defect: 'order-price-with-decimals-passes',
    look: refused((body) => (body.expected_price += 0.5)),
    sound: '400 validation_error',
    broken: '201',
  },
  {
    defect: 'order-of-numeric-email-passes',
    look: refused((body) => (body.buyer = { email: 5 })),
    sound: '400 validation_error',
    broken: '201',
  },
  {
    defect: 'order-of-any-buyer-passes',
    look: refused((body) => (body.buyer = 'me')),
    sound: '400 validation_error',
    broken: '201',
  },
  {
    defect: 'order-of-numeric-domain-crashes',
    look: refused((body) => (body.domain = 5)),
    sound: '400 validation_error',
    broken: '500 internal_error',
  },
  { defect: 'order-faults-named-one-by-one', look: refused(spoilTwo, namesBoth), sound: true, broken: false },
  {
    defect: 'order-faults-not-named',
    look: refused(
      (body) => (body.domain = 5),
      ({ json }) => json.message.includes('domain'),
    ),
    sound: true,
    broken: false,
  },
]

const reads: Probe[] = [
  { defect: 'order-detail-price-differs', look: detailPrice, sound: 0, broken: 1 },
  { defect: 'list-of-a-status-is-empty', look: filtered(() => '?status=EXTERNALLY_PAID'), sound: 3, broken: 0 },
  { defect: 'quote-id-not-kept', look: keepsQuoteId, sound: true, broken: false },
  { defect: 'timeline-never-grows', look: transferred((json) => json.timeline.length), sound: 2, broken: 1 },
  {
    defect: 'timeline-missing',
    look: transferred((json) => typeof json.timeline),
    sound: 'object',
    broken: 'undefined',
  },
  { defect: 'order-of-another-is-readable', look: foreign(outcome), sound: '404 not_found', broken: '200' },
  { defect: 'order-of-another-is-forbidden', look: foreign(outcome), sound: '404 not_found', broken: '403 forbidden' },
  {
    defect: 'order-of-another-is-worded-differently',
    look: foreign(({ json }) => json.message),
    sound: 'there is no such order',
    broken: 'there is no such order of yours',
  },
  {
    defect: 'order-unknown-is-empty',
    look: async (sandbox) => outcome(await sandbox.call({ path: '/orders/ord_0' })),
    sound: '404 not_found',
    broken: '200',
  },
  {
    defect: 'list-shows-everyones-orders',
    look: othersOrdersShown,
    sound: 0,
    broken: 1,
  },
  { defect: 'list-ignores-status', look: filtered(() => '?status=SETTLED'), sound: 0, broken: 3 },
  { defect: 'list-ignores-domain', look: filtered(([first]) => `?domain=${first.domain}`), sound: 1, broken: 3 },
  { defect: 'list-ignores-from', look: filtered(() => '?from=2100-01-01'), sound: 0, broken: 3 },
  { defect: 'list-ignores-to', look: filtered(() => '?to=2000-01-01'), sound: 0, broken: 3 },
  {
    defect: 'list-obeys-one-filter-only',
    look: filtered(([first]) => `?status=EXTERNALLY_PAID&domain=${first.domain}`),
    sound: 1,
    broken: 3,
  },
  { defect: 'list-excludes-from', look: filtered(() => '?from=2000-01-01'), sound: 3, broken: 0 },
  { defect: 'list-skips-one-at-each-page', look: paged(2), sound: 3, broken: 2 },
  { defect: 'list-repeats-one-at-each-page', look: paged(2), sound: 3, broken: 4 },
  { defect: 'list-pages-by-offset', look: paged(2, 1), sound: 3, broken: 4 },
  { defect: 'list-ends-after-one-page', look: paged(2), sound: 3, broken: 2 },
]

const quotes: Probe[] = [
  {
    defect: 'quote-without-token',
    look: quoted((json) => typeof json.quote_token),
    sound: 'string',
    broken: 'undefined',
  },
  {
    defect: 'quote-without-price',
    look: quoted((json) => typeof json.price_cents),
    sound: 'number',
    broken: 'undefined',
  },
  { defect: 'quote-without-id', look: quoted((json) => typeof json.quote_id), sound: 'string', broken: 'undefined' },
  { defect: 'quote-lasts-five-minutes', look: usedAfter('9m'), sound: '201', broken: '422 quote_expired' },
  { defect: 'quote-expires-at-once', look: usedAfter('1s'), sound: '201', broken: '422 quote_expired' },
  { defect: 'quote-price-is-not-charged', look: chargedByQuote, sound: 0, broken: 1 },
  { defect: 'quote-never-expires', look: usedAfter('11m'), sound: '422 quote_expired', broken: '201' },
  { defect: 'quote-lasts-an-hour', look: usedAfter('11m'), sound: '422 quote_expired', broken: '201' },
  { defect: 'quote-expired-is-conflict', look: usedAfter('11m'), sound: '422 quote_expired', broken: '409 conflict' },
  { defect: 'quote-expired-is-400', look: usedAfter('11m'), sound: '422 quote_expired', broken: '400 quote_expired' },
  {
    defect: 'quote-expired-records-the-order',
    look: usedAfter('11m', async (sandbox) => (await ordersOf(sandbox)).length),
    sound: 0,
    broken: 1,
  },
  {
    defect: 'quote-reserves-nothing',
    look: othersAfter('1m'),
    sound: ['409 conflict', '409 conflict'],
    broken: ['201', '201'],
  },
  {
    defect: 'quote-reserves-against-quotes-only',
    look: othersAfter('1m'),
    sound: ['409 conflict', '409 conflict'],
    broken: ['409 conflict', '201'],
  },
  {
    defect: 'reservation-outlives-its-quote',
    look: othersAfter('11m'),
    sound: ['201', '201'],
    broken: ['409 conflict', '409 conflict'],
  },
]

/** Sends one order twice and looks at both answers and at what was recorded. */
const twice =
  (second: (body: Fields) => Fields = (body) => body): Look =>
  async (sandbox) => {
    const body = await order(sandbox)
    const first = await record(sandbox, body, 'key')
    const again = await record(sandbox, second(body), 'key')
    return [outcome(again), first.text === again.text, (await ordersOf(sandbox)).length, (await events(sandbox)).length]
  }
const otherReference = (body: Fields) => ({ ...body, external_payment_ref: 'other' })
const REPLAYED = ['201', true, 1, 1]

const idempotency: Probe[] = [
  {
    defect: 'order-reads-demand-a-key',
    look: readWithoutKey('/orders'),
    sound: '200',
    broken: '400 missing_idempotency_key',
  },
  {
    defect: 'inventory-demands-a-key',
    look: readWithoutKey('/pricing?domain=stalls-1.test'),
    sound: '200',
    broken: '400 missing_idempotency_key',
  },
  {
    defect: 'history-demands-a-key',
    look: readWithoutKey('/events'),
    sound: '200',
    broken: '400 missing_idempotency_key',
  },
  {
    defect: 'replay-checks-the-price-again',
    look: replayedAfterPriceChange,
    sound: '201',
    broken: '422 price_mismatch',
  },
  { defect: 'key-shared-by-all-partners-and-bodies', look: sharedKey, sound: false, broken: true },
  { defect: 'key-optional', look: withoutKey, sound: '400 missing_idempotency_key', broken: '201' },
  {
    defect: 'key-missing-is-validation-error',
    look: withoutKey,
    sound: '400 missing_idempotency_key',
    broken: '400 validation_error',
  },
  { defect: 'key-ignored', look: twice(), sound: REPLAYED, broken: ['409 conflict', false, 1, 1] },
  { defect: 'replay-records-again', look: twice(), sound: REPLAYED, broken: ['201', false, 2, 2] },
  { defect: 'replay-tells-again', look: twice(), sound: REPLAYED, broken: ['201', true, 1, 2] },
  { defect: 'replay-is-marked-in-its-body', look: twice(), sound: REPLAYED, broken: ['201', false, 1, 1] },
  { defect: 'replay-is-refused-as-conflict', look: twice(), sound: REPLAYED, broken: ['409 conflict', false, 1, 1] },
  { defect: 'other-body-replays', look: twice(otherReference), sound: ['409 conflict', false, 1, 1], broken: REPLAYED },
  {
    defect: 'other-body-records',
    look: twice(otherReference),
    sound: ['409 conflict', false, 1, 1],
    broken: ['201', false, 2, 2],
  },
  {
    defect: 'other-body-is-422',
    look: twice(otherReference),
    sound: ['409 conflict', false, 1, 1],
    broken: ['422 validation_error', false, 1, 1],
  },
  { defect: 'key-race', look: race, sound: [1, 1], broken: [8, 8] },
  {
    defect: 'replay-shows-the-current-state',
    look: replayedAfterTransfer,
    sound: 'EXTERNALLY_PAID',
    broken: 'TRANSFER_IN_PROGRESS',
  },
  {
    defect: 'quotes-demand-a-key',
    look: quoted(() => 'quoted'),
    sound: 'quoted',
    broken: '400 missing_idempotency_key',
  },
  { defect: 'key-shared-by-all-partners', look: sharedKey, sound: false, broken: true },
]

showDefects([...bodies, ...reads, ...quotes, ...idempotency])

async function charged(sandbox: TestSandbox) {
  const body = await order(sandbox)
  return (await record(sandbox, body)).json.sale_price_cents - body.expected_price
}

function afterRefusal(change: (body: Fields) => void): Look {
  return async (sandbox) => [
    await refused(change)(sandbox),
    (await ordersOf(sandbox)).length,
    (await events(sandbox)).length,
  ]
}

function spoilTwo(body: Fields) {
  body.domain = 5
  body.buyer = { email: 'nobody' }
}

function namesBoth({ json }: TestAnswer): boolean {
  return json.message.includes('domain') && json.message.includes('buyer.email')
}

async function quote(sandbox: TestSandbox) {
  const found = await listing(sandbox)
  return sandbox.call({ path: '/quotes', body: { domain: found.domain } })
}

function quoted(look: (json: Fields) => unknown): Look {
  return async (sandbox) => {
    const answer = await quote(sandbox)
    return answer.status === 201 ? look(answer.json) : outcome(answer)
  }
}

function byQuote({ quote_id, domain, price_cents: expected_price, currency }: Fields) {
  return { domain, expected_price, currency, buyer: BUYER, quote_id }
}

async function keepsQuoteId(sandbox: TestSandbox) {
  const { json } = await quote(sandbox)
  return (await record(sandbox, byQuote(json))).json.quote_id === json.quote_id
}

async function chargedByQuote(sandbox: TestSandbox) {
  const { json } = await quote(sandbox)
  return (await record(sandbox, byQuote(json))).json.sale_price_cents - json.price_cents
}

const later = (sandbox: TestSandbox, by: string) => sandbox.operate('POST', '/v1/worlds/default/clock/advance', { by })

function usedAfter(by: string, look?: Look): Look {
  return async (sandbox) => {
    const { json } = await quote(sandbox)
    await later(sandbox, by)
    const answer = await record(sandbox, byQuote(json))
    return look ? look(sandbox) : outcome(answer)
  }
}

/** What another partner gets for quoting and for buying two domains that were quoted a while ago. */
function othersAfter(by: string): Look {
  return async (sandbox) => {
    const [first, second] = [(await quote(sandbox)).json, (await quote(sandbox)).json]
    await later(sandbox, by)
    const quoting = await sandbox.call({ as: 'other-partner', path: '/quotes', body: { domain: first.domain } })
    const { quote_id: _, ...body } = byQuote(second)
    return [outcome(quoting), outcome(await record(sandbox, body, 'key', 'other-partner'))]
  }
}

/** An order's detail once its transfer has started. */
function transferred(look: (json: Fields) => unknown): Look {
  return async (sandbox) => {
    const { json } = await sandbox.sell()
    await sandbox.operate('POST', `/v1/worlds/default/orders/${json.public_id}/start-transfer`, {})
    return look((await sandbox.call({ path: `/orders/${json.public_id}` })).json)
  }
}

function foreign(look: (answer: TestAnswer) => unknown): Look {
  return async (sandbox) => {
    const { json } = await sandbox.sell({ as: 'other-partner' })
    return look(await sandbox.call({ path: `/orders/${json.public_id}` }))
  }
}

/** How many of three orders a filter leaves. */
function filtered(query: (orders: [Fields, ...Fields[]]) => string): Look {
  return async (sandbox) => {
    for (let n = 0; n < 3; n++) await sandbox.sell()
    const orders = (await ordersOf(sandbox)) as [Fields, ...Fields[]]
    return (await sandbox.call({ path: `/orders${query(orders)}` })).json.orders.length
  }
}

/** How many orders the pages of three orders show, with some more recorded after each page. */
function paged(limit: number, recordedMeanwhile = 0): Look {
  return async (sandbox) => {
    for (let n = 0; n < 3; n++) await sandbox.sell()
    let shown = 0
    let cursor: string | null = ''
    while (cursor !== null) {
      const { json } = await sandbox.call({ path: `/orders?limit=${limit}${cursor && `&cursor=${cursor}`}` })
      shown += json.orders.length
      cursor = json.next_cursor
      for (let n = 0; n < recordedMeanwhile && shown < 4; n++) await sandbox.sell()
    }
    return shown
  }
}

async function withoutKey(sandbox: TestSandbox) {
  return outcome(await sandbox.call({ path: '/orders', body: await order(sandbox) }))
}

/** How many orders eight calls with one key show, and how many there are then. */
async function race(sandbox: TestSandbox) {
  const answers = await burst(sandbox, 8, { method: 'POST', path: '/orders', body: await order(sandbox), key: 'key' })
  const shown = new Set(answers.map(({ body }) => JSON.parse(body).public_id))
  return [shown.size, (await ordersOf(sandbox)).length]
}

async function replayedAfterTransfer(sandbox: TestSandbox) {
  const body = await order(sandbox)
  const { json } = await record(sandbox, body, 'key')
  await sandbox.operate('POST', `/v1/worlds/default/orders/${json.public_id}/start-transfer`, {})
  return (await record(sandbox, body, 'key')).json.status
}

async function sharedKey(sandbox: TestSandbox) {
  const body = await order(sandbox)
  const { json } = await record(sandbox, body, 'key')
  return (await record(sandbox, body, 'key', 'other-partner')).json.public_id === json.public_id
}

async function othersOrdersShown(sandbox: TestSandbox) {
  await record(sandbox, await order(sandbox), 'key', 'other-partner')
  return (await ordersOf(sandbox)).length
}

async function detailPrice(sandbox: TestSandbox) {
  const { json } = await sandbox.sell()
  return (await sandbox.call({ path: `/orders/${json.public_id}` })).json.sale_price_cents - json.sale_price_cents
}

function readWithoutKey(path: string): Look {
  return async (sandbox) => outcome(await sandbox.call({ path }))
}

async function replayedAfterPriceChange(sandbox: TestSandbox) {
  const body = await order(sandbox)
  await record(sandbox, body, 'key')
  const price_cents = body.expected_price + 1_000
  await sandbox.operate('PATCH', `/v1/worlds/default/domains/${body.domain}`, { price_cents })
  return outcome(await record(sandbox, body, 'key'))
}
