import { expect, test } from 'vitest'
import { hideSecrets } from '../../src/mcp/hide-secrets.ts'
import { fittedAnswer, pageOf, placeOf } from '../../src/mcp/pages.ts'

const MOST_BYTES = 20_000

/** All rows of a list, page after page, as a client reads them. */
function everyPage(answer: object, cursor?: string): { rows: unknown[]; last: string | null } {
  const rows: unknown[] = []
  let place = placeOf(cursor)
  for (;;) {
    const page = pageOf(answer, place)
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(MOST_BYTES)
    rows.push(...(page.data as { orders: unknown[] }).orders)
    if (page.cursor === null || placeOf(page.cursor).skip === 0) return { rows, last: page.cursor }
    place = placeOf(page.cursor)
  }
}

const orders = Array.from({ length: 1_000 }, (_, n) => ({ public_id: `ord_${n}`, domain: `name-${n}.test` }))

test('a long list comes in pages of about 20 KB, with every row once', () => {
  const { rows, last } = everyPage({ orders, next_cursor: null })
  expect(rows).toEqual(orders)
  expect(last).toBeNull()
})

test('behind the last row of a page of the operator API comes its next page', () => {
  const { rows, last } = everyPage({ orders, next_cursor: 'ord_999' })
  expect(rows).toHaveLength(1_000)
  expect(placeOf(last ?? '')).toEqual({ skip: 0, of: 'ord_999' })
})

test('a page says which part of how many rows it is, and how to get the next', () => {
  const first = pageOf({ orders, next_cursor: null })
  const shown = placeOf(first.cursor ?? '').skip
  expect(shown).toBeGreaterThan(300)
  expect(first.page).toBe(
    `orders 1 to ${shown} of 1000; there are more: call again with the same arguments and this cursor`,
  )
  expect(pageOf({ orders, next_cursor: null }, { skip: 990, of: null }).page).toBe('orders 991 to 1000 of 1000')
  expect(pageOf({ orders: [{}], next_cursor: 'ord_9' }).page).toMatch(/^there are more: /)
  expect(pageOf({ orders, next_cursor: 'ord_999' }).page).toMatch(/^orders 1 to \d+ of 1000 in this part; /)
})

test('a short answer is one page as it is', () => {
  expect(pageOf({ balanced: true }, placeOf(undefined))).toEqual({ data: { balanced: true }, cursor: null, page: null })
})

test('a single row that fills a page has its texts and lists cut, and says so', () => {
  const row = { id: 'evt_1', text: 'x'.repeat(900), inner: Array.from({ length: 100 }, () => 'y'.repeat(900)) }
  const { data } = pageOf({ events: [row] }, placeOf(undefined))
  expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(MOST_BYTES)
  expect(JSON.stringify(data)).toContain('… (92 more)')
  expect(JSON.stringify(data)).toContain('… (740 more characters)')
})

test('refuses a cursor that no answer has given', () => {
  expect(() => placeOf('next')).toThrow('cursor: not one that an answer has given')
})

test('a secret is hidden where it stands, and in every later text', () => {
  const hide = hideSecrets()
  const shown = JSON.stringify(hide({ credentials: [{ key_id: 'pk_sandbox_1', secret: 'sk_sandbox_abc123' }] }))
  expect(shown).toContain('pk_sandbox_1')
  expect(shown).not.toContain('abc123')
  hide({ url: 'http://127.0.0.1:1/hooks', secret: 'a-word-of-yours' })
  expect(JSON.stringify(hide({ note: 'signed with a-word-of-yours' }))).not.toContain('a-word-of-yours')
})

const bothForms = (answer: unknown) => {
  const text = JSON.stringify(answer)
  return Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text))
}

test('an answer is cut until its two forms fit, however many quotes and rows it has', () => {
  const answer = {
    status: 200,
    data: { text: '"'.repeat(3_000), rows: Array.from({ length: 2_000 }, (_, n) => ({ n, quoted: '"a"' })) },
  }
  const fitted = fittedAnswer(answer)
  expect(fitted.status).toBe(200)
  expect(bothForms(fitted)).toBeLessThanOrEqual(45_000)
})

test('a short answer is given as it is; a cursor is never cut, and a command that is too long is left out', () => {
  expect(fittedAnswer({ url: 'a'.repeat(2_000) })).toEqual({ url: 'a'.repeat(2_000) })
  const cursor = 'c'.repeat(2_000)
  expect(fittedAnswer({ cursor, curl: 'curl '.repeat(9_000), canonical_string: 'x'.repeat(30_000) })).toMatchObject({
    cursor,
    curl: null,
  })
})
