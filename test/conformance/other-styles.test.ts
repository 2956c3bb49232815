import { expect, it } from 'vitest'
import { placeInBody, placesOf } from '../../src/conformance/dialect/body-templates.ts'
import { findRole } from '../../src/conformance/dialect/find-role.ts'
import { whatElse } from '../../src/conformance/dialect/place.ts'
import type { RoleName } from '../../src/conformance/format/roles.ts'
import { isSame } from '../../src/conformance/format/values.ts'

const placeOf = (role: RoleName, json: unknown, headers: [string, string][] = []) => {
  const found = findRole({}, role, { json, op: null, headers })
  return found.found ? [found.at, found.value] : null
}

it('takes the list that has entries where an envelope has lists of its own', () => {
  const json = { meta: { warnings: [] }, payload: { content: [{ statementId: 's1' }], page: { hasNext: false } } }
  expect(placeOf('statements.items', json)).toEqual(['/payload/content', [{ statementId: 's1' }]])
  const totals = { gmv: [{ value: '5.00', currencyCode: 'EUR' }] }
  expect(placeOf('transactions.items', { totals, value: [{ id: 't1' }] })?.[0]).toBe('/value')
  expect(placeOf('statements.items', { meta: { warnings: [] }, payload: { content: [] } })).toEqual([
    '/payload/content',
    [],
  ])
  expect(placeOf('statements.items', { one: [{ a: 1 }], other: [{ b: 1 }] })).toBeNull()
})

it('takes meta for the metadata of a domain, unless an envelope has it beside the answer', () => {
  expect(placeOf('listing.metadata', { meta: { words: [] } })).toEqual(['/meta', { words: [] }])
  const json = { meta: { node: 'a' }, payload: { metadata: { words: [] } } }
  expect(placeOf('listing.metadata', json)).toEqual(['/payload/metadata', { words: [] }])
})

it('takes the status of an envelope for that of the call, and not of what it wraps', () => {
  const order = { public_id: 'ord_1', status: 'SETTLED' }
  expect(placeOf('order.status', { status: 'OK', payload: order })).toEqual(['/payload/status', 'SETTLED'])
  expect(placeOf('order.status', { status: 'success', data: { order } })).toEqual(['/data/order/status', 'SETTLED'])
  expect(placeOf('order.status', order)).toEqual(['/status', 'SETTLED'])
  const beside = { result: { status: 'success' }, public_id: 'ord_1', status: 'EXTERNALLY_PAID' }
  expect(placeOf('order.status', beside)).toEqual(['/status', 'EXTERNALLY_PAID'])
  expect(placeOf('case.status', { case_id: 'c1', status: 'accepted', result: {} })).toEqual(['/status', 'accepted'])
  expect(placeOf('listing.metadata', { data: { domain: 'a.test' }, meta: { topics: [] } })).toEqual([
    '/meta',
    { topics: [] },
  ])
  expect(placeOf('case.status', { status: 'OK', data: { case_id: 'c1' } })).toBeNull()
  expect(placeOf('timeline.status', { status: 'NEW', data: { by: 'desk' } })).toEqual(['/status', 'NEW'])
})

it('takes an object with a member for each entry for a list, where the target file says so', () => {
  const json = { payload: { links: { l1: { link_id: 'l1' }, l2: { link_id: 'l2' } } } }
  const told = findRole({ 'links.items': '/payload/links' }, 'links.items', { json, op: 'links.list' })
  expect(told).toMatchObject({ found: true, value: [{ link_id: 'l1' }, { link_id: 'l2' }] })
  expect(placeOf('links.items', json)).toBeNull()
})

it('follows no cursor of a list that says it ends, wherever the target file places it', () => {
  const found = (hasMore: boolean) =>
    findRole({ 'orders.next': '/page/cursor' }, 'orders.next', {
      json: { page: { cursor: 'o2', hasMore } },
      op: 'orders.list',
    })
  expect(found(true)).toMatchObject({ found: true, value: 'o2' })
  expect(found(false)).toMatchObject({ found: false, why: 'absent' })
})

it('reads a count that is written as a text, where the document does not show a number', () => {
  expect(placeOf('clicks.total', { payload: { totalClicks: '12' } })).toEqual(['/payload/totalClicks', 12])
  expect(placeOf('clicks.total', { payload: { totalClicks: 'a dozen' } })).toBeNull()
  const order = { public_id: 'ord_1', sale_price_cents: '100' }
  expect(placeOf('order.sale_price_cents', order)).toEqual(['/sale_price_cents', '100'])
})

it('takes a header named for what comes next as the cursor of a list', () => {
  expect(placeOf('orders.next', [], [['X-Next', 'ord_2']])).toEqual(['header:X-Next', 'ord_2'])
  expect(placeOf('orders.next', [], [['x-next-release', '2.0']])).toBeNull()
})

it('knows a time by its key in any usual ending', () => {
  for (const key of ['created_at', 'createdOn', 'created_time', 'createTime'])
    expect(placeOf('order.created_at', { [key]: '2026-01-01T00:00:00Z' })).toEqual([`/${key}`, '2026-01-01T00:00:00Z'])
  expect(placeOf('payout.date', { paidTime: '2026-01-01' })).toEqual(['/paidTime', '2026-01-01'])
})

it('knows a state, and a currency, by what it is', () => {
  expect(placeOf('timeline.status', { lap: 'TRANSFER_IN_PROGRESS', t: 1 })).toEqual(['/lap', 'TRANSFER_IN_PROGRESS'])
  expect(placeOf('transaction.status', { st: 'SETTLED', d: 'a.test' })).toEqual(['/st', 'SETTLED'])
  expect(placeOf('listing.currency', { buy: 5, ccy: 'GBP' })).toEqual(['/ccy', 'GBP'])
  expect(placeOf('listing.currency', { buy: 5, from: 'GBP', to: 'EUR' })).toBeNull()
  expect(placeOf('listing.currency', { buy: 5, state: 'NEW' })).toBeNull()
})

it('names what an answer has in place of what was not found, entries of lists only where there is nothing else', () => {
  expect(whatElse('transactions.commission', { fee: 5, rows: [{ amount: 7 }] })).toBe('/fee')
  expect(whatElse('transactions.commission', { rows: [{ amount: 7 }] })).toBe('/rows/0/amount')
})

it('names what looks like a time in place of a time that was not found', () => {
  expect(whatElse('order.created_at', { id: 'o1', status: 'SETTLED', booked: '2026-01-01T00:00:00Z' })).toBe('/booked')
  expect(whatElse('order.created_at', { id: 'o1' })).toBe('/id')
})

it('puts a number into the amount of a field that is an amount with its currency', () => {
  const template = { tier: 'managed', budget: { amount: 250_000, currency: '${currency}' } }
  expect(placesOf(template, 'budget')).toEqual(['budget.amount'])
  expect(placesOf({ public_id: '${public_id}', order: { publicId: '${public_id}' } }, 'public_id')).toEqual([
    'public_id',
    'order.publicId',
  ])
  expect(placeInBody({ budget: { amount: 5, currency: 'EUR' } }, 'budget')).toBe('budget.amount')
  expect(placeInBody({ budget: 5 }, 'budget')).toBe('budget')
})

it('takes a domain for the same in any case, and nothing else', () => {
  expect(isSame('Amber-Harbor.com', 'amber-harbor.com')).toBe(true)
  expect(isSame('Amber-Harbor.com', 'amber-harbour.com')).toBe(false)
  expect(isSame('EXTERNALLY_PAID', 'externally_paid')).toBe(false)
  expect(isSame('quo_1.ABC', 'quo_1.abc')).toBe(false)
})
