import { describe, expect, it } from 'vitest'
import { findRole } from '../../src/conformance/dialect/find-role.ts'
import { findRoleItems } from '../../src/conformance/dialect/role-items.ts'
import type { RoleName } from '../../src/conformance/format/roles.ts'
import type { DialectFile } from '../../src/conformance/target/target.ts'

function lookUp(name: RoleName, json: unknown, roles: DialectFile['roles'] = {}): unknown {
  const found = findRole(roles, name, { json, op: 'pricing', headers: [['X-Next', 'c2']] })
  return found.found ? found.value : found.why
}

describe('error codes', () => {
  it.each([
    ['flat', { code: 'forbidden', message: 'no' }],
    ['below error', { error: { code: 'forbidden' } }],
    ['in a list', { errors: [{ code: 'forbidden' }] }],
    ['as the error itself', { error: 'forbidden' }],
    ['under an odd name', { fault: { reason_code: 'forbidden' } }],
    ['deep inside', { a: { b: { c: { d: 'forbidden' } } } }],
  ])('are found %s', (_where, json) => {
    expect(lookUp('error.code', json)).toBe('forbidden')
  })

  it('prefer the usual place to a second code in the details', () => {
    expect(lookUp('error.code', { code: 'conflict', details: { was: 'not_found' } })).toBe('conflict')
  })

  it('are ambiguous with two at unusual places', () => {
    expect(lookUp('error.code', { a: 'conflict', b: 'not_found' })).toBe('ambiguous')
  })

  it('may be a code of the target’s own', () => {
    expect(lookUp('error.code', { code: 'already_refunded' })).toBe('already_refunded')
  })

  it('are absent from a page', () => {
    expect(lookUp('error.code', undefined)).toBe('absent')
    expect(lookUp('error.code', { ok: false })).toBe('absent')
  })
})

describe('flags', () => {
  it('may be words, except where the document shows true or false', () => {
    expect(lookUp('listing.available', { available: 'yes' })).toBe(true)
    expect(lookUp('webhook.active', { active: 'yes' })).toBe('yes')
    expect(lookUp('webhook.active', { active: true })).toBe(true)
  })
})

describe('the cursor of a list', () => {
  it('may be in a header, whichever way the target calls it', () => {
    const headers = [['X-Next-Page-Token', 'p2']] as const
    const found = findRole({}, 'orders.next', { json: { orders: [] }, op: 'orders.list', headers })
    expect(found).toMatchObject({ found: true, value: 'p2' })
    expect(findRole({}, 'orders.next', { json: { orders: [] }, op: 'orders.list' })).toMatchObject({ found: false })
  })
})

describe('orders', () => {
  const order = {
    public_id: 'ord_1',
    domain: 'a.test',
    status: 'EXTERNALLY_PAID',
    sale_price_cents: 100,
    currency: 'USD',
  }

  it.each([order, { order }, { data: order }, { data: { order } }, { result: { sale: { order } } }])(
    'are found wherever they stand: %j',
    (json) => {
      expect(lookUp('order.public_id', json)).toBe('ord_1')
      expect(lookUp('order.sale_price_cents', json)).toBe(100)
    },
  )

  it('do not take the status of the envelope for that of the order', () => {
    expect(lookUp('order.status', { status: 'ok', order })).toBe('EXTERNALLY_PAID')
  })

  it('are listed under any name, told by their public_id', () => {
    const found = findRoleItems({}, 'orders.items', {
      json: { meta: { tags: [{ a: 1 }] }, records: [order] },
      op: 'orders.list',
    })
    expect(found).toMatchObject({ found: true, at: '/records' })
  })

  it('are an empty list where that is the only list', () => {
    expect(findRoleItems({}, 'orders.items', { json: { records: [], next: null }, op: 'orders.list' })).toMatchObject({
      found: true,
      items: [],
    })
  })
})

describe('money', () => {
  it('is in cents where its key says so', () => {
    expect(lookUp('listing.price', { price_cents: 1_250 })).toEqual({ amount: 1_250, unit: 'cents' })
    expect(lookUp('listing.price', { price: { amount_cents: 1_250, currency: 'USD' } })).toEqual({
      amount: 1_250,
      unit: 'cents',
    })
  })

  it('is in units where it has a fraction', () => {
    expect(lookUp('listing.price', { price: '12.50' })).toEqual({ amount: 12.5, unit: 'units' })
  })

  it('is in an unknown unit otherwise', () => {
    expect(lookUp('listing.price', { buyNowPrice: 1_250 })).toEqual({ amount: 1_250, unit: null })
  })

  it('does not take the floor for the price', () => {
    expect(lookUp('listing.price', { floor_price_cents: 900 })).toBe('absent')
  })
})

describe('flags and cursors', () => {
  it.each([
    [true, true],
    ['yes', true],
    ['no', false],
    ['sold', false],
  ])('reads %s', (written, read) => {
    expect(lookUp('listing.available', { available: written })).toBe(read)
  })

  it('finds a cursor in a header that the target file names', () => {
    expect(lookUp('orders.next', {}, { 'orders.next': 'header:x-next' })).toBe('c2')
  })
})

describe('the target file', () => {
  it('decides over everything', () => {
    expect(
      lookUp(
        'listing.price',
        { price_cents: 1, data: { price: 7 } },
        { 'listing.price': { at: '/data/price', unit: 'units' } },
      ),
    ).toEqual({ amount: 7, unit: 'units' })
  })

  it('may name one operation only', () => {
    expect(lookUp('listing.price', { x: 5 }, { 'pricing:listing.price': '/x', 'listing.price': '/y' })).toEqual({
      amount: 5,
      unit: null,
    })
  })

  it('is not second-guessed where it leads nowhere', () => {
    expect(lookUp('listing.price', { price_cents: 1 }, { 'listing.price': '/nowhere' })).toBe('absent')
  })
})

describe('hostile answers', () => {
  it.each([null, 7, 'text', [], [[[]]], { constructor: 1 }, JSON.parse('{"__proto__": {"code": "forbidden"}}')])(
    '%j holds no order',
    (json) => {
      expect(lookUp('order.public_id', json)).toBe('absent')
    },
  )
})
