import { describe, expect, it } from 'vitest'
import { type AcceptedCall, breaking, callsOfRun } from './calls-of-run.ts'

describe('filters', () => {
  const listed = (query: string, ...domains: string[]) => ({
    op: 'orders.list' as const,
    query,
    json: { orders: domains.map((domain, at) => ({ public_id: `ord_8f3k1d6w${at}`, domain })) },
  })
  const fitting = [listed('name=a.test', 'a.test', 'A.TEST'), listed('name=b.test', 'b.test')]

  it.each([
    ['a name that no page shows to be a filter', [listed('q=a.test', 'a.test', 'b.test')], 0],
    ['a cursor with a dot', [listed('cursor=a.b', 'a.test'), listed('cursor=c.d', 'b.test')], 0],
    ['a filter that is given twice', [...fitting, listed('name=a.test&name=b.test', 'a.test', 'b.test')], 0],
    ['a value that no domain has', [...fitting, listed(`name=${'a'.repeat(64)}.test`, 'a.test')], 0],
    ['a page with another domain', [...fitting, listed('limit=2&name=a.test', 'a.test', 'b.test')], 1],
  ])('%s', (_, reads, times) => {
    expect(breaking('keeps_filters', ['orders.list'], callsOfRun(...reads))).toHaveLength(times)
  })
})

describe('pages of events', () => {
  const page = (query: string, ...ids: string[]) => ({
    op: 'events.list' as const,
    query,
    json: { events: ids.map((id) => ({ id })), next_cursor: null },
  })

  it.each([
    ['as long as was asked', page('limit=2', 'evt_1', 'evt_2'), 0],
    ['of a size of none', page('limit=0', 'evt_1'), 0],
    ['behind an event', page('after_id=evt_1', 'evt_2'), 0],
    ['that begins with the event itself', page('after_id=evt_1', 'evt_1', 'evt_2'), 1],
  ])('%s', (_, read, times) => {
    expect(breaking('pages_as_asked', [], callsOfRun(read))).toHaveLength(times)
  })

  it.each([
    [1, 0],
    [20, 1],
  ])('where %d were asked for, of a length that a shortest page may have or not', (limit, times) => {
    const events = Array.from({ length: limit + 1 }, (_, number) => `evt_${number}`)
    expect(breaking('pages_as_asked', [], callsOfRun(page(`limit=${limit}`, ...events)))).toHaveLength(times)
  })

  it('no page has an event twice, and two pages may', () => {
    const rule = (...pages: AcceptedCall[]) => breaking('repeats_no_row', ['events.list'], callsOfRun(...pages))
    expect(rule(page('', 'evt_1'), page('', 'evt_1'))).toEqual([])
    expect(rule(page('', 'evt_1', 'evt_2', 'evt_1'))).toEqual(['evt_1 is twice among 3 events.items'])
  })
})

it('no page has the same transaction twice, and one of an order may be there as sold and as taken back', () => {
  const sale = { transaction_id: 'txn_1', domain: 'a.test', sale_price_cents: 100, status: 'SETTLED' }
  const rule = (...transactions: object[]) =>
    breaking(
      'repeats_no_row',
      ['transactions.list'],
      callsOfRun({ op: 'transactions.list', query: '', json: { transactions, next_cursor: null } }),
    )
  expect(rule(sale, { ...sale, transaction_id: 'txn_2' })).toEqual([])
  expect(rule(sale, { ...sale, sale_price_cents: -100, status: 'REFUNDED' })).toEqual([])
  expect(rule(sale, sale)).toHaveLength(1)
})
