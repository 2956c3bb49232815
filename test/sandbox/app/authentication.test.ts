import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startSandbox } from '../../support/sandbox.ts'

const READ = '/availability?domain=stalls-1.test'

test('accepts a sound call for every verb that is served', async () => {
  const sandbox = await startSandbox()
  expect((await sandbox.call({ path: READ })).status).toBe(200)
  expect((await sandbox.call({ path: '/quotes', body: { domain: 'stalls-1.test' } })).status).toBe(201)
})

test('without a key id answers missing_credentials, whatever else is there', async () => {
  const sandbox = await startSandbox()
  const { status, json } = await sandbox.call({
    path: READ,
    after: ({ headers }) => delete headers['X-Partner-Key-Id'],
  })
  expect([status, json.code]).toEqual([401, 'missing_credentials'])
})

test.for(['X-Partner-Timestamp', 'X-Partner-Nonce', 'X-Partner-Signature'])(
  'without %s answers missing_signature_headers',
  async (name) => {
    const sandbox = await startSandbox()
    const { status, json } = await sandbox.call({ path: READ, after: ({ headers }) => delete headers[name] })
    expect([status, json.code, json.message]).toEqual([
      401,
      'missing_signature_headers',
      `the header ${name} is missing`,
    ])
  },
)

test('a revoked credential and an unknown one are refused in the very same words', async () => {
  const sandbox = await startSandbox()
  const revoked = await sandbox.call({ path: READ, as: 'revoked' })
  const unknown = await sandbox.call({
    path: READ,
    after: ({ headers }) => Object.assign(headers, { 'X-Partner-Key-Id': 'pk_live_unknown' }),
  })
  expect(revoked.json).toEqual({ ...unknown.json, request_id: revoked.json.request_id })
  expect([revoked.status, revoked.json.code]).toEqual([401, 'invalid_signature'])
})

test('a body changed by one space after signing is refused with invalid_signature', async () => {
  const sandbox = await startSandbox()
  const { status, json } = await sandbox.call({
    path: '/quotes',
    body: '{"domain":"stalls-1.test"}',
    after: (sent) => {
      sent.body = Buffer.from('{"domain": "stalls-1.test"}')
    },
  })
  expect([status, json.code]).toEqual([401, 'invalid_signature'])
})

test('the very same call twice is replay_detected the second time, and so is its nonce in another call', async () => {
  const sandbox = await startSandbox()
  const nonce = randomUUID()
  expect((await sandbox.call({ path: READ, nonce })).status).toBe(200)
  const again = await sandbox.call({ path: READ, nonce })
  const elsewhere = await sandbox.call({ path: '/pricing?domain=stalls-1.test', nonce })
  expect([again.status, again.json.code]).toEqual([401, 'replay_detected'])
  expect(elsewhere.json.code).toBe('replay_detected')
})

test('a call refused before the nonce step leaves its nonce unused; one refused after it has used it up', async () => {
  const sandbox = await startSandbox()
  const nonce = randomUUID()
  const badly = await sandbox.call({ path: READ, nonce, signs: { secret: 'sk_sandbox_wrong' } })
  expect(badly.json.code).toBe('invalid_signature')
  expect((await sandbox.call({ path: READ, nonce })).status).toBe(200)
  const late = randomUUID()
  expect((await sandbox.call({ path: READ, as: 'no-scope', nonce: late })).json.code).toBe('forbidden')
  expect((await sandbox.call({ path: READ, as: 'no-scope', nonce: late })).json.code).toBe('replay_detected')
})

test('two credentials may use the same nonce, and letter case tells nonces apart', async () => {
  const sandbox = await startSandbox()
  expect((await sandbox.call({ path: READ, nonce: 'abc' })).status).toBe(200)
  expect((await sandbox.call({ path: READ, nonce: 'abC' })).status).toBe(200)
  expect((await sandbox.call({ path: READ, nonce: 'abc', as: 'other-partner' })).status).toBe(200)
})

test('of 16 identical signed calls sent at once exactly one is accepted, 20 times over', async () => {
  const sandbox = await startSandbox()
  for (let round = 0; round < 20; round++) {
    const nonce = randomUUID()
    const answers = await Promise.all(Array.from({ length: 16 }, () => sandbox.call({ path: READ, nonce })))
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
    expect(answers.filter((answer) => answer.json.code === 'replay_detected')).toHaveLength(15)
  }
})

test('a timestamp 300 seconds off is accepted on either side and 301 is invalid_timestamp', async () => {
  const nowMs = Date.UTC(2026, 5, 1)
  const sandbox = await startSandbox({ wall: { nowMs: () => nowMs, monotonicMs: () => 0 } })
  const at = (offset: number) => sandbox.call({ path: READ, timestamp: String(nowMs / 1000 + offset) })
  expect((await at(-300)).status).toBe(200)
  expect((await at(300)).status).toBe(200)
  const old = await at(-301)
  expect([old.status, old.json.code, old.json.message]).toEqual([
    401,
    'invalid_timestamp',
    "the timestamp is 301 seconds behind the server's time, and 300 are allowed",
  ])
  expect((await at(301)).json.code).toBe('invalid_timestamp')
})

test('milliseconds are named as such', async () => {
  const sandbox = await startSandbox()
  const { json } = await sandbox.call({ path: READ, timestamp: String(Date.now()) })
  expect(json.code).toBe('invalid_timestamp')
  expect(json.message).toMatch(/it looks like milliseconds$/)
})

test('moving the world’s clock breaks no signature', async () => {
  const sandbox = await startSandbox({ frozen: true, clockMs: Date.UTC(2030, 0, 1) })
  expect((await sandbox.call({ path: READ })).status).toBe(200)
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

test('every credential of one scope opens what its scope grants and nothing else', async () => {
  const sandbox = await startSandbox()
  const reads = {
    '/domains/search?q=solar': ['search'],
    '/domains/stalls-1.test': ['search'],
    '/availability?domain=stalls-1.test': ['search'],
    '/pricing?domain=stalls-1.test': ['search'],
    '/orders': ['search', 'buy'],
    '/events': ['webhook'],
  }
  for (const [path, scopes] of Object.entries(reads)) {
    for (const scope of ['search', 'embed', 'buy', 'broker', 'refer', 'report', 'webhook']) {
      const { status, json } = await sandbox.call({ path, as: `only-${scope}` })
      const expected = scopes.includes(scope) ? 200 : 403
      expect([path, scope, status]).toEqual([path, scope, expected])
      if (expected === 403) expect(json.code).toBe('forbidden')
    }
  }
})

test('a partner that is not merchant of record may quote but is sent to hosted checkout for a sale', async () => {
  const sandbox = await startSandbox()
  expect((await sandbox.call({ path: '/quotes', body: { domain: 'stalls-9.test' }, as: 'not-merchant' })).status).toBe(
    201,
  )
  const sale = await sandbox.sell({ as: 'not-merchant' })
  expect([sale.status, sale.json.code]).toEqual([403, 'forbidden'])
  expect(sale.json.message).toMatch(/hosted checkout/)
})
