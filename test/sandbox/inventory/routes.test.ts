import { describe, expect, it } from 'vitest'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const DAY = 86_400_000

async function names(sandbox: TestSandbox, q: string): Promise<string[]> {
  const { json } = await sandbox.call({ path: `/domains/search?q=${encodeURIComponent(q)}` })
  return json.domains.map((found: { domain: string }) => found.domain)
}

describe('GET /domains/search', () => {
  it('answers with the query and at most 5 available domains, whatever else is asked for (INV-01)', async () => {
    const sandbox = await startSandbox()
    for (const extra of ['', '&limit=50', '&per_page=100&page=2', '&all=true', '&results=9&limit=']) {
      const { status, json } = await sandbox.call({ path: `/domains/search?q=solar${extra}` })
      expect(status).toBe(200)
      expect(json.query).toBe('solar')
      expect(json.domains).toHaveLength(5)
      for (const found of json.domains) {
        expect(Object.keys(found)).toEqual(['domain', 'price_cents', 'currency', 'available', 'topics', 'score'])
        expect(found).toMatchObject({ currency: 'USD', available: true })
        expect(found.topics.length).toBeGreaterThanOrEqual(3)
      }
    }
  })

  it.each([
    ['', 'q is required'],
    ['?q=', 'q must not be blank'],
    ['?q=%20%09', 'q must not be blank'],
    [`?q=${'a'.repeat(257)}`, 'q must have at most 256 characters'],
    ['?q=a&q=b', 'q is given more than once'],
  ])('refuses %j: %s (INV-02)', async (query, message) => {
    const sandbox = await startSandbox()
    const { status, json } = await sandbox.call({ path: `/domains/search${query}` })
    expect(status).toBe(400)
    expect(json.code).toBe('validation_error')
    expect(json.message).toContain(message)
  })

  it('answers an empty list where nothing matches (INV-05)', async () => {
    const sandbox = await startSandbox()
    const { status, json } = await sandbox.call({ path: '/domains/search?q=zzqxvv' })
    expect(status).toBe(200)
    expect(json).toEqual({ query: 'zzqxvv', domains: [] })
  })
})

describe('the reads about one domain', () => {
  it('agree with the search, with each other and with what an order is charged (INV-09)', async () => {
    const sandbox = await startSandbox()
    const found = (await sandbox.call({ path: '/domains/search?q=coffee' })).json.domains[0]
    const { domain, price_cents: price, currency, topics } = found
    const detail = (await sandbox.call({ path: `/domains/${domain}` })).json
    expect(detail).toMatchObject({ domain, price_cents: price, currency, available: true })
    expect(detail.metadata).toMatchObject({ topics, live_site: false, length: domain.length - '.test'.length })
    expect(detail.metadata.registrar).toMatch(/^[A-Z][A-Za-z ]+$/)
    expect(Date.parse(detail.metadata.registered_at)).toBeLessThan(Date.now() - DAY)
    const availability = (await sandbox.call({ path: `/availability?domain=${domain}` })).json
    expect(availability).toEqual({ domain, available: true, price_cents: price, currency })
    const pricing = (await sandbox.call({ path: `/pricing?domain=${domain}` })).json
    expect(pricing).toMatchObject({ domain, buy_now_price_cents: price, currency })
    expect(pricing.floor_price_cents).toBeLessThan(price)
    const order = await sandbox.sell({ order: { domain, expected_price: price, currency } })
    expect(order.json).toMatchObject({ domain, sale_price_cents: price, currency })
  })

  it('say not_found of an unlisted name, but availability says no (INV-06, INV-07, INV-08)', async () => {
    const sandbox = await startSandbox()
    for (const path of ['/domains/nowhere-at-all.test', '/pricing?domain=nowhere-at-all.test']) {
      const { status, json } = await sandbox.call({ path })
      expect(status).toBe(404)
      expect(json).toMatchObject({ code: 'not_found', message: '"nowhere-at-all.test" is not listed' })
    }
    const { status, json } = await sandbox.call({ path: '/availability?domain=Nowhere-At-All.example.' })
    expect(status).toBe(200)
    expect(json).toEqual({ domain: 'nowhere-at-all.example', available: false, price_cents: null, currency: null })
  })

  it('take a name in any case, with a trailing dot, and an IDN in either form (INV-10)', async () => {
    const sandbox = await startSandbox()
    const domain = 'xn--caf-nord-d1a.test'
    await sandbox.operate('POST', '/v1/worlds/default/domains', { domain, price_cents: 120_000 })
    for (const spelling of [
      domain,
      domain.toUpperCase(),
      `${domain}.`,
      'caf%C3%A9-nord.test',
      'CAF%C3%89-Nord.TEST.',
    ]) {
      const { json } = await sandbox.call({ path: `/availability?domain=${spelling}` })
      expect(json, spelling).toEqual({ domain, available: true, price_cents: 120_000, currency: 'USD' })
      expect((await sandbox.call({ path: `/domains/${spelling}` })).json).toMatchObject({
        domain,
        metadata: { length: 9 },
      })
      expect((await sandbox.call({ path: `/pricing?domain=${spelling}` })).json.domain).toBe(domain)
    }
  })

  it.each(['availability', 'pricing'])(
    '%s without a domain, or with what is none, is refused (INV-11)',
    async (path) => {
      const sandbox = await startSandbox()
      const missing = await sandbox.call({ path: `/${path}` })
      expect([missing.status, missing.json.code]).toEqual([400, 'validation_error'])
      expect(missing.json.message).toContain('domain is required')
      for (const text of ['', 'a_b.test', '-a.test', 'a..test', '%00.test', 'a%20b.test']) {
        const { status, json } = await sandbox.call({ path: `/${path}?domain=${text}` })
        expect([status, json.code], text).toEqual([400, 'validation_error'])
        expect(json.message).toContain('domain must be a domain name')
      }
    },
  )

  it.each(['a_b.test', 'a%2Fb', '%00', '-', 'a..test'])('say not_found of a path that is no name: %s', async (path) => {
    const sandbox = await startSandbox()
    const { status, json } = await sandbox.call({ path: `/domains/${path}` })
    expect(status).toBe(404)
    expect(json).toMatchObject({
      code: 'not_found',
      message: `${JSON.stringify(decodeURIComponent(path))} is not listed`,
    })
  })
})

describe('a sold or reserved domain (INV-12)', () => {
  it('is left out of search and not available while it is quoted, and keeps its price', async () => {
    const sandbox = await startSandbox()
    const [domain] = (await names(sandbox, 'coffee')) as [string]
    await sandbox.call({ path: '/quotes', body: { domain } })
    expect(await names(sandbox, 'coffee')).not.toContain(domain)
    expect((await sandbox.call({ path: `/domains/${domain}` })).json.available).toBe(false)
    expect((await sandbox.call({ path: `/availability?domain=${domain}` })).json.available).toBe(false)
    expect((await sandbox.call({ path: `/pricing?domain=${domain}` })).status).toBe(200)
  })

  it('is left out of search and has no pricing once it is sold', async () => {
    const sandbox = await startSandbox()
    const found = (await sandbox.call({ path: '/domains/search?q=coffee' })).json.domains[0]
    const { domain, price_cents: price } = found
    expect((await sandbox.sell({ order: { domain, expected_price: price } })).status).toBe(201)
    expect(await names(sandbox, domain)).not.toContain(domain)
    expect((await sandbox.call({ path: `/domains/${domain}` })).json.available).toBe(false)
    const availability = (await sandbox.call({ path: `/availability?domain=${domain}` })).json
    expect(availability).toMatchObject({ available: false, price_cents: price })
    const pricing = await sandbox.call({ path: `/pricing?domain=${domain}` })
    expect([pricing.status, pricing.json.code]).toEqual([404, 'not_found'])
  })

  it('is what sold-N.test always is', async () => {
    const sandbox = await startSandbox()
    expect((await sandbox.call({ path: '/availability?domain=sold-3.test' })).json.available).toBe(false)
    expect((await sandbox.call({ path: '/domains/sold-3.test' })).json).toMatchObject({ available: false })
    expect((await sandbox.call({ path: '/pricing?domain=sold-3.test' })).status).toBe(404)
  })
})
