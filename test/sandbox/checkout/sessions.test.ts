import { expect, it } from 'vitest'
import { CANCEL_URL, createSession, openCheckout, RETURN_URL } from '../../support/checkout.ts'
import { startSandbox } from '../../support/sandbox.ts'

it('answers the page’s address with a signed pt token, the price and the commission (CHK-01, CHK-04)', async () => {
  const sandbox = await startSandbox({ frozen: true, clockMs: Date.UTC(2026, 0, 10) })
  const [listing] = await sandbox.forSale(1)
  const { status, json } = await createSession(sandbox, { domain: listing!.domain })
  expect(status).toBe(201)
  expect(json).toEqual({
    ...listing,
    session_id: expect.stringMatching(/^cs_[0-9a-z]+$/),
    checkout_url: expect.stringMatching(`^${sandbox.url}/checkout\\?pt=[\\w-]+\\.[\\w-]{43}$`),
    status: 'open',
    commission_cents: Math.floor(listing!.price_cents / 5),
    expires_at: '2026-01-17T00:00:00.000Z',
  })
})

it('is refused with conflict for a domain that is sold', async () => {
  const { status, json } = await createSession(await startSandbox(), { domain: 'sold-1.test' })
  expect([status, json.code, json.message]).toEqual([409, 'conflict', 'sold-1.test is sold already'])
})

it('needs both addresses and a domain, and refuses unknown members by name', async () => {
  const sandbox = await startSandbox()
  const { status, json } = await sandbox.call({ path: '/checkout-session', body: { price_cents: 1 } })
  expect([status, json.code]).toEqual([400, 'validation_error'])
  for (const field of ['domain', 'return_url', 'cancel_url']) expect(json.message).toContain(`${field} is required`)
  expect(json.message).toContain('price_cents')
})

it('refuses an address to go on to that is no absolute http or https URL (J4)', async () => {
  const sandbox = await startSandbox()
  for (const address of [
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
  ]) {
    for (const field of ['return_url', 'cancel_url']) {
      const { status, json } = await createSession(sandbox, { [field]: address })
      expect([field, address, status, json.code]).toEqual([field, address, 400, 'validation_error'])
      expect(json.message).toMatch(new RegExp(`^${field} must be an absolute http or https URL`))
    }
  }
})

it('refuses a link_id that is no link of the caller’s, foreign and unknown ones alike', async () => {
  const sandbox = await startSandbox()
  const { json: foreign } = await sandbox.call({ as: 'other-partner', path: '/links', body: { kind: 'generic' } })
  const unknown = await createSession(sandbox, { link_id: 'lnk_0000000000000000' })
  expect([unknown.status, unknown.json.code]).toEqual([400, 'validation_error'])
  expect(unknown.json.message).toContain('link_id')
  expect(foreign.link_id).toMatch(/^lnk_/)
  const { json: stolen } = await createSession(sandbox, { link_id: foreign.link_id })
  expect(stolen).toEqual({ ...unknown.json, request_id: stolen.request_id })
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

it('refuses what is no country of ISO 3166-1', async () => {
  const sandbox = await startSandbox()
  for (const country of ['ZZ', 'XX', 'UK', 'de']) {
    const { status, json } = await createSession(sandbox, { buyer: { country } })
    expect([country, status, json.code]).toEqual([country, 400, 'validation_error'])
    expect(json.message).toContain('buyer.country must be a two-letter country code of ISO 3166-1')
    const order = await sandbox.sell({ order: { buyer: { email: 'jo@x.example', country } } })
    expect([order.status, order.json.code]).toEqual([400, 'validation_error'])
  }
})

it('starts the page with what the partner knows of the buyer, and keeps the addresses as the partner wrote them', async () => {
  const buyer = { name: 'Ada', email: 'ada@x.example', country: 'SE' }
  const { sandbox, session, look } = await openCheckout({}, { buyer })
  const { text } = await look()
  expect(text).toContain('value="Ada"')
  expect(text).toContain('value="ada@x.example"')
  expect(text).toMatch(/<option value="SE" selected>Sweden/)
  const { json } = await sandbox.operate('GET', `/v1/worlds/default/checkout-sessions/${session.session_id}`)
  expect(json).toMatchObject({ return_url: RETURN_URL, cancel_url: CANCEL_URL })
})
