import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { wallClock } from '../../../src/clock/wall-clock.ts'
import { Retries } from '../../../src/sandbox/coverage/retries.ts'
import { newCall } from '../../../src/sandbox/wire/call.ts'
import { rowIn, type ShownRow } from '../../support/coverage.ts'
import { startSandbox, type TestAnswer, type TestCall, type TestSandbox } from '../../support/sandbox.ts'

const FROZEN = { inventory: 0, frozen: true, clockMs: Date.parse('2026-03-01T00:00:00.000Z') }

const standing = (sandbox: TestSandbox, setback: string): Promise<ShownRow> => rowIn(sandbox, 'retries', setback)

/** An order of a magic domain, ready to be sent as often as a test likes. */
async function orderOf(sandbox: TestSandbox, domain: string): Promise<TestCall> {
  const { json } = await sandbox.call({ path: `/availability?domain=${domain}` })
  const { price_cents, currency } = json
  const body = { domain, expected_price: price_cents, currency, buyer: { email: 'buyer@example.test' } }
  return { path: '/orders', body, key: randomUUID() }
}

/** A call whose answer may be lost. */
const attempt = (sandbox: TestSandbox, call: TestCall): Promise<TestAnswer | null> =>
  sandbox.call(call).catch(() => null)

async function fault(sandbox: TestSandbox, endpoint: string, effect: object, times = 1): Promise<void> {
  const { status } = await sandbox.operate('POST', '/v1/worlds/default/faults', { match: { endpoint }, effect, times })
  expect(status).toBe(201)
}

describe('after rate_limited', () => {
  const LIMITED = { path: '/pricing?domain=rate-limited-1.test' }

  it('a retry is right that waited as long as Retry-After says', async () => {
    let aheadMs = 0
    const wall = {
      nowMs: () => wallClock.nowMs() + aheadMs,
      monotonicMs: () => wallClock.monotonicMs() + aheadMs,
    }
    const sandbox = await startSandbox({ ...FROZEN, wall })
    await sandbox.call(LIMITED)
    expect(await standing(sandbox, 'rate_limited')).toMatchObject({
      state: 'partly',
      says: expect.stringMatching(/not retried/),
    })
    aheadMs = 1_000
    await sandbox.call(LIMITED)
    expect(await standing(sandbox, 'rate_limited')).toMatchObject({ state: 'met', count: 1 })
  })

  it('a retry that came earlier is wrong, and named with its request', async () => {
    const sandbox = await startSandbox(FROZEN)
    await sandbox.call(LIMITED)
    const { headers } = await sandbox.call(LIMITED)
    const row = await standing(sandbox, 'rate_limited')
    expect(row).toMatchObject({ state: 'wrong', count: 0, request_id: headers['x-request-id'] })
    expect(row.says).toMatch(/^once wrong, never right; last mistake: it came after \d+ ms, but Retry-After said 1 s$/)
    expect(row.hint).toContain(`request show ${headers['x-request-id']}`)
  })

  it('other calls meanwhile are no retries', async () => {
    const sandbox = await startSandbox(FROZEN)
    await sandbox.call(LIMITED)
    await sandbox.call({ path: '/pricing?domain=stalls-1.test' })
    await sandbox.call({ ...LIMITED, as: 'other-partner' })
    expect((await standing(sandbox, 'rate_limited')).state).toBe('partly')
  })
})

describe('after an answer that was lost', () => {
  it('a retry under the same key with the same bytes and a fresh nonce is right', async () => {
    const sandbox = await startSandbox(FROZEN)
    const order = await orderOf(sandbox, 'lost-reply-1.test')
    expect(await attempt(sandbox, order)).toBeNull()
    expect((await standing(sandbox, 'lost_reply')).state).toBe('not_met')
    expect((await rowIn(sandbox, 'endpoints', 'orders.create')).state).toBe('partly')
    expect((await sandbox.call(order)).headers['idempotent-replayed']).toBe('true')
    expect(await standing(sandbox, 'lost_reply')).toMatchObject({ state: 'met', count: 1 })
  })

  it.each([
    ['another key', { key: 'another-key' }, 'the Idempotency-Key was different'],
    ['other bytes', { body: 'other' }, 'the body was different under the same Idempotency-Key'],
    ['the same nonce', {}, 'the nonce was reused'],
  ])('%s is wrong', async (_, change, says) => {
    const sandbox = await startSandbox(FROZEN)
    const order = { ...(await orderOf(sandbox, 'lost-reply-1.test')), nonce: randomUUID() }
    await attempt(sandbox, order)
    const nonce = Object.keys(change).length === 0 ? order.nonce : randomUUID()
    const body = 'body' in change ? { ...(order.body as object), external_payment_ref: 'x' } : order.body
    await sandbox.call({ ...order, ...change, nonce, body })
    expect(await standing(sandbox, 'lost_reply')).toMatchObject({
      state: 'wrong',
      says: `once wrong, never right; last mistake: ${says}`,
    })
  })

  it('a corrupted answer is as good as lost', async () => {
    const sandbox = await startSandbox(FROZEN)
    await fault(sandbox, 'orders.create', { garbage: true })
    const order = await orderOf(sandbox, 'stalls-7.test')
    await sandbox.call({ ...order, undocumented: true })
    await sandbox.call(order)
    expect((await standing(sandbox, 'lost_reply')).state).toBe('met')
  })

  it.each(['before-commit', 'after-commit'])('a connection dropped %s by a fault counts', async (drop) => {
    const sandbox = await startSandbox(FROZEN)
    await fault(sandbox, 'quotes.create', { drop })
    const quote = { path: '/quotes', body: { domain: 'stalls-8.test' } }
    expect(await attempt(sandbox, quote)).toBeNull()
    await sandbox.call(quote)
    expect((await standing(sandbox, 'lost_reply')).state).toBe('met')
  })
})

describe('after internal_error', () => {
  it('the same order again is right, under another key it is wrong', async () => {
    const sandbox = await startSandbox(FROZEN)
    await fault(sandbox, 'orders.create', { status: 500, code: 'internal_error' }, 2)
    const order = await orderOf(sandbox, 'stalls-9.test')
    await sandbox.call(order)
    await sandbox.call(order)
    expect(await standing(sandbox, 'internal_error')).toMatchObject({ state: 'met', count: 1 })
    await sandbox.call({ ...order, key: 'fresh-key' })
    expect(await standing(sandbox, 'internal_error')).toMatchObject({ state: 'wrong', count: 1 })
  })
})

describe('after replay_detected and invalid_timestamp', () => {
  it('a fresh nonce is right, the same again is wrong', async () => {
    const sandbox = await startSandbox(FROZEN)
    const nonce = randomUUID()
    for (const one of [nonce, nonce, randomUUID()]) await sandbox.call({ path: '/orders', nonce: one })
    expect(await standing(sandbox, 'replay_detected')).toMatchObject({ state: 'met', count: 1 })
    for (const one of [nonce, nonce]) await sandbox.call({ path: '/orders', nonce: one })
    expect((await standing(sandbox, 'replay_detected')).says).toMatch(/the nonce was reused$/)
  })

  it('the right time is right, another wrong one is wrong', async () => {
    const sandbox = await startSandbox(FROZEN)
    await sandbox.call({ path: '/orders', timestamp: '1000' })
    await sandbox.call({ path: '/orders' })
    expect(await standing(sandbox, 'invalid_timestamp')).toMatchObject({ state: 'met', count: 1 })
    for (const timestamp of ['1000', '2000']) await sandbox.call({ path: '/orders', timestamp })
    expect((await standing(sandbox, 'invalid_timestamp')).says).toMatch(/the timestamp was wrong again$/)
  })
})

describe('after a refusal that is final', () => {
  const WRONG_BODY = { path: '/quotes', body: { domain: 5 } }

  it('doing something else is right, the same again is wrong', async () => {
    const sandbox = await startSandbox(FROZEN)
    await sandbox.call(WRONG_BODY)
    await sandbox.call({ path: '/quotes', body: { domain: 'stalls-1.test' } })
    expect(await standing(sandbox, 'validation_error')).toMatchObject({
      state: 'met',
      says: 'never retried unchanged',
    })
    await sandbox.call(WRONG_BODY)
    await sandbox.call(WRONG_BODY)
    expect(await standing(sandbox, 'validation_error')).toMatchObject({
      state: 'wrong',
      says: expect.stringMatching(/^2 times wrong, .*the same call was retried unchanged and refused again$/),
    })
  })

  it('a conflict is got out of by another key, not by the same body again', async () => {
    const sandbox = await startSandbox(FROZEN)
    const order = await orderOf(sandbox, 'stalls-3.test')
    await sandbox.call(order)
    const other = { ...(await orderOf(sandbox, 'stalls-4.test')), key: order.key as string }
    expect((await sandbox.call(other)).status).toBe(409)
    await sandbox.call({ ...other, key: 'a-key-of-its-own' })
    expect(await standing(sandbox, 'conflict')).toMatchObject({ state: 'met' })
    const third = { ...(await orderOf(sandbox, 'stalls-5.test')), key: order.key as string }
    await sandbox.call(third)
    await sandbox.call(third)
    expect((await standing(sandbox, 'conflict')).state).toBe('wrong')
  })

  it('what worked the second time was no blind repeat, and a read may be asked again', async () => {
    const sandbox = await startSandbox(FROZEN)
    const early = { path: '/pricing?domain=later.test' }
    await sandbox.call(early)
    await sandbox.call(early)
    await sandbox.operate('POST', '/v1/worlds/default/domains', { domain: 'later.test', price_cents: 1_000 })
    expect((await sandbox.call(early)).status).toBe(200)
    expect((await standing(sandbox, 'not_found')).state).toBe('met')
  })
})

/** A read that arrives and is refused for its rate at these instants, in milliseconds. */
function refusedRead(retries: Retries, at: { arrivedMs: number; answeredMs: number }) {
  const call = newCall({
    id: 'req_1',
    receivedAtMs: Math.floor(at.arrivedMs),
    method: 'GET',
    target: '/api/partner/v1/orders',
    rawHeaders: ['X-Partner-Key-Id', 'pk_sandbox_1', 'X-Partner-Nonce', String(at.arrivedMs)],
    body: new Uint8Array(0),
    endpoint: 'orders.list',
    params: {},
  })
  const answer = { status: 429, headers: { 'Retry-After': '1' }, body: '{}' }
  const finished = { call, answer, worldTimeMs: 0, tookMs: at.answeredMs - at.arrivedMs }
  return retries.follow(finished, 'rate_limited', at.answeredMs)
}

it('what arrived before the refusal had left is no retry of it, in whichever order the answers leave', () => {
  const retries = new Retries()
  expect(refusedRead(retries, { arrivedMs: 100.1, answeredMs: 100.5 })).toBeNull()
  expect(refusedRead(retries, { arrivedMs: 100.4, answeredMs: 100.9 })).toBeNull()
  expect(refusedRead(retries, { arrivedMs: 100.2, answeredMs: 101.3 })).toBeNull()
  expect(refusedRead(retries, { arrivedMs: 100.6, answeredMs: 101.6 })?.wrong).toMatch(/^it came after /)
  expect(refusedRead(retries, { arrivedMs: 1_200, answeredMs: 1_201 })).toEqual({ after: 'rate_limited', wrong: null })
})

it('what comes long after is no retry any more', () => {
  const retries = new Retries()
  refusedRead(retries, { arrivedMs: 100, answeredMs: 101 })
  expect(refusedRead(retries, { arrivedMs: 700_000, answeredMs: 700_001 })).toBeNull()
})
