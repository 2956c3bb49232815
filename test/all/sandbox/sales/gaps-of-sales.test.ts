import { describe, expect, it } from 'vitest'
import { observed } from '../../../support/gap-values.ts'
import { advance, buy, type Listing, oneForSale, quote } from '../../../support/sales.ts'
import { startSandbox, type TestAnswer, type TestSandbox } from '../../../support/sandbox.ts'

const WORLD = '/v1/worlds/default'
const FROZEN = { frozen: true, clockMs: Date.UTC(2026, 0, 15, 12) }

const told = ({ status, json }: TestAnswer) => `${status} ${json.code ?? 'accepted'}`

describe('names of domains', () => {
  observed(
    'name-forms',
    {
      'make no difference': ['200 true', '200 true', '200 accepted', '201 accepted'],
      'are malformed': ['400 undefined', '400 undefined', '404 not_found', '400 validation_error'],
    },
    async (sandbox) => {
      const ask = async (name: string) => {
        const { status, json } = await sandbox.call({ path: `/availability?domain=${name}` })
        return `${status} ${json.available}`
      }
      return [
        await ask('STALLS-1.test'),
        await ask('stalls-1.test.'),
        told(await sandbox.call({ path: '/domains/Stalls-1.test' })),
        told(await quote(sandbox, 'Stalls-1.test')),
      ]
    },
  )
})

describe('what is sold', () => {
  /** A listing that search knows, sold. */
  async function sold(sandbox: TestSandbox) {
    const domain = 'zyxwords.test'
    await sandbox.operate('POST', `${WORLD}/domains`, { domain, price_cents: 40_000, topics: ['zyxwords'] })
    expect((await buy(sandbox, { domain, price_cents: 40_000 })).status).toBe(201)
    return domain
  }

  observed('sold-in-search', { 'left out': [], 'shown as not available': [false] }, async (sandbox) => {
    await sold(sandbox)
    const { json } = await sandbox.call({ path: '/domains/search?q=zyxwords' })
    return json.domains.map(({ available }: { available: boolean }) => available)
  })

  observed('sold-detail', { 'not available': '200 false', '404 not_found': '404 undefined' }, async (sandbox) => {
    const { status, json } = await sandbox.call({ path: `/domains/${await sold(sandbox)}` })
    return `${status} ${json.available}`
  })

  observed('sold-pricing', { '404 not_found': 404, 'its last price': 40_000 }, async (sandbox) => {
    const { status, json } = await sandbox.call({ path: `/pricing?domain=${await sold(sandbox)}` })
    return json.buy_now_price_cents ?? status
  })

  observed('sold-availability-price', { 'its last price': 40_000, null: null }, async (sandbox) => {
    const { json } = await sandbox.call({ path: `/availability?domain=${await sold(sandbox)}` })
    expect(json.available).toBe(false)
    return json.price_cents
  })

  observed(
    'reserved-to-holder',
    { 'not available': [false, false, false], available: [true, true, false] },
    async (sandbox) => {
      await quote(sandbox, 'stalls-1.test')
      const seen = async (path: string, as: string) => (await sandbox.call({ path, as })).json.available
      return [
        await seen('/availability?domain=stalls-1.test', 'main'),
        await seen('/domains/stalls-1.test', 'main'),
        await seen('/availability?domain=stalls-1.test', 'other-partner'),
      ]
    },
  )

  observed(
    'sold-refusal',
    { conflict: '409 conflict', not_found: '404 not_found', validation_error: '400 validation_error' },
    async (sandbox) => {
      const domain = await sold(sandbox)
      const refused = told(await quote(sandbox, domain))
      expect(told(await buy(sandbox, { domain, price_cents: 40_000 }, { as: 'other-partner' }))).toBe(refused)
      return refused
    },
  )
})

describe('quotes', () => {
  observed<'quote-price', string[]>(
    'quote-price',
    {
      'the quote': ['201 accepted', '422 price_mismatch'],
      'the quote or the listing': ['201 accepted', '201 accepted'],
      both: ['422 price_mismatch', '422 price_mismatch'],
    },
    async (sandbox) => {
      const seen: string[] = []
      for (const at of ['old', 'new']) {
        const listing = await oneForSale(sandbox)
        const { quote_id } = (await quote(sandbox, listing.domain)).json
        const later = listing.price_cents + 10_000
        await sandbox.operate('PATCH', `${WORLD}/domains/${listing.domain}`, { price_cents: later })
        const made = await buy(
          sandbox,
          { ...listing, price_cents: at === 'old' ? later - 10_000 : later },
          { quote_id },
        )
        if (made.status === 201) expect(made.json.sale_price_cents).toBe(listing.price_cents)
        seen.push(told(made))
      }
      return seen
    },
  )

  observed(
    'reserved-refusal',
    { conflict: '409 conflict', not_found: '404 not_found', validation_error: '400 validation_error' },
    async (sandbox) => {
      await quote(sandbox, 'stalls-1.test')
      const refused = told(await quote(sandbox, 'stalls-1.test', 'other-partner'))
      expect(told(await buy(sandbox, { domain: 'stalls-1.test', price_cents: 1 }, { as: 'other-partner' }))).toBe(
        refused,
      )
      expect(told(await quote(sandbox, 'taken-1.test'))).toBe(refused)
      return refused
    },
  )

  observed(
    'foreign-quote-refusal',
    {
      validation_error: '400 validation_error',
      not_found: '404 not_found',
      conflict: '409 conflict',
      quote_expired: '422 quote_expired',
    },
    async (sandbox) => {
      const [one, two, three] = (await sandbox.forSale(3)) as [Listing, Listing, Listing]
      const { json: foreign } = await quote(sandbox, one.domain, 'other-partner')
      const { json: ofAnother } = await quote(sandbox, two.domain)
      const seen = new Set<string>()
      for (const quote_id of [foreign.quote_id, ofAnother.quote_id, 'qt_unknown']) {
        const answer = await buy(sandbox, three, { quote_id })
        expect(answer.json.message).toContain('quote_id')
        seen.add(told(answer))
      }
      return [...seen].join()
    },
  )

  observed(
    'used-quote-refusal',
    { conflict: '409 conflict', quote_expired: '422 quote_expired', validation_error: '400 validation_error' },
    async (sandbox) => {
      const listing = await oneForSale(sandbox)
      const { quote_id } = (await quote(sandbox, listing.domain)).json
      await buy(sandbox, listing, { quote_id })
      return told(await buy(sandbox, listing, { quote_id }))
    },
  )

  observed<'second-quote', string[]>(
    'second-quote',
    {
      'replaces the first': ['201 accepted', 'another', '422 quote_expired'],
      'is the first again': ['201 accepted', 'the same', '201 accepted'],
      'is refused': ['409 conflict', 'none', '201 accepted'],
    },
    async (sandbox) => {
      const listing = await oneForSale(sandbox)
      const first = (await quote(sandbox, listing.domain)).json.quote_id
      const second = await quote(sandbox, listing.domain)
      const id = second.json.quote_id
      const used = await buy(sandbox, listing, { quote_id: first })
      if (used.status !== 201) expect(told(await buy(sandbox, listing, { quote_id: id }))).toBe('201 accepted')
      return [told(second), id === undefined ? 'none' : id === first ? 'the same' : 'another', told(used)]
    },
  )

  observed<'quote-edge', string[]>(
    'quote-edge',
    { valid: ['201 accepted', '409 conflict'], expired: ['422 quote_expired', '201 accepted'] },
    async (sandbox) => {
      const [mine, yours] = (await sandbox.forSale(2)) as [Listing, Listing]
      const { quote_id } = (await quote(sandbox, mine.domain)).json
      await quote(sandbox, yours.domain, 'other-partner')
      await advance(sandbox, '10m')
      return [told(await buy(sandbox, mine, { quote_id })), told(await quote(sandbox, yours.domain))]
    },
    FROZEN,
  )
})

describe('what an order must say', () => {
  observed<'expected-price-unit', string[]>(
    'expected-price-unit',
    { cents: ['201 accepted', '422 price_mismatch'], units: ['422 price_mismatch', '201 accepted'] },
    async (sandbox) => {
      const [one, two] = (await sandbox.forSale(2)) as [Listing, Listing]
      return [told(await buy(sandbox, one)), told(await buy(sandbox, two, { expected_price: two.price_cents / 100 }))]
    },
  )

  it('in whole units a price with cents is rounded, and charged to the cent', async () => {
    const sandbox = await startSandbox({ inventory: 20, gaps: { 'expected-price-unit': 'units' } })
    const body = { domain: 'odd-price.test', price_cents: 12_345 }
    await sandbox.operate('POST', `${WORLD}/domains`, body)
    expect(told(await buy(sandbox, body, { expected_price: 124 }))).toBe('422 price_mismatch')
    expect(told(await buy(sandbox, body, { expected_price: 123.45 }))).toBe('400 validation_error')
    expect((await buy(sandbox, body, { expected_price: 123 })).json.sale_price_cents).toBe(12_345)
  })

  observed<'order-required-fields', string[]>(
    'order-required-fields',
    {
      'domain, expected_price, currency, buyer.email': ['400', '201', '400'],
      'domain, expected_price, buyer.email': ['201', '201', '400'],
      'domain, expected_price, currency, buyer.email, return_url, cancel_url': ['400', '400', '400'],
    },
    async (sandbox) => {
      const [one, two, three] = (await sandbox.forSale(3)) as [Listing, Listing, Listing]
      const answers = [
        await buy(sandbox, one, { currency: undefined }),
        await buy(sandbox, two),
        await buy(sandbox, three, { buyer: {} }),
      ]
      return answers.map(({ status }) => String(status))
    },
  )

  observed<'unknown-fields', unknown>(
    'unknown-fields',
    { 'refused by name': [400, undefined], ignored: [201, { email: 'buyer@example.test' }] },
    async (sandbox) => {
      const buyer = { email: 'buyer@example.test', shoe_size: 43 }
      const { status, json } = await buy(sandbox, await oneForSale(sandbox), { color: 'blue', buyer })
      return [status, json.buyer]
    },
  )
})

describe('answers to creations and their repetition', () => {
  observed('created-status', { 201: 201, 200: 200 }, async (sandbox) => (await quote(sandbox, 'stalls-1.test')).status)

  async function repeated(sandbox: TestSandbox) {
    const listing = await oneForSale(sandbox)
    const first = await buy(sandbox, listing, { key: 'k-1' })
    const again = await buy(sandbox, listing, { key: 'k-1' })
    expect(again.text).toBe(first.text)
    return again
  }

  observed('repeated-order-status', { 'as stored': 201, 200: 200 }, async (sandbox) => (await repeated(sandbox)).status)

  observed('replay-mark', { 'Idempotent-Replayed: true': 'true', no: undefined }, async (sandbox) => {
    return (await repeated(sandbox)).headers['idempotent-replayed']
  })
})

describe('idempotency keys', () => {
  observed(
    'idempotency-key-hours',
    { 24: [201, 409, 409], 1: [409, 409, 409], 168: [201, 201, 409] },
    async (sandbox) => {
      const statuses: number[] = []
      const listing = await oneForSale(sandbox)
      await buy(sandbox, listing, { key: 'k-1' })
      for (const by of ['2h', '23h', '150h']) {
        await advance(sandbox, by)
        // Once the key is forgotten the domain is found sold; a replay stores nothing anew.
        statuses.push((await buy(sandbox, listing, { key: 'k-1' })).status)
      }
      return statuses
    },
    FROZEN,
  )

  observed(
    'idempotency-key-max-length',
    { 255: [201, 201, 201, 400], 64: [201, 400, 400, 400], 128: [201, 201, 400, 400] },
    async (sandbox) => {
      const statuses: number[] = []
      for (const length of [64, 128, 255, 256]) {
        statuses.push((await buy(sandbox, await oneForSale(sandbox), { key: 'k'.repeat(length) })).status)
      }
      return statuses
    },
  )

  observed<'refused-attempt', string[]>(
    'refused-attempt',
    {
      'leaves it free': ['201 accepted', 'another answer'],
      'is repeated under it': ['422 price_mismatch', 'the stored answer'],
    },
    async (sandbox) => {
      const listing = await oneForSale(sandbox)
      const wrong = { ...listing, price_cents: listing.price_cents + 100 }
      const first = await buy(sandbox, wrong, { key: 'k-1' })
      expect(told(first)).toBe('422 price_mismatch')
      await sandbox.operate('PATCH', `${WORLD}/domains/${listing.domain}`, { price_cents: wrong.price_cents })
      const again = await buy(sandbox, wrong, { key: 'k-1' })
      return [told(again), again.text === first.text ? 'the stored answer' : 'another answer']
    },
  )

  it('a stored refusal has left nothing behind, and another body under its key is a conflict', async () => {
    const sandbox = await startSandbox({
      inventory: 20,
      gaps: { 'refused-attempt': 'is repeated under it', 'error-layout': 'problem' },
    })
    const listing = await oneForSale(sandbox)
    const wrong = { ...listing, price_cents: 1 }
    await buy(sandbox, wrong, { key: 'k-1' })
    const again = await buy(sandbox, wrong, { key: 'k-1' })
    expect([told(again), again.headers['content-type']]).toEqual([
      '422 price_mismatch',
      'application/problem+json; charset=utf-8',
    ])
    expect(told(await buy(sandbox, listing, { key: 'k-1' }))).toBe('409 conflict')
    expect(told(await buy(sandbox, listing, { key: 'k-2' }))).toBe('201 accepted')
    expect((await sandbox.call({ path: '/orders' })).json.orders).toHaveLength(1)
  })

  it('a malformed attempt leaves its key free in any case', async () => {
    const sandbox = await startSandbox({ inventory: 20, gaps: { 'refused-attempt': 'is repeated under it' } })
    const listing = await oneForSale(sandbox)
    expect(told(await buy(sandbox, listing, { key: 'k-1', buyer: {} }))).toBe('400 validation_error')
    expect(told(await buy(sandbox, listing, { key: 'k-1' }))).toBe('201 accepted')
  })

  observed<'same-body', string[]>(
    'same-body',
    {
      'the same bytes': ['409 conflict', '409 conflict'],
      'the same JSON': ['201 accepted', '409 conflict'],
    },
    async (sandbox) => {
      const { domain, price_cents } = await oneForSale(sandbox)
      const body = { domain, expected_price: price_cents, currency: 'USD', buyer: { email: 'b@example.test' } }
      const call = (bytes: string) => sandbox.call({ path: '/orders', key: 'k-1', body: bytes, method: 'POST' })
      await call(JSON.stringify(body))
      const { buyer, ...rest } = body
      const reordered = await call(JSON.stringify({ buyer, ...rest }, null, 2))
      return [told(reordered), told(await call(JSON.stringify({ ...body, currency: 'EUR' })))]
    },
  )

  observed<'key-within', string[]>(
    'key-within',
    { partner: ['201 accepted', '409 conflict'], credential: ['409 conflict', '409 conflict'] },
    async (sandbox) => {
      const listing = await oneForSale(sandbox)
      await buy(sandbox, listing, { key: 'k-1' })
      const sibling = await buy(sandbox, listing, { key: 'k-1', as: 'only-buy' })
      return [told(sibling), told(await buy(sandbox, listing, { key: 'k-1', as: 'other-partner' }))]
    },
  )
})
