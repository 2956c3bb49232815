import { describe, expect, it } from 'vitest'
import { findRole } from '../../src/conformance/dialect/find-role.ts'
import { cursorPairs, isAddress } from '../../src/conformance/dialect/place.ts'
import { ROLES, type RoleName } from '../../src/conformance/format/roles.ts'
import { atPointer } from '../../src/conformance/http/json-body.ts'
import type { DialectFile } from '../../src/conformance/target/target.ts'
import type { EndpointId } from '../../src/contract/endpoints.ts'

const AMBIGUOUS = 'ambiguous'
const ABSENT = 'absent'
const cents = (amount: number) => ({ amount, unit: 'cents' })
const units = (amount: number) => ({ amount, unit: 'units' })
const untold = (amount: number) => ({ amount, unit: null })
const order = { public_id: 'ord_1', domain: 'a.test', status: 'SETTLED', sale_price_cents: 6500, currency: 'USD' }

type Headers = readonly (readonly [string, string])[]
type Shape = readonly [how: string, role: RoleName, json: unknown, value: unknown, headers?: Headers]

const ENVELOPES: readonly Shape[] = [
  ['bare', 'listing.price', { price_cents: 6500 }, cents(6500)],
  ['below data', 'listing.price', { data: { price_cents: 6500 } }, cents(6500)],
  ['below result', 'listing.price', { result: { price_cents: 6500 } }, cents(6500)],
  ['below response and data', 'listing.price', { response: { data: { price_cents: 6500 } } }, cents(6500)],
  ['below data and its noun', 'listing.price', { data: { pricing: { price_cents: 6500 } } }, cents(6500)],
  [
    'as JSON:API',
    'listing.price',
    { data: { type: 'price', id: '7', attributes: { price_cents: 6500 } } },
    cents(6500),
  ],
  [
    'as an item of JSON:API',
    'payout.kind',
    { type: 'payouts', id: '7', attributes: { kind: 'brokerage' } },
    'brokerage',
  ],
  ['as an item of JSON:API, by its id', 'payout.id', { type: 'payouts', id: '7', attributes: { paid_at: 'x' } }, '7'],
  ['as a GraphQL node', 'transaction.domain', { node: { domain: 'a.test' }, cursor: 'c1' }, 'a.test'],
  ['below an unknown word', 'listing.floor', { answer: { of: { floor_cents: 5 } } }, cents(5)],
  ['as a plain text', 'search.domain', 'a.test', 'a.test'],
  ['with nothing in it', 'listing.price', { data: {} }, ABSENT],
  ['of an order, below its noun', 'order.public_id', { order }, 'ord_1'],
  ['of an order, below data and its noun', 'order.sale_price_cents', { data: { order } }, 6500],
  ['of an order, below unknown words', 'order.public_id', { result: { sale: { order } } }, 'ord_1'],
  ['with a status of its own', 'order.status', { status: 'ok', order }, 'SETTLED'],
]

const HOSTILE: readonly Shape[] = [null, 7, 'text', [], [[[]]], { constructor: 1 }]
  .concat(JSON.parse('[{ "__proto__": { "code": "forbidden" } }]'))
  .map((json) => [JSON.stringify(json), 'order.public_id', json, ABSENT])

const FLAGS: readonly Shape[] = [
  ...([true, 'yes'] as const).map((word): Shape => [`as ${word}`, 'listing.available', { available: word }, true]),
  ...(['no', 'sold'] as const).map((word): Shape => [`as ${word}`, 'listing.available', { available: word }, false]),
  ['as true where the document shows true or false', 'webhook.active', { active: true }, true],
  ['as a word where the document shows true or false', 'webhook.active', { active: 'yes' }, 'yes'],
]

const REPORTS: readonly Shape[] = [
  ['of a period', 'statement.period_start', { period: { from: '2026-01-01', to: '2026-02-01' } }, '2026-01-01'],
  [
    'of the end of a period',
    'statement.period_end',
    { period: { from: '2026-01-01', to: '2026-02-01' } },
    '2026-02-01',
  ],
  ['of totals', 'statement.gross', { totals: { gross: '12.50', retained: 2.5, owed: 10.0 } }, units(12.5)],
  ['of a summary', 'payouts.total', { data: [], summary: { total_paid: { amount_cents: 700 } } }, cents(700)],
  ['of a buyer', 'sale.buyer_email', { buyer: { email: 'b@a.example' } }, 'b@a.example'],
  ['of a rate', 'funnel.conversion_rate', { funnel: { conversionRate: 0.5 } }, 0.5],
  ['of a right', 'eligibility.eligible', { eligibility: { is_eligible: 'no' } }, false],
  ['of a refund', 'refund.order', { refund: { order_id: 'ord_1' } }, 'ord_1'],
  ['of two balances', 'ledger.total', { entries: [{ balance: 1 }, { balance: 2 }] }, AMBIGUOUS],
]

const KEYS: readonly Shape[] = [
  ['in camelCase', 'listing.price', { priceCents: 6500 }, cents(6500)],
  ['in camelCase, below', 'listing.floor', { data: { floorPrice: '50.00' } }, units(50)],
  ['in PascalCase', 'listing.available', { Available: true }, true],
  ['in kebab-case', 'statement.gross', { 'gross-sold-cents': 5 }, cents(5)],
  ['in camelCase, of an order', 'order.external_payment_ref', { order: { externalPaymentRef: 'r' } }, 'r'],
  ['of a link, as clickCount', 'link.clicks', { stats: { clickCount: 3 } }, 3],
  ['of a link, counted once more', 'link.clicks', { performance: { clicks: { total: 3 } } }, 3],
  ['of a link, with what it earned', 'link.sales', { performance: { sales: { total: 2, value: '65.00' } } }, 2],
  [
    'of a step, by its word',
    'funnel.clicks',
    {
      stages: [
        { stage: 'click', count: 9 },
        { stage: 'sale', count: 1 },
      ],
    },
    9,
  ],
  ['of an order id under another name', 'transaction.order', { ref: 'ord_7', row: 'txn_1' }, 'ord_7'],
  ['of one order id beside another', 'sale.order', { first: 'ord_1', second: 'ord_2' }, AMBIGUOUS],
  ['of a known name beside another order id', 'sale.order', { order_id: 'ord_1', parent: 'ord_2' }, 'ord_1'],
]

const MONEY: readonly Shape[] = [
  ['in cents by its key', 'listing.price', { price_cents: 6500 }, cents(6500)],
  ['as a decimal text', 'listing.price', { price: '65.00' }, units(65)],
  ['as a decimal number', 'listing.price', { price: 65.5 }, units(65.5)],
  ['as an integer that nobody explains', 'listing.price', { price: 6500 }, untold(6500)],
  ['with its currency', 'listing.price', { price: { amount: '65.00', currency: 'USD' } }, units(65)],
  ['in minor units by its key', 'listing.price', { price: { amount_minor: 6500 } }, cents(6500)],
  ['in camelCase minor units', 'listing.price', { price: { minorUnits: 6500, currencyCode: 'USD' } }, cents(6500)],
  ['with an exponent', 'listing.price', { price: { amount: 6500, exponent: 2 } }, cents(6500)],
  [
    'in units and nanos',
    'listing.price',
    { price: { currencyCode: 'USD', units: '65', nanos: 500_000_000 } },
    units(65.5),
  ],
  ['with the word of its currency', 'listing.price', { price: '65.00 USD' }, units(65)],
  ['with the sign of its currency', 'listing.price', { price: '$1,250' }, units(1250)],
  ['twice, in two units', 'listing.price', { price: 65, price_cents: 6500 }, cents(6500)],
  ['twice, and not the same', 'listing.price', { price: 65, list_price: 80 }, AMBIGUOUS],
  ['as buy-now beside others', 'listing.price', { price: 65, buy_now: 80 }, untold(80)],
  ['of a quote, twice', 'quote.price', { price: 65, amount: 70 }, AMBIGUOUS],
  ['as words', 'listing.price', { price: 'on request' }, ABSENT],
  ['in cents by the key of its amount', 'listing.price', { price: { amount_cents: 5, currency: 'USD' } }, cents(5)],
  ['as an integer in camelCase', 'listing.price', { buyNowPrice: 1_250 }, untold(1250)],
  ['of the floor alone', 'listing.price', { floor_price_cents: 900 }, ABSENT],
]

const CURSORS: readonly Shape[] = [
  ['beside the list', 'orders.next', { orders: [], next_cursor: 'c2' }, 'c2'],
  ['in camelCase', 'orders.next', { orders: [], nextCursor: 'c2' }, 'c2'],
  ['below paging', 'orders.next', { orders: [], paging: { next: 'c2' } }, 'c2'],
  ['below meta', 'list.next', { data: [], meta: { pagination: { next_page: 2 } } }, 2],
  ['as pageInfo', 'orders.next', { orders: [], pageInfo: { endCursor: 'c2', hasNextPage: true } }, 'c2'],
  [
    'as cursors before and after',
    'orders.next',
    { data: [], paging: { cursors: { before: 'c0', after: 'c2' } } },
    'c2',
  ],
  ['beside the cursor of this page', 'orders.next', { data: [], page: { cursor: 'c1', next: 'c2' } }, 'c2'],
  ['as a link', 'list.next', { data: [], links: { next: '/orders?after=c2' } }, '/orders?after=c2'],
  ['as HAL', 'orders.next', { _embedded: { orders: [] }, _links: { next: { href: '/o?after=c2' } } }, '/o?after=c2'],
  [
    'as one link of many',
    'list.next',
    {
      data: [],
      links: [
        { rel: 'self', href: '/a' },
        { rel: 'next', href: '/b' },
      ],
    },
    '/b',
  ],
  ['in the header Link', 'orders.next', { orders: [] }, '/o?after=c2', [['Link', '</o?after=c2>; rel="next"']]],
  ['in a header of its own', 'orders.next', { orders: [] }, 'c2', [['X-Next-Cursor', 'c2']]],
  ['in a header of another name', 'orders.next', { orders: [] }, 'p2', [['X-Next-Page-Token', 'p2']]],
  ['below pagination', 'list.next', { items: [], pagination: { next: 'c2' } }, 'c2'],
  ['nowhere', 'orders.next', { orders: [] }, ABSENT],
  ['nowhere on the last page', 'orders.next', { orders: [], next_cursor: null }, ABSENT],
]

const ERRORS: readonly Shape[] = [
  ['flat', 'error.code', { code: 'forbidden' }, 'forbidden'],
  ['below error', 'error.code', { error: { code: 'forbidden', message: 'no' } }, 'forbidden'],
  ['in a list', 'error.code', { errors: [{ code: 'forbidden', detail: 'no' }] }, 'forbidden'],
  ['as the error', 'error.code', { error: 'forbidden', error_description: 'no' }, 'forbidden'],
  ['beside a status', 'error.code', { code: 403, error: 'forbidden' }, 'forbidden'],
  ['as the type of a problem', 'error.code', { type: 'https://x.test/problems/not-found', status: 404 }, 'not_found'],
  ['as a URN', 'error.code', { type: 'urn:problem:not_found', title: 'Not found' }, 'not_found'],
  ['of a problem without a type', 'error.code', { type: 'about:blank', title: 'Not found' }, ABSENT],
  ['in a header', 'error.code', { message: 'no' }, 'forbidden', [['X-Error-Code', 'forbidden']]],
  ['with its message beside', 'error.message', { errors: [{ code: 'forbidden', detail: 'no' }] }, 'no'],
  ['as two different codes', 'error.code', { a: 'forbidden', b: 'conflict' }, AMBIGUOUS],
  [
    'beside a second code in the details',
    'error.code',
    { code: 'conflict', details: { was: 'not_found' } },
    'conflict',
  ],
  ['under an odd name', 'error.code', { fault: { reason_code: 'forbidden' } }, 'forbidden'],
  ['deep inside', 'error.code', { a: { b: { c: { d: 'forbidden' } } } }, 'forbidden'],
  ['of the target’s own', 'error.code', { code: 'already_refunded' }, 'already_refunded'],
  ['of a page', 'error.code', undefined, ABSENT],
  ['in no word', 'error.code', { ok: false }, ABSENT],
]

const TIMES: readonly Shape[] = [
  ['as seconds', 'order.created_at', { order: { ...order, created_at: 1_700_000_000 } }, '2023-11-14T22:13:20.000Z'],
  [
    'as milliseconds',
    'order.created_at',
    { order: { ...order, createdAt: 1_700_000_000_000 } },
    '2023-11-14T22:13:20.000Z',
  ],
  ['as seconds in a text', 'payout.date', { paid_at: '1700000000' }, '2023-11-14T22:13:20.000Z'],
  ['as a day', 'payout.date', { date: '2023-11-14' }, '2023-11-14'],
  ['where the document says ISO', 'event.created_at', { created_at: 1_700_000_000 }, 1_700_000_000],
]

describe.each<[string, readonly Shape[]]>([
  ['an envelope', ENVELOPES],
  ['a key', KEYS],
  ['money', MONEY],
  ['a cursor', CURSORS],
  ['an error', ERRORS],
  ['a time', TIMES],
  ['a flag', FLAGS],
  ['a report', REPORTS],
  ['a hostile answer', HOSTILE],
])('%s', (_group, shapes) => {
  it.each(shapes.map((shape) => ({ how: shape[0], shape })))('$how is read for what it is', ({ shape }) => {
    const [, role, json, value, headers = []] = shape
    const op: EndpointId = role.startsWith('listing') ? 'pricing' : 'orders.list'
    const found = findRole({}, role, { json, op, headers })
    expect(found.found ? found.value : found.why).toEqual(value)
  })

  it.each(shapes.map((shape) => ({ how: shape[0], shape })))(
    '$how is found again where it is said to stand',
    ({ shape }) => {
      const [, role, json, value, headers = []] = shape
      const found = findRole({}, role, { json, op: 'orders.list', headers })
      if (!found.found) return expect([AMBIGUOUS, ABSENT]).toContain(value)
      const address = ROLES[role].kind === 'money' ? { at: found.at, unit: unitOf(found.value) } : found.at
      const again = findRole({ [role]: address } as never, role, { json, op: 'orders.list', headers })
      expect(again).toMatchObject({ found: true, value: found.value })
      if (!found.at.startsWith('header:')) expect(atPointer(json, found.at)).toBeDefined()
    },
  )
})

function unitOf(value: unknown): 'cents' | 'units' | undefined {
  return (value as { unit: 'cents' | 'units' | null }).unit ?? undefined
}

describe('a list', () => {
  it.each<[string, RoleName, unknown, number | string]>([
    ['at the top', 'orders.items', [order], 1],
    ['under its noun', 'orders.items', { orders: [order] }, 1],
    ['under its noun, below', 'orders.items', { orders: { items: [order] } }, 1],
    ['below data', 'orders.items', { data: [order] }, 1],
    ['below data and its noun', 'orders.items', { data: { orders: [order] } }, 1],
    ['in HAL', 'orders.items', { _embedded: { orders: [order] } }, 1],
    ['of JSON:API', 'orders.items', { data: [{ type: 'orders', id: '1', attributes: order }] }, 1],
    ['of GraphQL', 'orders.items', { orders: { edges: [{ node: order }] } }, 1],
    ['of things in camelCase', 'orders.items', { payload: { rows: [{ publicId: 'ord_1' }] } }, 1],
    ['of records', 'transactions.items', { records: [{ id: 't' }], total: 1 }, 1],
    ['that is empty', 'links.items', { data: [] }, 0],
    ['that is missing', 'links.items', { data: {} }, ABSENT],
    ['beside a list of other things', 'orders.items', { meta: { tags: [{ a: 1 }] }, records: [order] }, 1],
    ['that is empty and the only one', 'orders.items', { records: [], next: null }, 0],
  ])('%s is found', (_how, role, json, count) => {
    const found = findRole<readonly unknown[]>({}, role, { json, op: 'orders.list' })
    expect(found.found ? found.value.length : found.why).toBe(count)
  })
})

describe('a place that the target file names', () => {
  const lookUp = (json: unknown, roles: DialectFile['roles'], role: RoleName = 'listing.price') => {
    const found = findRole(roles, role, { json, op: 'pricing', headers: [['X-Next', 'c2']] })
    return found.found ? found.value : found.why
  }

  it('decides over everything, and may be a header or of one operation only', () => {
    const roles = { 'listing.price': { at: '/data/price', unit: 'units' } } as const
    expect(lookUp({ price_cents: 1, data: { price: 7 } }, roles)).toEqual(units(7))
    expect(lookUp({}, { 'orders.next': 'header:x-next' }, 'orders.next')).toBe('c2')
    expect(lookUp({ x: 5 }, { 'pricing:listing.price': '/x', 'listing.price': '/y' })).toEqual(untold(5))
  })

  it('is not second-guessed where it leads nowhere', () => {
    expect(lookUp({ price_cents: 1 }, { 'listing.price': '/nowhere' })).toBe(ABSENT)
  })
})

describe('the address of a next page', () => {
  it('says what its cursor is', () => {
    expect(cursorPairs('https://a.test/o?after=c3&limit=1')).toEqual([
      ['after', 'c3'],
      ['limit', '1'],
    ])
    expect(['/o?after=c3', 'https://a.test/o', '?page=2'].every(isAddress)).toBe(true)
    expect(['c3', 'evt_1', 'eyJpZCI6MX0=', 'a/b'].some(isAddress)).toBe(false)
  })
})
