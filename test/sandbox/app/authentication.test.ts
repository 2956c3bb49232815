import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { sandboxOfFile, startSandbox } from '../../support/sandbox.ts'

const READ = '/availability?domain=stalls-1.test'
const shared = sandboxOfFile()

test.for([
  ['X-Partner-Key-Id', 'missing_credentials'],
  ['X-Partner-Timestamp', 'missing_signature_headers'],
  ['X-Partner-Nonce', 'missing_signature_headers'],
  ['X-Partner-Signature', 'missing_signature_headers'],
] as const)('without %s a call is refused with %s, and told the name of the header', async ([name, code]) => {
  const { status, json } = await shared.call({ path: READ, after: ({ headers }) => delete headers[name] })
  expect([status, json.code, json.message]).toEqual([401, code, `the header ${name} is missing`])
})

test('a revoked credential and an unknown one are refused in the very same words', async () => {
  const revoked = await shared.call({ path: READ, as: 'revoked' })
  const unknown = await shared.call({ path: READ, headers: { 'X-Partner-Key-Id': 'pk_live_unknown' } })
  expect(revoked.json).toEqual({ ...unknown.json, request_id: revoked.json.request_id })
  expect([revoked.status, revoked.json.code]).toEqual([401, 'invalid_signature'])
})

test('a call that is refused for its scope has used up its nonce', async () => {
  const call = { path: READ, as: 'no-scope', nonce: randomUUID() }
  expect((await shared.call(call)).json.code).toBe('forbidden')
  expect((await shared.call(call)).json.code).toBe('replay_detected')
})

test('of 16 identical signed calls sent at once exactly one is accepted, 20 times over', async () => {
  for (let round = 0; round < 20; round++) {
    const nonce = randomUUID()
    const answers = await Promise.all(Array.from({ length: 16 }, () => shared.call({ path: READ, nonce })))
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
    expect(answers.filter((answer) => answer.json.code === 'replay_detected')).toHaveLength(15)
  }
})

test('a timestamp 300 seconds off is accepted on either side, one that is further off is refused in words', async () => {
  const nowMs = Date.UTC(2026, 5, 1)
  const sandbox = await startSandbox({ wall: { nowMs: () => nowMs, monotonicMs: () => 0 } })
  const at = (timestamp: number) => sandbox.call({ path: READ, timestamp: String(timestamp) })
  const now = nowMs / 1000
  expect([(await at(now - 300)).status, (await at(now + 300)).status]).toEqual([200, 200])
  for (const [timestamp, message] of [
    [now - 301, /^the timestamp is 301 seconds behind the server's time, and 300 are allowed$/],
    [now + 301, /./],
    [nowMs, /it looks like milliseconds$/],
  ] as const) {
    const { status, json } = await at(timestamp)
    expect([status, json]).toEqual([
      401,
      expect.objectContaining({ code: 'invalid_timestamp', message: expect.stringMatching(message) }),
    ])
  }
})

test('the rate limit is answered 429 with Retry-After in whole seconds, per credential', async () => {
  let nowMs = Date.UTC(2026, 5, 1)
  const wall = { nowMs: () => nowMs, monotonicMs: () => nowMs }
  const sandbox = await startSandbox({ rateLimit: { requests: 2, seconds: 10 }, wall })
  const call = (as: string) => sandbox.call({ path: READ, as, timestamp: String(Math.floor(nowMs / 1000)) })
  expect([(await call('main')).status, (await call('main')).status]).toEqual([200, 200])
  const refused = await call('main')
  expect([refused.status, refused.json.code, refused.headers['retry-after']]).toEqual([429, 'rate_limited', '10'])
  expect((await call('other-partner')).status).toBe(200)
  nowMs += 10_000
  expect((await call('main')).status).toBe(200)
})

test('a partner that is not merchant of record is told of hosted checkout', async () => {
  expect((await shared.sell({ as: 'not-merchant' })).json.message).toMatch(/hosted checkout/)
})
