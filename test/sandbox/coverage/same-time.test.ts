import { expect, it } from 'vitest'
import { Retries } from '../../../src/sandbox/coverage/retries.ts'
import { newCall } from '../../../src/sandbox/wire/call.ts'

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
  const wall = { nowMs: () => at.answeredMs, monotonicMs: () => at.answeredMs }
  return retries.follow(call, answer, { setback: 'rate_limited', tookMs: at.answeredMs - at.arrivedMs, wall })
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
