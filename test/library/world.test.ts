import { describe, expect, it } from 'vitest'
import {
  type BrokerageCase,
  type CheckoutOutcome,
  type CoverageRow,
  SandboxRefusal,
  type WorldFacts,
} from '../../src/index.ts'
import { buy, openSandbox, shareSandbox } from './support.ts'

const openWorld = shareSandbox()

describe('orders', () => {
  it('go from the sale to the payout', async () => {
    const world = await openWorld()
    const publicId = await buy(world, 'stalls-1.test')
    await world.orders.hold(publicId, { reason: 'looks odd' })
    await world.orders.clear(publicId)
    await world.orders.startTransfer(publicId)
    expect((await world.orders.completeTransfer(publicId)).steps).toEqual(['refund'])
    const { settled, statements } = await world.settle()
    expect(settled.map(({ public_id }) => public_id)).toEqual([publicId])
    expect(statements.map(({ order_count }) => order_count)).toEqual([1, 0])
    expect((await world.payout()).payouts).toEqual([])
    const { status, timeline } = await world.orders.show(publicId)
    expect([status, timeline[1]?.note]).toEqual(['SETTLED', 'looks odd'])
    expect(await world.audit()).toMatchObject({ balanced: true, differences: [] })
  })

  it('refuse a step that their state does not allow, with those that it does', async () => {
    const world = await openWorld()
    const publicId = await buy(world, 'stalls-1.test')
    const refusal = await world.orders.clear(publicId).catch((error) => error)
    expect(refusal).toBeInstanceOf(SandboxRefusal)
    expect(refusal).toMatchObject({ status: 409, members: { state: 'EXTERNALLY_PAID' } })
    expect(refusal.members.steps).toContain('start-transfer')
  })

  it('are listed by the page, or whole', async () => {
    const world = await openWorld()
    for (const n of [1, 2, 3]) await buy(world, `stalls-${n}.test`)
    const page = await world.orders.list({ limit: 2, status: 'EXTERNALLY_PAID' })
    expect(page.orders).toHaveLength(2)
    const rest = await world.orders.list({ limit: 2, cursor: String(page.next_cursor) })
    expect(rest.next_cursor).toBeNull()
    const all = await world.orders.all()
    expect(all.map(({ domain }) => domain)).toEqual(['stalls-3.test', 'stalls-2.test', 'stalls-1.test'])
    expect(await world.orders.all({ domain: 'stalls-2.test' })).toHaveLength(1)
    expect(await world.orders.all({ partnerId: world.credentials['other-partner'].partnerId })).toEqual([])
  })
})

describe('the clock', () => {
  it('stands, jumps and runs', async () => {
    const world = await openWorld({ clock: '2026-01-15T12:00:00Z' })
    expect(await world.clock.now()).toEqual(new Date('2026-01-15T12:00:00Z'))
    await world.call('POST', '/quotes', { domain: 'stalls-1.test' })
    const receipt = await world.clock.advance('10m30s')
    expect(receipt.happened.map(({ kind }) => kind)).toEqual(['quote.expired'])
    await world.clock.advance({ to: new Date('2026-01-15T13:00:00Z') })
    await world.clock.advance({ by: 'PT1H' })
    expect((await world.clock.advance({ until: 'idle' })).stopped).toBe(false)
    expect((await world.clock.set({ authClock: 'world' })).auth_clock).toBe('world')
    expect((await world.clock.run()).mode).toBe('running')
    expect((await world.clock.freeze()).mode).toBe('frozen')
    await expect(world.clock.advance('soon')).rejects.toThrow('by must be')
  })
})

describe('what else a world holds', () => {
  it('domains can be made, changed and removed', async () => {
    const world = await openWorld()
    await world.domains.create({ domain: 'mine.test', priceCents: 500, topics: ['tea'] })
    expect(await world.domains.set('mine.test', { floorPriceCents: 400, liveSite: true })).toMatchObject({
      price_cents: 500,
      floor_price_cents: 400,
      live_site: true,
      topics: ['tea'],
    })
    expect((await world.domains.list({ q: 'mine' })).domains).toHaveLength(1)
    expect(await world.domains.import('domain,price_cents\none.test,1000\ntwo.test,2000\n')).toBe(2)
    await expect(world.domains.import('domain,price_cents\none.test,1\n')).rejects.toMatchObject({ status: 409 })
    await world.domains.delete('mine.test')
    await expect(world.domains.show('mine.test')).rejects.toMatchObject({ status: 404 })
  })

  it('cases can be closed with a deal', async () => {
    const world = await openWorld()
    const wanted = { tier: 'managed', buyer_email: 'ada@example.test', budget: 900_000, domain: 'stalls-4.test' }
    const { json } = await world.call<{ case_id: string }>('POST', '/brokerage', wanted)
    await world.cases.negotiate(json.case_id)
    const closed: BrokerageCase = await world.cases.closeDeal(json.case_id, { priceCents: 800_000 })
    expect(closed).toMatchObject({ status: 'DEAL_CLOSED', deal_price_cents: 800_000 })
    expect((await world.waitFor('brokerage.case_completed')).data.case.case_id).toBe(json.case_id)
    expect(await world.cases.all({ status: 'DEAL_CLOSED' })).toHaveLength(1)
  })

  it('checkout sessions can be paid, declined and cancelled', async () => {
    const world = await openWorld()
    const open = async (domain: string) => {
      const body = { domain, return_url: 'https://shop.test/done', cancel_url: 'https://shop.test/no' }
      return (await world.call<{ session_id: string }>('POST', '/checkout-session', body)).json.session_id
    }
    const [first, second] = [await open('stalls-5.test'), await open('stalls-6.test')]
    expect((await world.checkout.decline(first)).outcome).toBe('declined')
    const paid: CheckoutOutcome = await world.checkout.pay(first, { email: 'ada@example.test', country: 'FR' })
    expect(paid).toMatchObject({ outcome: 'paid', buyer: { email: 'ada@example.test', country: 'FR' } })
    expect((await world.orders.show(String(paid.public_id))).payment_model).toBe('hosted_checkout')
    expect((await world.checkout.cancel(second)).status).toBe('cancelled')
    expect(await world.checkout.all({ status: 'paid' })).toHaveLength(1)
  })

  it('a reset takes it back to its seed, and deleting it ends it', async () => {
    const sandbox = await openSandbox()
    const world = await sandbox.createWorld()
    await buy(world, 'stalls-1.test')
    await world.reset()
    expect(await world.orders.all()).toEqual([])
    expect((await world.call('GET', '/orders')).status).toBe(200)
    await world[Symbol.asyncDispose]()
    await expect(world.show()).rejects.toMatchObject({ status: 404 })
  })
})

it('a world that was deleted may be disposed of', async () => {
  const world = await openWorld()
  await world.delete()
  await world[Symbol.asyncDispose]()
  await expect(world.delete()).rejects.toThrow('no such world: "')
})

describe('credentials', () => {
  it('can be made, changed, renewed and deleted', async () => {
    const world = await openWorld()
    const made = await world.access.create({ name: 'reader', scopes: ['search'], partner: 'new' })
    expect(made.partnerId).not.toBe(world.credentials.main.partnerId)
    const ask = () => world.as('reader').call('GET', '/domains/search?q=tea')
    expect((await ask()).status).toBe(200)
    const { secret } = await world.access.rotate('reader')
    expect([secret === made.secret, (await ask()).status]).toEqual([false, 200])
    await world.access.change('reader', { scopes: ['buy'] })
    expect((await ask()).status).toBe(403)
    await world.access.change('reader', { revoked: true })
    expect((await ask()).status).toBe(401)
    await world.access.delete('reader')
    expect(() => world.as('reader')).toThrow('has no credential reader')
    await expect(world.access.rotate('reader')).rejects.toThrow('no such credential: reader')
  })
})

describe('faults', () => {
  it('act on what they match, so often, and are counted', async () => {
    const world = await openWorld()
    const fault = await world.faults.add({
      match: { endpoint: 'orders.list', credential: 'main' },
      effect: { code: 'rate_limited', retryAfter: 3 },
      times: 2,
    })
    const refused = await world.call('GET', '/orders')
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '3'])
    expect((await world.requests.show(refused.requestId)).fault).toBe(fault.id)
    expect((await world.as('only-search').call('GET', '/orders')).status).toBe(200)
    expect(await world.faults.list()).toMatchObject([{ id: fault.id, hits: 1, left: 1 }])
    await world.faults.remove(fault.id)
    expect((await world.call('GET', '/orders')).status).toBe(200)
  })

  it('lose an answer, or garble it, until they are cleared', async () => {
    const world = await openWorld()
    await world.faults.add({ effect: { drop: 'before-commit' } })
    await expect(world.call('GET', '/orders')).rejects.toThrow(/socket hang up|ECONNRESET/)
    await world.faults.add({ effect: { garbage: 'not-json' }, times: null })
    expect((await world.call('GET', '/orders')).json).toBeUndefined()
    await world.faults.clear()
    expect((await world.call('GET', '/orders')).status).toBe(200)
    await expect(world.faults.add({ effect: { delayMs: 0 } })).rejects.toThrow('delay_ms')
  })
})

describe('a snapshot', () => {
  it('takes the world back, and is a world of its own elsewhere', async () => {
    const world = await openWorld({ seed: 'kept' })
    const publicId = await buy(world, 'stalls-1.test')
    const snapshot = await world.snapshot()
    expect(Buffer.from(snapshot.subarray(0, 15)).toString()).toBe('SQLite format 3')
    await world.orders.cancel(publicId)
    await world.restore(snapshot)
    expect((await world.orders.show(publicId)).status).toBe('EXTERNALLY_PAID')
    expect((await world.call('GET', `/orders/${publicId}`)).status).toBe(200)

    const copy = await (await openSandbox()).importWorld(snapshot, 'copied')
    expect([copy.name, (await copy.show()).seed]).toEqual(['copied', 'kept'])
    expect(await copy.orders.all()).toHaveLength(1)
    await expect(world.restore(Buffer.from('no database'))).rejects.toMatchObject({ status: 400 })
  })

  it('is bytes: a promise of them is refused before anything is sent', async () => {
    const world = await openWorld()
    const promise = world.snapshot()
    await expect(world.restore(promise as never)).rejects.toThrow('is an await missing?')
    expect((await promise).length).toBeGreaterThan(0)
  })

  it('is what a fork starts from: two futures, and two sets of keys', async () => {
    const world = await openWorld()
    const publicId = await buy(world, 'stalls-1.test')
    const fork = await world.fork()
    expect(fork.credentials.main.keyId).not.toBe(world.credentials.main.keyId)
    await fork.orders.refund(publicId)
    await world.orders.startTransfer(publicId)
    const statuses = await Promise.all([world, fork].map(async ({ orders }) => (await orders.show(publicId)).status))
    expect(statuses).toEqual(['TRANSFER_IN_PROGRESS', 'REFUNDED'])
    expect((await fork.call('GET', `/orders/${publicId}`)).json['status']).toBe('REFUNDED')
  })
})

describe('what a client has met', () => {
  it('is counted, and can be read as a sheet', async () => {
    const world = await openWorld()
    await buy(world, 'stalls-1.test')
    const { summary, sections } = await world.coverage()
    expect(summary.met).toBeGreaterThan(0)
    const rows: CoverageRow[] = sections.flatMap(({ rows }) => rows)
    expect(rows.filter(({ state }) => state === 'met')).toHaveLength(summary.met)
    expect(await world.coverageSheet()).toMatch(/^<!doctype html>/i)
  })
})

describe('settings', () => {
  it('can be changed on a living world', async () => {
    const world = await openWorld({ gaps: { 'replay-status': 409 } })
    const { gaps }: WorldFacts = await world.show()
    expect(gaps).toEqual({ 'replay-status': 409 })
    expect((await world.setProgress({ settleEvery: '7d' })).settle_every).toBe('7d')
    expect((await world.setRules({ review: { buyerCountries: ['DE'] } })).review.buyer_countries).toEqual(['DE'])
    await world.setRateLimit({ requests: 1, seconds: 60 })
    expect((await world.call('GET', '/orders')).status).toBe(200)
    expect((await world.call('GET', '/orders')).status).toBe(429)
    await world.setRateLimit(null)
    expect((await world.call('GET', '/orders')).status).toBe(200)
    expect((await world.call('GET', '/orders', undefined, { nonce: 'two words' })).json).not.toHaveProperty('hint')
    await world.setHints(true)
    expect((await world.call('GET', '/orders', undefined, { nonce: 'two words' })).json).toHaveProperty('hint')
  })
})

describe('signed calls', () => {
  it('are made as any member of the cast', async () => {
    const world = await openWorld()
    const publicId = await buy(world, 'stalls-1.test')
    const foreign = await world.as('other-partner').call('GET', `/orders/${publicId}`)
    expect([foreign.status, foreign.json['code']]).toEqual([404, 'not_found'])
    expect(() => world.as('nobody')).toThrow('has no credential nobody; it has main, other-partner,')
  })

  it('send texts as they are, headers and nonces as told, and full paths', async () => {
    const world = await openWorld()
    expect((await world.call('POST', '/quotes', '{"domain":')).status).toBe(400)
    const nonce = crypto.randomUUID()
    await world.call('GET', '/orders', undefined, { nonce })
    expect((await world.call('GET', '/orders', undefined, { nonce })).json['code']).toBe('replay_detected')
    const old = await world.call('GET', '/orders', undefined, { timestampSeconds: 1 })
    expect(old.json['code']).toBe('invalid_timestamp')
    const hooks = { url: 'http://127.0.0.1:9/hooks', secret: 'a-secret-of-sixteen' }
    expect((await world.call('PUT', '/api/partner/webhooks', hooks)).status).toBe(200)
    expect((await world.requests.show(old.requestId)).checks.find(({ verdict }) => verdict === 'refused')).toEqual({
      check: 'timestamp',
      verdict: 'refused',
    })
  })

  it('reject where the connection is lost', async () => {
    const world = await openWorld()
    await expect(buy(world, 'lost-reply-1.test')).rejects.toThrow(/socket hang up|ECONNRESET/)
    expect(await world.orders.all()).toHaveLength(1)
  })
})
