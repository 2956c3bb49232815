import { describe, expect, it } from 'vitest'
import { quote } from '../../support/sales.ts'
import { startSandbox } from '../../support/sandbox.ts'

const DAY = 86_400_000

describe('GET /domains/search', () => {
  it('answers with the query and five domains with their members, whatever else is asked for (INV-01)', async () => {
    const sandbox = await startSandbox()
    for (const extra of ['', '&limit=50', '&per_page=100&page=2', '&all=true', '&results=9&limit=']) {
      const { json } = await sandbox.call({ path: `/domains/search?q=solar${extra}` })
      expect([json.query, json.domains.length], extra).toEqual(['solar', 5])
      for (const found of json.domains) {
        expect(Object.keys(found)).toEqual(['domain', 'price_cents', 'currency', 'available', 'topics', 'score'])
        expect(found).toMatchObject({ currency: 'USD', available: true })
        expect(found.topics.length).toBeGreaterThanOrEqual(3)
      }
    }
  })

  it('says what is wrong with its words (INV-02)', async () => {
    const sandbox = await startSandbox()
    for (const [query, message] of [
      ['', 'q is required'],
      ['?q=', 'q must not be blank'],
      ['?q=%20%09', 'q must not be blank'],
      [`?q=${'a'.repeat(257)}`, 'q must have at most 256 characters'],
      ['?q=a&q=b', 'q is given more than once'],
    ] as const) {
      const { status, json } = await sandbox.call({ path: `/domains/search${query}` })
      expect([status, json.code]).toEqual([400, 'validation_error'])
      expect(json.message).toContain(message)
    }
  })
})

describe('the reads about one domain', () => {
  it('tell its topics, length, registrar and age, and a floor below the price', async () => {
    const sandbox = await startSandbox()
    const { domain, topics } = (await sandbox.call({ path: '/domains/search?q=coffee' })).json.domains[0]
    const { metadata } = (await sandbox.call({ path: `/domains/${domain}` })).json
    expect(metadata).toMatchObject({ topics, live_site: false, length: domain.length - '.test'.length })
    expect(metadata.registrar).toMatch(/^[A-Z][A-Za-z ]+$/)
    expect(Date.parse(metadata.registered_at)).toBeLessThan(Date.now() - DAY)
    const pricing = (await sandbox.call({ path: `/pricing?domain=${domain}` })).json
    expect(pricing.floor_price_cents).toBeLessThan(pricing.buy_now_price_cents)
  })

  it('say not_found of an unlisted name by its name, but availability says no, with no price (INV-07)', async () => {
    const sandbox = await startSandbox()
    for (const path of ['/domains/nowhere-at-all.test', '/pricing?domain=nowhere-at-all.test']) {
      const { json } = await sandbox.call({ path })
      expect(json).toMatchObject({ code: 'not_found', message: '"nowhere-at-all.test" is not listed' })
    }
    const { json } = await sandbox.call({ path: '/availability?domain=Nowhere-At-All.example.' })
    expect(json).toEqual({ domain: 'nowhere-at-all.example', available: false, price_cents: null, currency: null })
  })

  it('take a name in any case, with a trailing dot, and an IDN in either form (INV-10)', async () => {
    const sandbox = await startSandbox()
    const domain = 'xn--caf-nord-d1a.test'
    await sandbox.operate('POST', '/v1/worlds/default/domains', { domain, price_cents: 120_000 })
    for (const name of [domain, domain.toUpperCase(), `${domain}.`, 'caf%C3%A9-nord.test', 'CAF%C3%89-Nord.TEST.']) {
      const { json } = await sandbox.call({ path: `/availability?domain=${name}` })
      expect(json, name).toEqual({ domain, available: true, price_cents: 120_000, currency: 'USD' })
      const detail = (await sandbox.call({ path: `/domains/${name}` })).json
      expect(detail).toMatchObject({ domain, metadata: { length: 9 } })
      expect((await sandbox.call({ path: `/pricing?domain=${name}` })).json.domain).toBe(domain)
    }
  })

  it.each(['availability', 'pricing'])('%s says that a domain is missing or is none (INV-11)', async (path) => {
    const sandbox = await startSandbox()
    for (const [query, message] of [
      ['', 'domain is required'],
      ...['', 'a_b.test', '-a.test', 'a..test', '%00.test', 'a%20b.test'].map(
        (text) => [`?domain=${text}`, 'domain must be a domain name'] as const,
      ),
    ] as const) {
      const { status, json } = await sandbox.call({ path: `/${path}${query}` })
      expect([query, status, json.code]).toEqual([query, 400, 'validation_error'])
      expect(json.message).toContain(message)
    }
  })

  it('say not_found of a path that is no name', async () => {
    const sandbox = await startSandbox()
    for (const path of ['a_b.test', 'a%2Fb', '%00', '-', 'a..test']) {
      const { status, json } = await sandbox.call({ path: `/domains/${path}` })
      expect(status).toBe(404)
      const message = `${JSON.stringify(decodeURIComponent(path))} is not listed`
      expect(json).toMatchObject({ code: 'not_found', message })
    }
  })

  it('tell the price of a reserved domain, and that sold-N.test is sold (INV-12)', async () => {
    const sandbox = await startSandbox()
    await quote(sandbox, 'stalls-1.test')
    expect((await sandbox.call({ path: '/pricing?domain=stalls-1.test' })).status).toBe(200)
    expect((await sandbox.call({ path: '/availability?domain=sold-3.test' })).json.available).toBe(false)
    expect((await sandbox.call({ path: '/domains/sold-3.test' })).json).toMatchObject({ available: false })
    expect((await sandbox.call({ path: '/pricing?domain=sold-3.test' })).status).toBe(404)
  })
})
