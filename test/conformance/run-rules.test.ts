import { expect, it } from 'vitest'
import { breaking, callsOfRun } from './calls-of-run.ts'

const order = (public_id: string, more: object = {}) => ({
  ...{ public_id, domain: 'a.test', status: 'EXTERNALLY_PAID', sale_price_cents: 1000, currency: 'USD' },
  ...more,
})
const at = (status: string, minute: number) => ({ status, at: `2026-01-01T00:0${minute}:00Z` })
const PAID = [at('EXTERNALLY_PAID', 1)]
const STARTED = [...PAID, at('TRANSFER_IN_PROGRESS', 2)]

it('the data of an event may have its members in any order', () => {
  const page = (data: object) => ({ events: [{ id: 'evt_1', type: 'order.recorded', created_at: 'x', data }] })
  const [one, other] = [
    { order: { public_id: 'ord_1', domain: 'a.test' } },
    { order: { domain: 'a.test', public_id: 'ord_1' } },
  ]
  const read = (json: object) => ({ op: 'events.list' as const, json })
  expect(breaking('keeps_facts', ['events.list'], callsOfRun(read(page(one)), read(page(other))))).toEqual([])
  const changed = { order: { ...one.order, domain: 'b.test' } }
  expect(breaking('keeps_facts', ['events.list'], callsOfRun(read(page(one)), read(page(changed))))).toHaveLength(1)
})

it.each([
  ['1042', 0],
  ['ord_100042', 0],
  ['ord_8f3k1d6w', 1],
  ['ord_half_a_pair\ud800', 1],
])('another caller that made a thing with the id %s counts %d times', (id, times) => {
  const calls = callsOfRun(
    { op: 'orders.create', json: order(id), realm: 'other', sent: { domain: 'a.test' } },
    { op: 'orders.list', json: { orders: [order(id)] } },
  )
  expect(breaking('shows_own_only', ['orders.list'], calls)).toHaveLength(times)
})

it.each([
  ['A.TEST', 'a.test', 0],
  ['xn--bcher-kva.test', 'bücher.test', 0],
  ['a.test', ' a.test ', 0],
  ['b.test', 'a.test', 1],
])('an answer about %s to a question about %s breaks a rule %d times', (told, asked, times) => {
  const calls = callsOfRun({
    op: 'availability',
    json: { domain: told, available: true },
    query: `domain=${encodeURIComponent(asked)}`,
  })
  expect(breaking('repeats_what_was_sent', ['availability'], calls)).toHaveLength(times)
})

it.each([
  ['a store that lags behind for a moment', [STARTED, PAID, STARTED], 0],
  ['a timeline that is shorter, as it was before', [STARTED, PAID], 0],
  [
    'a timeline that has forgotten its beginning',
    [PAID, [at('MANUAL_REVIEW', 2)], [...PAID, at('MANUAL_REVIEW', 2)]],
    1,
  ],
])('%s', (_, timelines, times) => {
  const made = { op: 'orders.create' as const, json: order('ord_8f3k1d6w'), sent: { domain: 'a.test' } }
  const reads = timelines.map((timeline) => ({
    op: 'orders.detail' as const,
    json: order('ord_8f3k1d6w', { status: timeline.at(-1)?.status, timeline }),
  }))
  expect(breaking('goes_forward', ['orders.detail'], callsOfRun(made, ...reads))).toHaveLength(times)
})

it.each([
  ['order.transfer_started', 'TRANSFER_IN_PROGRESS', 0],
  ['order.transfer_started', 'EXTERNALLY_PAID', 1],
  ['order.transfer_started', 'ON_ITS_WAY', 0],
  ['order.refunded', 'SETTLED', 0],
])('an event of type %s with the state %s breaks a rule %d times', (type, status, times) => {
  const eventOf = (public_id: string) => ({
    id: 'evt_1',
    type,
    created_at: 'x',
    data: { order: { public_id, status } },
  })
  // Of an order that was paid at a page, which state comes first is open.
  const events = [eventOf('ord_8f3k1d6w'), eventOf('ord_paid_at_a_page')]
  const calls = callsOfRun(
    { op: 'orders.create', json: order('ord_8f3k1d6w'), sent: { domain: 'a.test' } },
    { op: 'events.list', json: { events } },
  )
  expect(breaking('tells_states', [], calls)).toHaveLength(times)
})

it.each([
  [{ domain: 'A.TEST', currency: 'USD' }, 0],
  [{ domain: 'b.test', currency: 'USD' }, 1],
  [{ domain: 'a.test', currency: 'usd' }, 0],
  [{ domain: 'a.test', currency: 'eur' }, 1],
])('a transaction with %o of an order for a.test in USD breaks a rule %d times', (told, times) => {
  const row = { transaction_id: 'txn_1', public_id: 'ord_8f3k1d6w', ...told }
  const calls = callsOfRun(
    { op: 'orders.create', json: order('ord_8f3k1d6w'), sent: { domain: 'a.test' } },
    { op: 'transactions.list', json: { transactions: [row] } },
  )
  expect(breaking('sales_are_of_their_orders', [], calls)).toHaveLength(times)
})

it('a transaction whose currency is in small letters, while those of others are not, breaks a rule', () => {
  const rows = ['USD', 'usd'].map((currency) => ({ public_id: 'ord_8f3k1d6w', domain: 'a.test', currency }))
  const calls = callsOfRun(
    { op: 'orders.create', json: order('ord_8f3k1d6w'), sent: { domain: 'a.test' } },
    { op: 'transactions.list', json: { transactions: rows } },
  )
  expect(breaking('sales_are_of_their_orders', [], calls)).toHaveLength(1)
})

it('an event that is about no order is not the event of an order that was refused without a domain', () => {
  const refusal = { code: 'validation_error', message: 'domain is required' }
  const event = { id: 'evt_1', type: 'webhook.ping', created_at: '2999-01-01T00:00:00Z', data: {} }
  const calls = callsOfRun(
    { op: 'orders.create', sent: { expected_price: 1 }, json: refusal },
    { op: 'events.list', json: { events: [event] } },
  )
  const refused = calls.map((call) =>
    call.op === 'orders.create' ? { ...call, recordsAtMs: 0, answer: { ...call.answer, status: 400 } as never } : call,
  )
  expect(breaking('keeps_nothing_refused', ['validation_error' as never], refused)).toEqual([])
})

it.each([['INV-7'], [null]])(
  'an order that another client recorded since, for a domain that was refused to this run, breaks no rule: %s',
  (external_payment_ref) => {
    const created_at = '2026-01-01T00:00:00Z'
    const own = { public_id: 'ord_own', domain: 'b.test', external_payment_ref: 'conf-1', created_at }
    const other = { ...order('ord_other'), external_payment_ref, created_at: '2026-01-01T00:01:00Z' }
    const event = { id: 'evt_1', type: 'order.recorded', created_at: other.created_at, data: { order: other } }
    const calls = callsOfRun(
      { op: 'orders.create', sent: { domain: 'a.test' }, json: { code: 'validation_error', message: 'malformed' } },
      { op: 'orders.create', sent: { domain: 'b.test', external_payment_ref: 'conf-1' }, json: own },
      { op: 'orders.list', json: { orders: [own, other] } },
      { op: 'events.list', json: { events: [event] } },
    ).map((call, index) =>
      index === 0 ? { ...call, recordsAtMs: 0, answer: { ...call.answer, status: 400 } as never } : call,
    )
    expect(breaking('keeps_nothing_refused', ['validation_error' as never], calls)).toEqual([])
  },
)

it.each([
  ['before the first order of the run', '2026-01-31T23:59:00Z', 0],
  ['since the first order of the run', '2026-02-01T00:01:00Z', 1],
])('an event without a currency, %s, counts %3$d times', (_, created_at, times) => {
  const { currency, ...bare } = order('ord_1')
  const event = { id: 'evt_1', type: 'order.recorded', created_at, data: { order: bare } }
  const own = order('ord_own', { created_at: '2026-02-01T00:00:00Z' })
  const calls = callsOfRun(
    { op: 'orders.create', sent: { domain: 'a.test' }, json: own },
    { op: 'events.list', json: { events: [event] } },
  )
  expect(breaking('tells_all', [], calls)).toHaveLength(times)
})

it('the event of a domain whose order was refused breaks a rule only where a list shows whose orders there are', () => {
  const refusal = { code: 'validation_error', message: 'currency is malformed' }
  const data = { order: { public_id: 'ord_of_another', domain: 'a.test' } }
  const event = { id: 'evt_1', type: 'order.recorded', created_at: '2999-01-01T00:00:00Z', data }
  const own = { public_id: 'ord_own', domain: 'b.test', external_payment_ref: 'conf-1' }
  const refused = (row: object) =>
    callsOfRun(
      { op: 'orders.create', sent: { domain: 'a.test' }, json: refusal },
      { op: 'orders.create', sent: { domain: 'b.test', external_payment_ref: 'conf-1' }, json: own },
      { op: 'orders.list', json: { orders: [row] } },
      { op: 'events.list', json: { events: [event] } },
    ).map((call, index) =>
      index === 0 ? { ...call, recordsAtMs: 0, answer: { ...call.answer, status: 400 } as never } : call,
    )
  const { external_payment_ref: _, ...bare } = own
  expect(breaking('keeps_nothing_refused', ['validation_error' as never], refused(own))).toHaveLength(1)
  expect(breaking('keeps_nothing_refused', ['validation_error' as never], refused(bare))).toEqual([])
})

it('a payout may be dated again, and not at each reading, unless it is added to; rows that share an id are not told apart', () => {
  const read = (...rows: object[]) => ({ op: 'payouts.list' as const, json: { payouts: rows } })
  const payout = (paid_at: string | null, amount_cents = 100) => ({ payout_id: 'pay_8f3k1d6w', paid_at, amount_cents })
  const [one, two, three] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z']
  const rows = (...calls: ReturnType<typeof read>[]) => breaking('keeps_rows', ['payouts.list'], callsOfRun(...calls))
  expect(rows(read(payout(null)), read(payout(one)), read(payout(two)), read(payout(two)))).toEqual([])
  expect(rows(read(payout(one)), read(payout(two)), read(payout(three)))).toHaveLength(1)
  expect(rows(read(payout(one), payout(one)), read(payout(two)), read(payout(three)))).toEqual([])
  expect(rows(read(payout(one, 100)), read(payout(two, 200)), read(payout(three, 300)))).toEqual([])
})
