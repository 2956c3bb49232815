import { describe, expect, it } from 'vitest'
import { openSession, payment, submit, visit } from '../support/checkout.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const SESSIONS = '/v1/worlds/default/checkout-sessions'

function act(sandbox: TestSandbox, sessionId: string, action: string, body: unknown = {}) {
  return sandbox.operate('POST', `${SESSIONS}/${sessionId}/${action}`, body)
}

async function ordersOf(sandbox: TestSandbox, domain: string) {
  return (await sandbox.call({ path: `/orders?domain=${domain}` })).json.orders
}

describe('a checkout session by operator call', () => {
  it('pays as a made-up buyer where nobody said who buys', async () => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox)
    const { status, json } = await act(sandbox, session.session_id, 'pay')
    expect(status).toBe(200)
    const [order] = await ordersOf(sandbox, session.domain)
    expect(json).toMatchObject({
      outcome: 'paid',
      status: 'paid',
      public_id: order.public_id,
      actions: [],
      buyer: { email: 'buyer@example.test', name: 'Test Buyer', country: 'US' },
    })
    expect(order).toMatchObject({ status: 'TRANSFER_IN_PROGRESS', buyer: json.buyer })
    expect((await visit(session.checkout_url)).text).toContain('Payment complete')
    await sandbox.operate('PATCH', `/v1/worlds/default/domains/${session.domain}`, { price_cents: 1 })
    const later = await sandbox.operate('GET', `${SESSIONS}/${session.session_id}`)
    expect(later.json.price_cents).toBe(session.price_cents)
  })

  it('pays as the buyer whom the partner named, but for what the operator says', async () => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox, { buyer: { name: 'Ada', email: 'ada@x.example' } })
    await act(sandbox, session.session_id, 'pay', { buyer: { country: 'SE' } })
    expect((await ordersOf(sandbox, session.domain))[0].buyer).toEqual({
      name: 'Ada',
      email: 'ada@x.example',
      country: 'SE',
    })
  })

  it.each([
    ['declines', 'declined', 'open'],
    ['abandons', 'abandoned', 'open'],
    ['pays-late', 'paying', 'paying'],
  ])('obeys the tag +%s as the page does', async (tag, outcome, status) => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox)
    const { json } = await act(sandbox, session.session_id, 'pay', { buyer: { email: `jo+${tag}@x.example` } })
    expect(json).toMatchObject({ outcome, status })
    expect(await ordersOf(sandbox, session.domain)).toEqual([])
  })

  it('declines and leaves the session open; cancels and ends it', async () => {
    const sandbox = await startSandbox()
    const { session_id, checkout_url } = await openSession(sandbox)
    expect((await act(sandbox, session_id, 'decline')).json).toMatchObject({
      outcome: 'declined',
      status: 'open',
      actions: ['pay', 'decline', 'cancel'],
    })
    expect((await act(sandbox, session_id, 'cancel')).json).toMatchObject({ outcome: 'cancelled', status: 'cancelled' })
    expect((await visit(checkout_url)).status).toBe(410)
  })

  it.each([
    ['paid', 'pay', /^it was paid at \S+Z of the world’s time; see order show ord_\w+$/],
    ['cancelled', 'cancel', /^it was cancelled; see checkout show \w+$/],
  ] as const)('says of a session that is %s how it ended, and that it allows nothing', async (state, first, ended) => {
    const sandbox = await startSandbox()
    const { session_id } = await openSession(sandbox)
    await act(sandbox, session_id, first)
    for (const action of ['pay', 'decline', 'cancel']) {
      const { status, json } = await act(sandbox, session_id, action)
      expect(status).toBe(409)
      expect(json).toMatchObject({
        code: 'conflict',
        state,
        actions: [],
      })
      const [refusal, reason] = json.detail.split(/; (.*)/)
      expect(refusal).toBe(`${action} is not possible in state ${state}`)
      expect(reason).toMatch(ended)
    }
  })

  it('says why a domain cannot be sold now, and that the session allows as much as before', async () => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox)
    await sandbox.call({ as: 'other-partner', path: '/quotes', body: { domain: session.domain } })
    const { status, json } = await act(sandbox, session.session_id, 'pay')
    expect(status).toBe(409)
    expect(json).toMatchObject({
      code: 'conflict',
      state: 'open',
      actions: ['pay', 'decline', 'cancel'],
      detail: `${session.domain} is reserved by another partner's quote`,
    })
  })

  it('loses the race for taken-N.test to a quote that stays', async () => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox, { domain: 'taken-7.test' })
    for (let i = 0; i < 2; i++) expect((await act(sandbox, session.session_id, 'pay')).status).toBe(409)
    const { json } = await sandbox.call({ path: '/availability?domain=taken-7.test' })
    expect(json.available).toBe(false)
    expect((await sandbox.operate('GET', '/v1/worlds/default/clock')).json.pending).toBe(2)
  })

  it('allows nothing once its time is over', async () => {
    const sandbox = await startSandbox({ frozen: true, clockMs: Date.UTC(2026, 0, 15, 12) })
    const { session_id } = await openSession(sandbox)
    await sandbox.operate('POST', '/v1/worlds/default/clock/advance', { by: '8d' })
    const { status, json } = await act(sandbox, session_id, 'pay')
    expect([status, json.state, json.actions]).toEqual([409, 'expired', []])
  })

  it('is refused with strict words: unknown members, unknown sessions', async () => {
    const sandbox = await startSandbox()
    const { session_id } = await openSession(sandbox)
    const unknown = await act(sandbox, session_id, 'pay', { price_cents: 1 })
    expect([unknown.status, unknown.json.detail]).toEqual([400, 'unknown field price_cents'])
    expect((await act(sandbox, session_id, 'pay', { buyer: { email: 'x' } })).status).toBe(400)
    expect((await act(sandbox, 'cs_0000000000000000', 'pay')).status).toBe(404)
    expect((await act(sandbox, session_id, 'refund')).status).toBe(404)
  })
})

describe('the list of checkout sessions', () => {
  it('shows all partners’ sessions newest first, page by page, and by filter', async () => {
    const sandbox = await startSandbox()
    const sessions = []
    for (let i = 0; i < 3; i++) sessions.push(await openSession(sandbox))
    const [first, second, third] = sessions
    await submit(second!.checkout_url, payment(second!))
    const list = async (query: string) => {
      const { json } = await sandbox.operate('GET', `${SESSIONS}${query}`)
      return json.checkout_sessions.map((session: { session_id: string }) => session.session_id)
    }
    expect(await list('')).toEqual([third, second, first].map((session) => session!.session_id))
    expect(await list('?status=paid')).toEqual([second!.session_id])
    expect(await list(`?domain=${first!.domain.toUpperCase()}`)).toEqual([first!.session_id])
    expect(await list('?partner_id=ptr_somebody')).toEqual([])
    const { json: page } = await sandbox.operate('GET', `${SESSIONS}?limit=2`)
    expect(page.next_cursor).toBe(second!.session_id)
    expect(await list(`?limit=2&cursor=${page.next_cursor}`)).toEqual([first!.session_id])
    expect((await sandbox.operate('GET', `${SESSIONS}?cursor=cs_0`)).status).toBe(400)
  })

  it('shows one session with its page’s address, its buyer and its order', async () => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox)
    const { json } = await sandbox.operate('GET', `${SESSIONS}/${session.session_id}`)
    expect(json).toMatchObject({ ...session, buyer: null, link_id: null, public_id: null, pays_at: null })
    expect((await sandbox.operate('GET', `${SESSIONS}/cs_0`)).status).toBe(404)
  })
})
