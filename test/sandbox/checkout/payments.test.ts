import { describe, expect, it } from 'vitest'
import {
  BUYER,
  CANCEL_URL,
  createSession,
  openSession,
  payment,
  RETURN_URL,
  submit,
  visit,
} from '../../support/checkout.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const WORLD = '/v1/worlds/default'

const returned = (id: string) => `https://shop.example/thanks?cart=7&note=a%20b&session_id=${id}#top`
const cancelled = (id: string) => `${CANCEL_URL}?session_id=${id}`

async function ordersOf(sandbox: TestSandbox, domain: string, as = 'main') {
  return (await sandbox.call({ as, path: `/orders?domain=${domain}` })).json.orders
}

function advance(sandbox: TestSandbox, by: string) {
  return sandbox.operate('POST', `${WORLD}/clock/advance`, { by })
}

describe('the checkout page', () => {
  it('opens without any header and shows domain, price and who sells, but nobody’s ids (CHK-01)', async () => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox)
    const { status, text, headers } = await visit(session.checkout_url)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(text).toContain(`Buy ${session.domain}`)
    expect(text).toContain(`${(session.price_cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })}`)
    expect(text).toContain('A partner of this sandbox')
    expect(text).toContain('Never enter a real card')
    expect(text).not.toMatch(/ptr_|pk_|sk_|<script/)
  })

  it('sells when paid: an order of the partner, its transfer under way, and the buyer back with the session’s id (CHK-03, STATE-09)', async () => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox)
    const paid = await submit(session.checkout_url, payment(session))
    expect([paid.status, paid.location]).toEqual([303, returned(session.session_id)])

    const [order] = await ordersOf(sandbox, session.domain)
    expect(order).toMatchObject({
      domain: session.domain,
      status: 'TRANSFER_IN_PROGRESS',
      sale_price_cents: session.price_cents,
      payment_model: 'hosted_checkout',
      buyer: BUYER,
      quote_id: null,
      commission_cents: Math.floor(session.price_cents / 5),
      amount_owed_cents: 0,
    })
    expect(order.timeline).toMatchObject([{ status: 'TRANSFER_IN_PROGRESS', note: 'paid on the hosted page' }])
    expect((await sandbox.call({ path: `/orders/${order.public_id}` })).json).toEqual(order)
    expect((await sandbox.call({ as: 'other-partner', path: `/orders/${order.public_id}` })).status).toBe(404)
    expect(await ordersOf(sandbox, session.domain, 'other-partner')).toEqual([])

    const { json } = await sandbox.call({ path: '/events' })
    expect(json.events.map((event: { type: string }) => event.type)).toEqual(['order.transfer_started'])
    expect(json.events[0].data.order.public_id).toBe(order.public_id)
    expect(json.events[0].id).toBe(order.timeline[0].event_id)
    expect((await sandbox.call({ path: `/availability?domain=${session.domain}` })).json.available).toBe(false)
  })

  it('says that it is paid already when opened again, with the way back', async () => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox)
    await submit(session.checkout_url, payment(session))
    const { status, text } = await visit(session.checkout_url)
    expect(status).toBe(200)
    expect(text).toContain('Payment complete')
    expect(text).toContain(`href="${returned(session.session_id).replaceAll('&', '&amp;')}"`)
    expect(text).not.toContain('<form')
  })

  it('sells once for 64 payments sent at the same time, and all of them end at the same address (CHK-05, J3)', async () => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox)
    const sent = Array.from({ length: 64 }, (_, n) =>
      submit(session.checkout_url, payment(session, { email: `buyer-${n}@buyer.example` })),
    )
    const answers = await Promise.all(sent)
    expect(new Set(answers.map(({ status, location }) => `${status} ${location}`))).toEqual(
      new Set([`303 ${returned(session.session_id)}`]),
    )
    expect(await ordersOf(sandbox, session.domain)).toHaveLength(1)
    expect((await sandbox.call({ path: '/events' })).json.events).toHaveLength(1)
  })

  it('sells a domain once for 32 sessions paid at the same time', async () => {
    const sandbox = await startSandbox()
    const [listing] = await sandbox.forSale(1)
    const sessions = await Promise.all(
      Array.from({ length: 32 }, () => openSession(sandbox, { domain: listing!.domain })),
    )
    const answers = await Promise.all(sessions.map((session) => submit(session.checkout_url, payment(session))))
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(31)
    expect(await ordersOf(sandbox, listing!.domain)).toHaveLength(1)
  })

  it('declines by its button, keeps what was entered, and can then be paid', async () => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox)
    const declined = await submit(session.checkout_url, payment(session, { action: 'decline' }))
    expect(declined.status).toBe(402)
    expect(declined.text).toContain('Your card was declined')
    expect(declined.text).toContain(`value="${BUYER.email}"`)
    expect(await ordersOf(sandbox, session.domain)).toEqual([])
    expect((await submit(session.checkout_url, payment(session))).status).toBe(303)
  })

  it('cancels by its button: the buyer ends at cancel_url with the session’s id, and nothing can be paid any more', async () => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox)
    for (const attempt of [{ action: 'cancel' }, { action: 'cancel' }, payment(session)]) {
      const { status, location } = await submit(session.checkout_url, attempt)
      expect([status, location]).toEqual([303, cancelled(session.session_id)])
    }
    const { status, text } = await visit(session.checkout_url)
    expect(status).toBe(410)
    expect(text).toContain('This checkout was canceled')
    expect(await ordersOf(sandbox, session.domain)).toEqual([])
  })

  it('says beside each field what is wrong with it, keeps the rest, and sells nothing', async () => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox)
    const { status, text } = await submit(
      session.checkout_url,
      payment(session, { name: ' ', email: 'jo', country: 'XX' }),
    )
    expect(status).toBe(422)
    expect(text).toMatch(/id="name"[^>]*aria-describedby="name-fault" aria-invalid="true"/)
    expect(text).toContain('<p class="fault" id="name-fault">Enter your name.</p>')
    expect(text).toContain('<p class="fault" id="email-fault">Enter an e-mail address like name@example.com.</p>')
    expect(text).toContain('<p class="fault" id="country-fault">Choose your country.</p>')
    expect(text).toContain('value="jo"')
    expect(await ordersOf(sandbox, session.domain)).toEqual([])
  })

  it('shows the page again with the new price where it moved meanwhile (and where the form says none)', async () => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox)
    const priceCents = session.price_cents + 12_345
    await sandbox.operate('PATCH', `${WORLD}/domains/${session.domain}`, { price_cents: priceCents })
    const { price_cents: _, ...priceless } = payment(session)
    for (const form of [payment(session), payment(session, { price_cents: '1' }), priceless]) {
      const { status, text } = await submit(session.checkout_url, form)
      expect(status).toBe(409)
      expect(text).toContain('The price has changed')
      expect(text).toContain(`name="price_cents" value="${priceCents}"`)
      expect(text).toContain(`value="${BUYER.email}"`)
    }
    expect(await ordersOf(sandbox, session.domain)).toEqual([])
    await submit(session.checkout_url, payment(session, { price_cents: String(priceCents) }))
    expect(await ordersOf(sandbox, session.domain)).toMatchObject([{ sale_price_cents: priceCents }])
  })

  it.each(['sold by an order', 'reserved by another partner', 'taken off the list', 'taken at this moment'])(
    'says that the domain is no longer available when it was %s, and sells nothing',
    async (how) => {
      const sandbox = await startSandbox()
      const session = await openSession(sandbox, how === 'taken at this moment' ? { domain: 'taken-1.test' } : {})
      const { domain } = session
      if (how === 'sold by an order') await sandbox.sell({ order: { domain, expected_price: session.price_cents } })
      if (how === 'reserved by another partner')
        await sandbox.call({ as: 'other-partner', path: '/quotes', body: { domain } })
      if (how === 'taken off the list') await sandbox.operate('PATCH', `${WORLD}/domains/${domain}`, { listed: false })
      const before = (await ordersOf(sandbox, domain)).length
      const paid = await submit(session.checkout_url, payment(session))
      expect(paid.status).toBe(409)
      expect(paid.text).toContain('This domain is no longer available')
      expect(paid.text).toContain(cancelled(session.session_id))
      expect((await visit(session.checkout_url)).status).toBe(409)
      expect(await ordersOf(sandbox, domain)).toHaveLength(before)
    },
  )

  it('uses up the partner’s own quote for the domain', async () => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox)
    const quote = await sandbox.call({ path: '/quotes', body: { domain: session.domain } })
    expect(quote.status).toBe(201)
    expect((await submit(session.checkout_url, payment(session))).status).toBe(303)
    expect((await sandbox.operate('GET', `${WORLD}/clock`)).json.pending).toBe(0)
  })

  it('can sell a domain again whose hosted order was refunded', async () => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox)
    await submit(session.checkout_url, payment(session))
    const [order] = await ordersOf(sandbox, session.domain)
    expect((await sandbox.operate('POST', `${WORLD}/orders/${order.public_id}/refund`, {})).status).toBe(200)
    const again = await openSession(sandbox, { domain: session.domain })
    expect((await submit(again.checkout_url, payment(again))).status).toBe(303)
    expect(await ordersOf(sandbox, session.domain)).toHaveLength(2)
  })
})

describe('magic buyers', () => {
  it('+declines: the payment is declined, and may be tried again', async () => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox)
    const { status, text } = await submit(session.checkout_url, payment(session, { email: 'jo+declines@x.example' }))
    expect(status).toBe(402)
    expect(text).toContain('Your card was declined')
    expect((await submit(session.checkout_url, payment(session))).status).toBe(303)
  })

  it('+abandons: the buyer is sent to cancel_url, and the session stays open', async () => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox)
    const left = await submit(session.checkout_url, payment(session, { email: 'jo+abandons@x.example' }))
    expect([left.status, left.location]).toEqual([303, cancelled(session.session_id)])
    expect((await visit(session.checkout_url)).status).toBe(200)
    expect(await ordersOf(sandbox, session.domain)).toEqual([])
  })

  it('+pays-late: the buyer goes back at once, the sale follows an hour later at the price agreed', async () => {
    const sandbox = await startSandbox({ frozen: true, clockMs: Date.UTC(2026, 0, 15, 12) })
    const session = await openSession(sandbox)
    const late = payment(session, { email: 'jo+pays-late@x.example' })
    for (const attempt of [late, late, { action: 'cancel' }]) {
      const { status, location } = await submit(session.checkout_url, attempt)
      expect([status, location]).toEqual([303, returned(session.session_id)])
    }
    expect((await visit(session.checkout_url)).text).toContain('Your payment is in progress')
    await sandbox.operate('PATCH', `${WORLD}/domains/${session.domain}`, { price_cents: session.price_cents * 2 })
    await advance(sandbox, '59m59s')
    expect(await ordersOf(sandbox, session.domain)).toEqual([])
    const { json } = await advance(sandbox, '1s')
    expect(json.happened.map((item: { kind: string }) => item.kind)).toContain('payment.succeeded')
    expect(await ordersOf(sandbox, session.domain)).toMatchObject([
      { sale_price_cents: session.price_cents, created_at: '2026-01-15T13:00:00.000Z' },
    ])
    expect((await visit(session.checkout_url)).text).toContain('Payment complete')
  })

  it('+pays-late: is given back where the domain was sold meanwhile', async () => {
    const sandbox = await startSandbox({ frozen: true, clockMs: Date.UTC(2026, 0, 15, 12) })
    const session = await openSession(sandbox)
    await submit(session.checkout_url, payment(session, { email: 'jo+pays-late@x.example' }))
    await sandbox.sell({ order: { domain: session.domain, expected_price: session.price_cents } })
    const { json } = await advance(sandbox, '1h')
    expect(json.happened).toMatchObject([{ kind: 'payment.failed', id: session.session_id }])
    expect((await visit(session.checkout_url)).status).toBe(410)
    expect(await ordersOf(sandbox, session.domain)).toHaveLength(1)
  })

  it('+pays-late: succeeds past the end of the seven days, for the buyer was in time', async () => {
    const sandbox = await startSandbox({ frozen: true, clockMs: Date.UTC(2026, 0, 15, 12) })
    const session = await openSession(sandbox)
    await advance(sandbox, '6d23h30m')
    await submit(session.checkout_url, payment(session, { email: 'jo+pays-late@x.example' }))
    await advance(sandbox, '1h')
    expect(await ordersOf(sandbox, session.domain)).toHaveLength(1)
  })

  it('lets any other tag pay', async () => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox)
    await submit(session.checkout_url, payment(session, { email: 'declines+jo@declines.example' }))
    expect(await ordersOf(sandbox, session.domain)).toHaveLength(1)
  })
})

describe('seven days', () => {
  it('are in world time, to the millisecond: good at their end, gone after it (CHK-02)', async () => {
    const sandbox = await startSandbox({ frozen: true, clockMs: Date.UTC(2026, 0, 15, 12) })
    const session = await openSession(sandbox)
    await advance(sandbox, '7d')
    expect((await visit(session.checkout_url)).status).toBe(200)
    const { json } = await sandbox.operate('PUT', `${WORLD}/clock`, { mode: 'frozen', now: '2026-01-22T12:00:00.001Z' })
    expect(json.now ?? json.to).toBe('2026-01-22T12:00:00.001Z')
    for (const answer of [await visit(session.checkout_url), await submit(session.checkout_url, payment(session))]) {
      expect(answer.status).toBe(410)
      expect(answer.text).toContain('This link has expired')
      expect(answer.text).toContain('2026-01-22 12:00 UTC')
      expect(answer.text).toContain(`href="${cancelled(session.session_id)}"`)
      expect(answer.text).not.toContain(session.domain)
    }
    expect(await ordersOf(sandbox, session.domain)).toEqual([])
    const shown = await sandbox.operate('GET', `${WORLD}/checkout-sessions/${session.session_id}`)
    expect(shown.json.status).toBe('expired')
  })

  it('appear in the receipt of an advance', async () => {
    const sandbox = await startSandbox({ frozen: true, clockMs: Date.UTC(2026, 0, 15, 12) })
    const session = await openSession(sandbox)
    const { json } = await advance(sandbox, '8d')
    expect(json.happened).toEqual([
      {
        at: '2026-01-22T12:00:00.001Z',
        kind: 'checkout.expired',
        id: session.session_id,
        summary: `the checkout session for ${session.domain} expired`,
      },
    ])
  })
})

describe('attribution', () => {
  it('goes to the link that the session names', async () => {
    const sandbox = await startSandbox()
    const { json: link } = await sandbox.call({ path: '/links', body: { kind: 'generic' } })
    const session = await openSession(sandbox, { link_id: link.link_id })
    await submit(session.checkout_url, payment(session))
    expect(await salesOf(sandbox, link.link_id)).toBe(1)
  })

  it('goes to the link that the buyer’s browser followed, if it is the partner’s', async () => {
    const sandbox = await startSandbox()
    const { json: own } = await sandbox.call({ path: '/links', body: { kind: 'generic' } })
    const { json: theirs } = await sandbox.call({ as: 'other-partner', path: '/links', body: { kind: 'generic' } })
    for (const link of [own, theirs]) {
      const cookie = (await visit(link.url)).headers.getSetCookie()[0]!.split(';')[0]!
      const session = await openSession(sandbox)
      expect((await submit(session.checkout_url, payment(session), { headers: { cookie } })).status).toBe(303)
    }
    expect(await salesOf(sandbox, own.link_id)).toBe(1)
    expect(await salesOf(sandbox, theirs.link_id, 'other-partner')).toBe(0)
  })
})

it('attributes nothing that was sold through a credential without an affiliate account, cookie or not', async () => {
  const sandbox = await startSandbox()
  for (const body of [{ kind: 'generic' }, { kind: 'product', product: 'logo maker' }]) {
    const { json: link } = await sandbox.call({ path: '/links', body })
    const cookie = (await visit(link.url)).headers.getSetCookie()[0]!.split(';')[0]!
    const { json: session } = await createSession(sandbox, {}, { as: 'no-affiliate' })
    expect((await submit(session.checkout_url, payment(session), { headers: { cookie } })).status).toBe(303)
    expect(await ordersOf(sandbox, session.domain)).toHaveLength(1)
    expect(await salesOf(sandbox, link.link_id)).toBe(0)
  }
})

async function salesOf(sandbox: TestSandbox, linkId: string, as = 'main'): Promise<number> {
  const { json } = await sandbox.call({ as, path: '/links' })
  return json.links.find((link: { link_id: string }) => link.link_id === linkId).sales
}

it('keeps the address of the partner as it is', () => {
  expect(returned('x')).toBe(RETURN_URL.replace('#top', '&session_id=x#top'))
})
