import { request } from 'node:http'
import { expect, it } from 'vitest'
import { BUYER, CANCEL_URL, openCheckout, type PageAnswer, payment, submit, visit } from '../../support/checkout.ts'

const PAYLOADS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onfocus=alert(1) autofocus x='",
  '</title><script>alert(1)</script>',
  '</style><script>alert(1)</script>',
  '<!--<script>',
  '&lt;script&gt;',
  '{{7*7}}${7*7}<%= 7*7 %>',
  'javascript:alert(1)',
  '\u202e<b>',
]

/** Nothing but our own markup: no script, no handler, no element that we do not write. */
function expectHarmless({ text }: PageAnswer): void {
  expect(text).not.toMatch(/<script|<img|<iframe|<svg|<b>|<object|<base/i)
  const tags = text.replace(/<style>[\s\S]*?<\/style>/, '').match(/<[^>]*>/g) ?? []
  for (const tag of tags) expect(tag.replace(/"[^"]*"/g, '""')).not.toMatch(/\bon\w+=|javascript:|'/i)
}

it('escapes whatever a buyer fills in, and shows it as it was typed (J5)', async () => {
  const { pay } = await openCheckout()
  for (const payload of PAYLOADS) {
    const answers = [
      await pay({ action: 'decline', name: payload }),
      await pay({ name: payload, email: payload, country: payload }),
      await pay({ price_cents: payload }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([402, 422, 409])
    for (const answer of answers) expectHarmless(answer)
    const escaped = payload.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
    expect(answers[0]!.text).toContain(`value="${escaped}"`)
  }
})

it.each(PAYLOADS)('shows %j escaped in every field that a partner fills', async (payload) => {
  const inAddress = payload.replaceAll(/[\s<>"\u202e]/g, (character) => encodeURIComponent(character))
  const body = {
    return_url: `https://shop.example/'a'/${inAddress}?x='${inAddress}'&y=1`,
    cancel_url: `https://shop.example/?x='${inAddress}'`,
    buyer: { name: payload },
  }
  const { look, pay } = await openCheckout({}, body)
  for (const answer of [await look(), await pay({ name: payload }), await look()]) expectHarmless(answer)
})

it('shows a buyer’s markup as text in the order as well', async () => {
  const { pay, orders } = await openCheckout()
  await pay({ name: '<script>alert(1)</script>' })
  expect((await orders())[0].buyer).toEqual({ ...BUYER, name: '<script>alert(1)</script>' })
})

it('refuses a name with a control character or of more than 200 characters beside its field', async () => {
  const { pay } = await openCheckout()
  for (const name of ['a\nb', 'a\u0000b', 'a\u2028b', 'x'.repeat(201)]) {
    const { status, text } = await pay({ name })
    expect([name, status]).toEqual([name, 422])
    expect(text).toContain('id="name-fault"')
  }
})

it('builds no address from the Host header, nor from its relatives (J9)', async () => {
  const { sandbox, session } = await openCheckout()
  expect(new URL(session.checkout_url).origin).toBe(sandbox.url)
  const poison = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    forwarded: 'host=evil.example',
  }
  const [listing] = await sandbox.forSale(1)
  const body = { domain: listing!.domain, return_url: 'https://shop.example/', cancel_url: 'https://shop.example/' }
  const { json } = await sandbox.call({ path: '/checkout-session', body, headers: poison })
  expect(new URL(json.checkout_url).origin).toBe(sandbox.url)
  const page = await raw(session.checkout_url, poison)
  expect(page.status).toBe(200)
  expect(page.all).not.toContain('evil.example')
})

it('carries the public address that the server was given', async () => {
  const { session } = await openCheckout({ publicUrl: 'https://pay.sandbox.example/shop' })
  expect(session.checkout_url).toMatch(/^https:\/\/pay\.sandbox\.example\/shop\/checkout\?pt=/)
})

/** fetch sets Host itself, so this goes by hand. */
function raw(url: string, headers: Record<string, string>): Promise<{ status: number; all: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers }, async (incoming) => {
      let text = JSON.stringify(incoming.headers)
      for await (const chunk of incoming) text += chunk
      resolve({ status: incoming.statusCode ?? 0, all: text })
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

it('never shows what is wrong inside, and takes nothing but its own form', async () => {
  const { sandbox, session } = await openCheckout()
  const url = session.checkout_url
  const attempts: [number, Promise<PageAnswer>][] = [
    [400, submit(url, { ...payment(session), action: 'steal' })],
    [400, submit(url, {})],
    [400, submit(url, { ...payment(session), admin: '1' })],
    [400, submit(url, `${new URLSearchParams(payment(session))}&action=cancel`)],
    [400, submit(url, 'action=%zz')],
    [400, submit(url, 'action=%ff')],
    [415, submit(url, JSON.stringify(payment(session)), { headers: { 'content-type': 'application/json' } })],
    [415, submit(url, 'action=pay', { headers: { 'content-type': 'multipart/form-data; boundary=x' } })],
    [415, submit(url, 'action=pay', { headers: { 'content-encoding': 'gzip' } })],
    [413, submit(url, payment(session, { name: 'x'.repeat(17_000) }))],
    [403, submit(url, payment(session), { headers: { 'sec-fetch-site': 'cross-site' } })],
    [403, submit(url, payment(session), { headers: { 'sec-fetch-site': 'same-site' } })],
  ]
  for (const [status, attempt] of attempts) {
    const answer = await attempt
    expect(answer.status, answer.text.slice(-200)).toBe(status)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.text).not.toMatch(/Error|at \w+ \(|\.ts\b|node_modules/)
  }
  expect((await sandbox.call({ path: '/orders' })).json.orders).toEqual([])
  expect((await visit(url)).status).toBe(200)
})

it('goes on to cancel_url and return_url and nowhere else, whatever the form or the query asks for', async () => {
  const { session } = await openCheckout()
  const url = `${session.checkout_url}&return_url=https://evil.example/&cancel_url=https://evil.example/`
  const { location } = await submit(url, { action: 'cancel' })
  expect(location).toBe(`${CANCEL_URL}?session_id=${session.session_id}`)
})
