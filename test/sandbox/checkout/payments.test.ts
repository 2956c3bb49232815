import { describe, expect, it } from 'vitest'
import {
  BUYER,
  CANCEL_URL,
  createSession,
  openCheckout,
  openSession,
  payment,
  RETURN_URL,
  submit,
  visit,
} from '../../support/checkout.ts'
import { advance, quote, step } from '../../support/sales.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const WORLD = '/v1/worlds/default'
const FROZEN = { frozen: true, clockMs: Date.UTC(2026, 0, 15, 12) }

const returned = (id: string) => RETURN_URL.replace('#top', `&session_id=${id}#top`)
const cancelled = (id: string) => `${CANCEL_URL}?session_id=${id}`

describe('the checkout page', () => {
  it('shows domain, price and who sells, but nobody’s ids (CHK-01)', async () => {
    const { session, look } = await openCheckout()
    const { status, text, headers } = await look()
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(text).toContain(`Buy ${session.domain}`)
    expect(text).toContain(`${(session.price_cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })}`)
    expect(text).toContain('A partner of this sandbox')
    expect(text).toContain('Never enter a real card')
    expect(text).not.toMatch(/ptr_|pk_|sk_|<script/)
  })

  it('sells when paid: an order whose transfer is under way, and the buyer back with the session’s id (CHK-03, STATE-09)', async () => {
    const { sandbox, session, pay, orders } = await openCheckout()
    const paid = await pay()
    expect([paid.status, paid.location]).toEqual([303, returned(session.session_id)])
    const [order] = await orders()
    const { events } = (await sandbox.call({ path: '/events' })).json
    expect(events).toMatchObject([{ type: 'order.transfer_started', data: { order: { public_id: order.public_id } } }])
    expect(order).toMatchObject({
      domain: session.domain,
      status: 'TRANSFER_IN_PROGRESS',
      sale_price_cents: session.price_cents,
      payment_model: 'hosted_checkout',
      buyer: BUYER,
      quote_id: null,
      commission_cents: Math.floor(session.price_cents / 5),
      amount_owed_cents: 0,
      timeline: [{ status: 'TRANSFER_IN_PROGRESS', note: 'paid on the hosted page', event_id: events[0].id }],
    })
  })

  it('says that it is paid already when opened again, with the way back', async () => {
    const { session, pay, look } = await openCheckout()
    await pay()
    const { status, text } = await look()
    expect(status).toBe(200)
    expect(text).toContain('Payment complete')
    expect(text).toContain(`href="${returned(session.session_id).replaceAll('&', '&amp;')}"`)
    expect(text).not.toContain('<form')
  })

  it('sells once for 64 payments sent at the same time, and all of them end at the same address (CHK-05, J3)', async () => {
    const { sandbox, session, pay, orders } = await openCheckout()
    const answers = await Promise.all(Array.from({ length: 64 }, (_, n) => pay({ email: `buyer-${n}@buyer.example` })))
    expect(new Set(answers.map(({ status, location }) => `${status} ${location}`))).toEqual(
      new Set([`303 ${returned(session.session_id)}`]),
    )
    expect(await orders()).toHaveLength(1)
    expect((await sandbox.call({ path: '/events' })).json.events).toHaveLength(1)
  })

  it('sells a domain once for 32 sessions paid at the same time', async () => {
    const { sandbox, session, orders } = await openCheckout()
    const { domain } = session
    const others = await Promise.all(Array.from({ length: 31 }, () => openSession(sandbox, { domain })))
    const answers = await Promise.all([session, ...others].map((one) => submit(one.checkout_url, payment(one))))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array(31).fill(409)])
    expect(await orders()).toHaveLength(1)
  })

  it.each([
    ['its button', { action: 'decline' }],
    ['the buyer +declines', { email: 'jo+declines@x.example' }],
  ])('declines by %s, keeps what was entered, and can then be paid', async (_, how: Record<string, string>) => {
    const { pay, orders } = await openCheckout()
    const { status, text } = await pay(how)
    expect(status).toBe(402)
    expect(text).toContain('Your card was declined')
    expect(text).toContain(`value="${how['email'] ?? BUYER.email}"`)
    expect(await orders()).toEqual([])
    expect((await pay()).status).toBe(303)
  })

  it('cancels by its button: the buyer ends at cancel_url with the session’s id, and nothing can be paid any more', async () => {
    const { session, send, look, orders } = await openCheckout()
    for (const attempt of [{ action: 'cancel' }, { action: 'cancel' }, payment(session)]) {
      const { status, location } = await send(attempt)
      expect([status, location]).toEqual([303, cancelled(session.session_id)])
    }
    const { status, text } = await look()
    expect(status).toBe(410)
    expect(text).toContain('This checkout was canceled')
    expect(await orders()).toEqual([])
  })

  it('says beside each field what is wrong with it, keeps the rest, and sells nothing', async () => {
    const { pay, orders } = await openCheckout()
    const { status, text } = await pay({ name: ' ', email: 'jo', country: 'XX' })
    expect(status).toBe(422)
    expect(text).toMatch(/id="name"[^>]*aria-describedby="name-fault" aria-invalid="true"/)
    expect(text).toContain('<p class="fault" id="name-fault">Enter your name.</p>')
    expect(text).toContain('<p class="fault" id="email-fault">Enter an e-mail address like name@example.com.</p>')
    expect(text).toContain('<p class="fault" id="country-fault">Choose your country.</p>')
    expect(text).toContain('value="jo"')
    expect(await orders()).toEqual([])
  })

  it('shows the page again with the new price where it moved meanwhile (and where the form says none)', async () => {
    const { sandbox, session, send, pay, orders } = await openCheckout()
    const priceCents = session.price_cents + 12_345
    await sandbox.operate('PATCH', `${WORLD}/domains/${session.domain}`, { price_cents: priceCents })
    const { price_cents: _, ...priceless } = payment(session)
    for (const form of [payment(session), payment(session, { price_cents: '1' }), priceless]) {
      const { status, text } = await send(form)
      expect(status).toBe(409)
      expect(text).toContain('The price has changed')
      expect(text).toContain(`name="price_cents" value="${priceCents}"`)
      expect(text).toContain(`value="${BUYER.email}"`)
    }
    expect(await orders()).toEqual([])
    await pay({ price_cents: String(priceCents) })
    expect(await orders()).toMatchObject([{ sale_price_cents: priceCents }])
  })

  it.each(['sold by an order', 'reserved by another partner', 'taken off the list', 'taken at this moment'])(
    'says that the domain is no longer available when it was %s, and sells nothing',
    async (how) => {
      const body = how === 'taken at this moment' ? { domain: 'taken-1.test' } : {}
      const { sandbox, session, pay, look, orders } = await openCheckout({}, body)
      const { domain } = session
      if (how === 'sold by an order') await sandbox.sell({ order: { domain, expected_price: session.price_cents } })
      if (how === 'reserved by another partner') await quote(sandbox, domain, 'other-partner')
      if (how === 'taken off the list') await sandbox.operate('PATCH', `${WORLD}/domains/${domain}`, { listed: false })
      const before = (await orders()).length
      const paid = await pay()
      expect(paid.status).toBe(409)
      expect(paid.text).toContain('This domain is no longer available')
      expect(paid.text).toContain(cancelled(session.session_id))
      expect((await look()).status).toBe(409)
      expect(await orders()).toHaveLength(before)
    },
  )

  it('uses up the partner’s own quote for the domain', async () => {
    const { sandbox, session, pay } = await openCheckout()
    expect((await quote(sandbox, session.domain)).status).toBe(201)
    expect((await pay()).status).toBe(303)
    expect((await sandbox.operate('GET', `${WORLD}/clock`)).json.pending).toBe(0)
  })

  it('can sell a domain again whose hosted order was refunded', async () => {
    const { sandbox, session, pay, orders } = await openCheckout()
    await pay()
    await step(sandbox, (await orders())[0].public_id, 'refund')
    const again = await openSession(sandbox, { domain: session.domain })
    expect((await submit(again.checkout_url, payment(again))).status).toBe(303)
    expect(await orders()).toHaveLength(2)
  })
})

describe('magic buyers', () => {
  const late = { email: 'jo+pays-late@x.example' }

  it('+abandons: the buyer is sent to cancel_url, and the session stays open', async () => {
    const { session, pay, look, orders } = await openCheckout()
    const left = await pay({ email: 'jo+abandons@x.example' })
    expect([left.status, left.location]).toEqual([303, cancelled(session.session_id)])
    expect((await look()).status).toBe(200)
    expect(await orders()).toEqual([])
  })

  it('+pays-late: the buyer goes back at once, the sale follows an hour later at the price agreed', async () => {
    const { sandbox, session, send, look, orders } = await openCheckout(FROZEN)
    for (const attempt of [payment(session, late), payment(session, late), { action: 'cancel' }]) {
      const { status, location } = await send(attempt)
      expect([status, location]).toEqual([303, returned(session.session_id)])
    }
    expect((await look()).text).toContain('Your payment is in progress')
    await sandbox.operate('PATCH', `${WORLD}/domains/${session.domain}`, { price_cents: session.price_cents * 2 })
    await advance(sandbox, '59m59s')
    expect(await orders()).toEqual([])
    const { json } = await advance(sandbox, '1s')
    expect(json.happened.map((item: { kind: string }) => item.kind)).toContain('payment.succeeded')
    expect(await orders()).toMatchObject([
      { sale_price_cents: session.price_cents, created_at: '2026-01-15T13:00:00.000Z' },
    ])
    expect((await look()).text).toContain('Payment complete')
  })

  it('+pays-late: is given back where the domain was sold meanwhile', async () => {
    const { sandbox, session, pay, look, orders } = await openCheckout(FROZEN)
    await pay(late)
    await sandbox.sell({ order: { domain: session.domain, expected_price: session.price_cents } })
    const { json } = await advance(sandbox, '1h')
    expect(json.happened).toMatchObject([{ kind: 'payment.failed', id: session.session_id }])
    expect((await look()).status).toBe(410)
    expect(await orders()).toHaveLength(1)
  })

  it('+pays-late: succeeds past the end of the seven days, for the buyer was in time', async () => {
    const { sandbox, pay, orders } = await openCheckout(FROZEN)
    await advance(sandbox, '6d23h30m')
    await pay(late)
    await advance(sandbox, '1h')
    expect(await orders()).toHaveLength(1)
  })

  it('lets any other tag pay', async () => {
    const { pay, orders } = await openCheckout()
    await pay({ email: 'declines+jo@declines.example' })
    expect(await orders()).toHaveLength(1)
  })
})

it('a session is good for seven days of world time and gone a millisecond later, as the receipt of the clock says (CHK-02)', async () => {
  const { sandbox, session, pay, look, orders } = await openCheckout(FROZEN)
  expect((await advance(sandbox, '7d')).json.happened).toEqual([])
  expect((await look()).status).toBe(200)
  const at = '2026-01-22T12:00:00.001Z'
  const { json } = await sandbox.operate('POST', `${WORLD}/clock/advance`, { to: at })
  const summary = `the checkout session for ${session.domain} expired`
  expect(json.happened).toEqual([{ at, kind: 'checkout.expired', id: session.session_id, summary }])
  for (const { status, text } of [await look(), await pay()]) {
    expect(status).toBe(410)
    expect(text).toContain('This link has expired')
    expect(text).toContain('2026-01-22 12:00 UTC')
    expect(text).toContain(`href="${cancelled(session.session_id)}"`)
    expect(text).not.toContain(session.domain)
  }
  expect(await orders()).toEqual([])
  const shown = await sandbox.operate('GET', `${WORLD}/checkout-sessions/${session.session_id}`)
  expect(shown.json.status).toBe('expired')
})

describe('attribution', () => {
  async function newLink(sandbox: TestSandbox, body: object = { kind: 'generic' }, as = 'main') {
    const { json } = await sandbox.call({ as, path: '/links', body })
    const follow = async () => (await visit(json.url)).headers.getSetCookie()[0]!.split(';')[0]!
    const sales = async () => {
      const { links } = (await sandbox.call({ as, path: '/links' })).json
      return links.find(({ link_id }: { link_id: string }) => link_id === json.link_id).sales
    }
    return { linkId: json.link_id as string, follow, sales }
  }

  /** Pays for a session of a fresh domain, in a browser with this cookie. */
  async function paidWith(sandbox: TestSandbox, cookie: string, { as = 'main', ...body }: Record<string, string> = {}) {
    const { json } = await createSession(sandbox, body, { as })
    expect((await submit(json.checkout_url, payment(json), { headers: { cookie } })).status).toBe(303)
  }

  it('goes to the link that the session names', async () => {
    const sandbox = await startSandbox()
    const link = await newLink(sandbox)
    await paidWith(sandbox, '', { link_id: link.linkId })
    expect(await link.sales()).toBe(1)
  })

  it('goes to the link that the buyer’s browser followed, if it is the partner’s', async () => {
    const sandbox = await startSandbox()
    const [own, theirs] = [await newLink(sandbox), await newLink(sandbox, undefined, 'other-partner')]
    const cookie = await own.follow()
    await paidWith(sandbox, '')
    expect(await own.sales()).toBe(0)
    await paidWith(sandbox, cookie)
    await paidWith(sandbox, await theirs.follow())
    await paidWith(sandbox, cookie, { as: 'other-partner' })
    expect([await own.sales(), await theirs.sales()]).toEqual([1, 0])
  })

  it('goes to nobody for a credential without an affiliate account, cookie or not', async () => {
    const sandbox = await startSandbox()
    for (const body of [{ kind: 'generic' }, { kind: 'product', product: 'logo maker' }]) {
      const link = await newLink(sandbox, body)
      await paidWith(sandbox, await link.follow(), { as: 'no-affiliate' })
      expect(await link.sales()).toBe(0)
    }
  })
})
