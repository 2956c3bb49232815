import { expect, it } from 'vitest'
import { inWordsOf } from '../../src/conformance/dialect/body-templates.ts'
import { findRole } from '../../src/conformance/dialect/find-role.ts'
import { cursorCandidates, hintOfMore } from '../../src/conformance/dialect/place.ts'

it('what is beside the flag that a list goes on is the likeliest cursor', () => {
  const json = { token: 't', rows: [{ next: 'of an entry' }], paging: { hasMore: true, nextStartingAfter: 'o2' } }
  expect(cursorCandidates(json)).toEqual([
    { at: '/paging/nextStartingAfter', value: 'o2' },
    { at: '/token', value: 't' },
  ])
})

it('what is for the beginning of a page is no cursor of the next one', () => {
  const pageInfo = { hasNextPage: true, hasPreviousPage: false, startCursor: 'YTA=', endCursor: 'YTE=' }
  const json = { orders: { edges: ['YTA=', 'YTE='].map((cursor) => ({ cursor, node: {} })), pageInfo } }
  const cursor = { at: '/orders/pageInfo/endCursor', value: 'YTE=' }
  expect(cursorCandidates(json)).toEqual([cursor])
  expect(findRole({}, 'orders.next', { json, op: 'orders.list' })).toMatchObject(cursor)
  expect(hintOfMore({ orders: { pageInfo } }, [])).toBe('/orders/pageInfo/endCursor')
  expect(hintOfMore({ orders: { pageInfo: { ...pageInfo, hasNextPage: false } } }, [])).toBeNull()
})

it('an answer without a text or number under such a key has no cursor', () => {
  expect(cursorCandidates({ rows: [], more: false, next: null, cursor: '' })).toEqual([])
})

it('a text under a name for what leads on may be a cursor, unless the call has sent it or it leads elsewhere', () => {
  expect(hintOfMore({ rows: [{ next: 'of an entry' }], resume: 'bzI' }, ['2026-01-01'])).toBe('/resume')
  expect(hintOfMore({ rows: [], filter: { createdAfter: '2026-01-01' } }, ['2026-01-01'])).toBeNull()
  expect(hintOfMore({ rows: [], prev_cursor: 'bzE', offset: 7, trace: 'f00' }, [])).toBeNull()
})

it('a cursor beside an empty key for the next page is the one of this page', () => {
  const next = (json: object) => findRole({}, 'orders.next', { json, op: 'orders.list' })
  expect(next({ rows: [], page: { cursor: 'o1', next_cursor: 'o2' } })).toMatchObject({ found: true, value: 'o2' })
  for (const page of [
    { cursor: 'o2', next_cursor: null },
    { after: 'o2', next: '' },
    { cursor: 'o2', nextPage: false },
  ])
    for (const json of [
      { rows: [], page },
      { rows: [], orders: { listing: page } },
    ]) {
      const found = next(json)
      expect(found.found && found.value).toBeFalsy()
      expect(hintOfMore(json, [])).toBeNull()
    }
})

it('a list goes on where there are more rows than those up to the end of its page', () => {
  expect(hintOfMore({ result: { rows: [], offset: 20, limit: 10, total: 36 } }, [])).toBe('/result/total')
  expect(hintOfMore({ rows: [], page_size: 10, total_count: 36 }, [])).toBe('/total_count')
  expect(hintOfMore({ items: [{}, {}], total_count: 36 }, [])).toBe('/total_count')
  expect(hintOfMore({ items: [{}, {}], offset: 0, total: 36 }, [])).toBe('/total')
  for (const whole of [
    { total: 36 },
    { total_count: 2 },
    { total_count: 36, warnings: [{}] },
    { total_count: 36, page: 9 },
  ])
    expect(hintOfMore({ items: [{}, {}], ...whole }, [])).toBeNull()
  for (const end of [{ offset: 30, limit: 10 }, { limit: 50 }, { page: 4, limit: 10 }, { total_paid: 5 }, { rows: [] }])
    expect(hintOfMore({ rows: [], total: 36, ...end }, [])).toBeNull()
})

const LIST = { data: [{ id: 'o1' }, { id: 'o2' }], has_more: true, url: '/orders' }

it('the id of the last entry leads on where a list says that it goes on, and has nothing else that may', () => {
  const next = (json: object, roles = {}) => findRole(roles, 'orders.next', { json, op: 'orders.list' })
  expect(next(LIST)).toMatchObject({ found: true, at: '/data/-1/id', value: 'o2' })
  expect(next({ ...LIST, data: [{ name: 'a', order_id: 'o3' }] })).toMatchObject({ found: true, value: 'o3' })
  for (const other of [
    { has_more: false },
    { resume: 'bzI' },
    { page: 1, pages: 2 },
    { rows: [{}] },
    { data: [{ a_id: 'a', b_id: 'b' }] },
  ])
    expect(next({ ...LIST, ...other })).toMatchObject({ found: false })
})

it('a target file may name the last entry, whose list ends where a flag says so', () => {
  const next = (json: object) => findRole({ 'orders.next': '/data/-1/ref' }, 'orders.next', { json, op: 'orders.list' })
  expect(next({ data: [{ ref: 'a' }, { ref: 'b' }] })).toMatchObject({ found: true, value: 'b' })
  expect(next({ data: [] })).toMatchObject({ found: false })
  expect(next({ data: [{ ref: 'a' }], more: false })).toMatchObject({ found: false })
})

it('the message of an error is the one beside its code', () => {
  const json = { title: 'The call was refused', problem: { code: 'not_found', message: 'Domain not found.' } }
  expect(findRole({}, 'error.message', { json, op: 'pricing' })).toMatchObject({
    found: true,
    at: '/problem/message',
    value: 'Domain not found.',
  })
})

it('a message that is nowhere near the code is still found', () => {
  const json = { message: 'Domain not found.', problem: { code: 'not_found' } }
  expect(findRole({}, 'error.message', { json, op: 'pricing' })).toMatchObject({ found: true, at: '/message' })
})

it('bodies in the words of the target come after the usual ones', () => {
  expect(inWordsOf([{ domain: '${domain}' }, { name: '${domain}' }], ['fqdn', 'name'])).toEqual([
    { domain: '${domain}' },
    { name: '${domain}' },
    { fqdn: '${domain}' },
  ])
})

it('a header that counts more rows than the list has is a hint, unless the header Link says what follows', () => {
  const hint = (...headers: [string, string][]) => hintOfMore([{}, {}], [], headers)
  expect(hint(['X-Total-Count', '36'])).toBe('header:x-total-count')
  expect(hint(['X-Total-Count', '2'])).toBeNull()
  expect(hint(['X-Total-Count', '36'], ['Link', '</orders>; rel="first"'])).toBeNull()
  expect(hint(['Content-Range', 'orders 0-1/36'])).toBe('header:content-range')
  expect(hint(['Content-Range', 'orders 34-35/36'], ['X-Total-Count', '36'])).toBeNull()
})
