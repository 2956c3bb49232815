import { describe, expect, it } from 'vitest'
import { CANCEL_URL, createSession, openSession, RETURN_URL, visit } from '../../support/checkout.ts'
import { startSandbox } from '../../support/sandbox.ts'

const WEEK_MS = 7 * 24 * 3_600_000

describe('POST /checkout-session', () => {
  it('answers the page’s address with a signed pt token, the price and the commission (CHK-01, CHK-04)', async () => {
    const sandbox = await startSandbox({ frozen: true, clockMs: Date.UTC(2026, 0, 10) })
    const [listing] = await sandbox.forSale(1)
    const { status, json } = await createSession(sandbox, { domain: listing!.domain })
    expect(status).toBe(201)
    expect(Object.keys(json).sort()).toEqual(
      [
        'checkout_url',
        'commission_cents',
        'currency',
        'domain',
        'expires_at',
        'price_cents',
        'session_id',
        'status',
      ].sort(),
    )
    expect(json).toMatchObject({ status: 'open', ...listing })
    expect(json.commission_cents).toBe(Math.floor(listing!.price_cents / 5))
    expect(json.session_id).toMatch(/^cs_[0-9a-z]+$/)
    expect(json.expires_at).toBe(new Date(Date.UTC(2026, 0, 10) + WEEK_MS).toISOString())
    const url = new URL(json.checkout_url)
    expect(url.origin).toBe(sandbox.url)
    expect(url.pathname).toBe('/checkout')
    expect(url.searchParams.get('pt')).toMatch(/^[\w-]+\.[\w-]{43}$/)
  })

  it('is for listed domains only (CHK-06)', async () => {
    const sandbox = await startSandbox()
    for (const domain of ['nobody-lists-this.test', 'example.com']) {
      const { status, json } = await createSession(sandbox, { domain })
      expect({ status, code: json.code }, domain).toEqual({ status: 404, code: 'not_found' })
    }
  })

  it('is refused with conflict for a domain that is sold', async () => {
    const sandbox = await startSandbox()
    const { status, json } = await createSession(sandbox, { domain: 'sold-1.test' })
    expect({ status, code: json.code }).toEqual({ status: 409, code: 'conflict' })
    expect(json.message).toBe('sold-1.test is sold already')
  })

  it('needs both addresses, and a domain', async () => {
    const sandbox = await startSandbox()
    const { json } = await sandbox.call({ path: '/checkout-session', body: {} })
    expect(json.code).toBe('validation_error')
    for (const field of ['domain', 'return_url', 'cancel_url']) expect(json.message).toContain(`${field} is required`)
  })

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)//https://shop.example/',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'ftp://shop.example/',
    '//shop.example/thanks',
    '/thanks',
    'https:/shop.example',
    'https:shop.example',
    'https://',
    'https://jo:secret@shop.example/',
    'https://jo@shop.example/',
    'https://shop.example\\@evil.example/',
    ' https://shop.example/',
    'https://shop.example/a b',
    'https://shop.example/\r\nset-cookie: a=b',
    'https://shop.example/"><script>alert(1)</script>',
    'https://shop.example/\tx',
    'https://[::1/',
    'https://shop.example:99999/',
    '',
  ])('refuses %j as an address to go on to (J4)', async (address) => {
    const sandbox = await startSandbox()
    for (const field of ['return_url', 'cancel_url']) {
      const { status, json } = await createSession(sandbox, { [field]: address })
      expect({ status, code: json.code }, field).toEqual({ status: 400, code: 'validation_error' })
      expect(json.message).toMatch(new RegExp(`^${field} must be an absolute http or https URL`))
    }
  })

  it('refuses a link_id that is no link of the caller’s, foreign and unknown ones alike', async () => {
    const sandbox = await startSandbox()
    const foreign = await sandbox.call({ as: 'other-partner', path: '/links', body: { kind: 'generic' } })
    const theirs = foreign.json.link_id as string | undefined
    const unknown = await createSession(sandbox, { link_id: 'lnk_0000000000000000' })
    expect(unknown.status).toBe(400)
    expect(unknown.json.code).toBe('validation_error')
    expect(unknown.json.message).toContain('link_id')
    if (theirs === undefined) throw new Error(`the other partner got no link: ${foreign.text}`)
    const stolen = await createSession(sandbox, { link_id: theirs })
    expect({ ...stolen.json, request_id: '' }).toEqual({ ...unknown.json, request_id: '' })
  })

  it('refuses any link_id of a credential without an affiliate account, in the words of the referral endpoints', async () => {
    const sandbox = await startSandbox()
    const { json: own } = await sandbox.call({ path: '/links', body: { kind: 'generic' } })
    const { json: refused } = await sandbox.call({ as: 'no-affiliate', path: '/links' })
    for (const linkId of [own.link_id, 'lnk_0000000000000000']) {
      const { status, json } = await createSession(sandbox, { link_id: linkId }, { as: 'no-affiliate' })
      expect([status, json.code, json.message]).toEqual([403, 'forbidden', refused.message])
    }
    expect((await createSession(sandbox, {}, { as: 'no-affiliate' })).status).toBe(201)
  })

  it.each(['ZZ', 'XX', 'UK', 'de'])('refuses %s, which is no country of ISO 3166-1', async (country) => {
    const sandbox = await startSandbox()
    const { status, json } = await createSession(sandbox, { buyer: { country } })
    expect([status, json.code]).toEqual([400, 'validation_error'])
    expect(json.message).toContain('buyer.country must be a two-letter country code of ISO 3166-1')
    const order = await sandbox.sell({ order: { buyer: { email: 'jo@x.example', country } } })
    expect([order.status, order.json.code]).toEqual([400, 'validation_error'])
  })

  it('refuses unknown members by name', async () => {
    const sandbox = await startSandbox()
    const { status, json } = await createSession(sandbox, { price_cents: 1 })
    expect(status).toBe(400)
    expect(json.message).toContain('price_cents')
  })

  it('starts the page with what the partner knows of the buyer', async () => {
    const sandbox = await startSandbox()
    const { checkout_url } = await openSession(sandbox, {
      buyer: { name: 'Ada', email: 'ada@x.example', country: 'SE' },
    })
    const { text } = await visit(checkout_url)
    expect(text).toContain('value="Ada"')
    expect(text).toContain('value="ada@x.example"')
    expect(text).toMatch(/<option value="SE" selected>Sweden/)
  })

  it('keeps return_url and cancel_url as the partner wrote them', async () => {
    const sandbox = await startSandbox()
    const { session_id } = await openSession(sandbox)
    const { json } = await sandbox.operate('GET', `/v1/worlds/default/checkout-sessions/${session_id}`)
    expect(json).toMatchObject({ return_url: RETURN_URL, cancel_url: CANCEL_URL })
  })
})
