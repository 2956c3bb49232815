import { createHash, createHmac, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { observed } from '../../../support/gap-values.ts'
import { startSandbox, type TestAnswer, type TestSandbox } from '../../../support/sandbox.ts'

const READ = '/availability?domain=nobody.test'
const WORLD = '/v1/worlds/default'

const told = ({ status, json }: TestAnswer) => `${status} ${json.code ?? 'accepted'}`
const now = () => Math.floor(Date.now() / 1_000)

/** A read that is valid but for a second nonce, before its own one or after it. */
function withTwoNonces(sandbox: TestSandbox, inOrder: (own: string, second: string) => string[]): Promise<TestAnswer> {
  return sandbox.call({
    path: READ,
    after: ({ headers }) => {
      // Node sends a line for each.
      Object.assign(headers, { 'X-Partner-Nonce': inOrder(headers['X-Partner-Nonce'] as string, 'another') })
    },
  })
}

describe('statuses that the document does not give', () => {
  observed('missing-headers-status', { 401: 401, 400: 400, 403: 403 }, async (sandbox) => {
    const { status, json } = await sandbox.call({
      path: READ,
      after: ({ headers }) => {
        delete headers['X-Partner-Nonce']
      },
    })
    expect(json.code).toBe('missing_signature_headers')
    return status
  })

  observed('timestamp-status', { 401: 401, 400: 400, 403: 403 }, async (sandbox) => {
    return (await sandbox.call({ path: READ, timestamp: String(now() - 400) })).status
  })

  observed('replay-status', { 401: 401, 400: 400, 403: 403, 409: 409 }, async (sandbox) => {
    const nonce = randomUUID()
    await sandbox.call({ path: READ, nonce })
    return (await sandbox.call({ path: READ, nonce })).status
  })

  observed('missing-idempotency-key-status', { 400: 400, 422: 422, 428: 428 }, async (sandbox) => {
    return (await sandbox.call({ path: '/orders', body: { domain: 'stalls-1.test' } })).status
  })
})

describe('the order of the checks', () => {
  const usual = {
    'late and wrongly signed': '401 invalid_timestamp',
    'used nonce and no scope': '401 replay_detected',
    'nonce after a wrong signature': '200 accepted',
    'beyond the rate and wrongly signed': '401 invalid_signature',
  }
  observed(
    'check-order',
    {
      'timestamp, signature, nonce, rate limit, scope': usual,
      'signature, timestamp, nonce, rate limit, scope': {
        ...usual,
        'late and wrongly signed': '401 invalid_signature',
      },
      'timestamp, signature, scope, nonce, rate limit': { ...usual, 'used nonce and no scope': '403 forbidden' },
      'rate limit, timestamp, signature, nonce, scope': {
        ...usual,
        'beyond the rate and wrongly signed': '429 rate_limited',
      },
      'timestamp, nonce, signature, rate limit, scope': {
        ...usual,
        'nonce after a wrong signature': '401 replay_detected',
      },
    },
    async (sandbox) => {
      const wrong = { secret: 'sk_sandbox_wrong' }
      const nonces = [randomUUID(), randomUUID()] as const
      const late = await sandbox.call({ path: READ, timestamp: String(now() - 400), signs: wrong })
      const first = { path: READ, nonce: nonces[0] }
      await sandbox.call({ ...first, signs: wrong })
      const again = await sandbox.call(first)
      await sandbox.call({ path: READ, nonce: nonces[1], as: 'only-search' })
      const used = await sandbox.call({ path: '/transactions', nonce: nonces[1], as: 'only-search' })
      const limited = await sandbox.operate('PUT', `${WORLD}/rate-limit`, { requests: 1, seconds: 60 })
      expect(limited.status).toBe(200)
      await sandbox.call({ path: READ, as: 'other-partner' })
      const beyond = await sandbox.call({ path: READ, as: 'other-partner', signs: wrong })
      return {
        'late and wrongly signed': told(late),
        'used nonce and no scope': told(used),
        'nonce after a wrong signature': told(again),
        'beyond the rate and wrongly signed': told(beyond),
      }
    },
  )

  it('is what the request log shows', async () => {
    const order = 'signature, timestamp, nonce, rate limit, scope'
    const sandbox = await startSandbox({ inventory: 20, gaps: { 'check-order': order } })
    const { headers } = await sandbox.call({ path: READ, timestamp: String(now() - 400) })
    const { json } = await sandbox.operate('GET', `${WORLD}/requests/${headers['x-request-id']}`)
    const names = json.checks.map(({ check }: { check: string }) => check)
    expect(names.join(' ')).toBe('headers request key query signature timestamp nonce rate-limit scope')
    expect(json.checks[5]).toEqual({ check: 'timestamp', verdict: 'refused' })
  })

  observed(
    'idempotency-key-checked',
    { 'before the body': '400 missing_idempotency_key', 'after the body': '400 validation_error' },
    async (sandbox) => told(await sandbox.call({ path: '/orders', body: { domain: 17 } })),
  )
})

describe('a header that appears twice', () => {
  observed(
    'duplicate-header',
    {
      missing_signature_headers: ['401 missing_signature_headers', '401 missing_signature_headers'],
      invalid_signature: ['401 invalid_signature', '401 invalid_signature'],
      validation_error: ['400 validation_error', '400 validation_error'],
      'the first counts': ['200 accepted', '401 invalid_signature'],
      'the last counts': ['401 invalid_signature', '200 accepted'],
    },
    async (sandbox) => [
      told(await withTwoNonces(sandbox, (own, second) => [own, second])),
      told(await withTwoNonces(sandbox, (own, second) => [second, own])),
    ],
  )
})

describe('a call that is refused for its headers', () => {
  it('is refused as its own world does, and logged there', async () => {
    const sandbox = await startSandbox({ inventory: 20 })
    const made = await sandbox.operate('POST', '/v1/worlds', {
      name: 'strict',
      gaps: { 'missing-headers-status': 403 },
    })
    const { key_id: keyId } = made.json.credentials[0]
    const refused = await sandbox.call({
      path: READ,
      undocumented: true,
      after: (sent) => {
        sent.headers = { 'X-Partner-Key-Id': keyId }
      },
    })
    expect(told(refused)).toBe('403 missing_signature_headers')
    const { json } = await sandbox.operate('GET', '/v1/worlds/strict/requests')
    expect(json.requests.map((one: { request_id: string }) => one.request_id)).toEqual([
      refused.headers['x-request-id'],
    ])
  })
})

describe('the query', () => {
  observed('plus-sign', { 'a space': ['solar bike', 401], 'a plus sign': [401, 'solar+bike'] }, async (sandbox) => {
    const asked = async (signed: string) => {
      const target = (query: string) => `/api/partner/v1/domains/search?q=${query}`
      const { status, json } = await sandbox.call({ path: target('solar+bike'), signs: { target: target(signed) } })
      return status === 200 ? json.query : status
    }
    return [await asked('solar%20bike'), await asked('solar%2Bbike')]
  })

  observed(
    'malformed-escape',
    { validation_error: '400 validation_error', invalid_signature: '401 invalid_signature' },
    async (sandbox) =>
      told(
        await sandbox.call({
          path: READ,
          after: (sent) => {
            sent.target = '/api/partner/v1/availability?domain=%zz'
          },
        }),
      ),
  )

  observed('astral-sort', { 'code-point': [200, 401], 'utf-16': [401, 200] }, async (sandbox) => {
    const [private_, emoji] = ['%EF%BF%BD', '%F0%9F%98%80']
    const statusOf = async (canonical: string) => {
      const main = sandbox.credentials.find(({ name }) => name === 'main')
      const path = '/api/partner/v1/domains/search'
      const target = `${path}?q=bike&${emoji}=1&${private_}=1`
      const nonce = randomUUID()
      const timestamp = String(now())
      const empty = createHash('sha256').update('').digest('hex')
      const text = ['GET', path, canonical, timestamp, nonce, empty].join('\n')
      const signature = createHmac('sha256', main?.secret as string)
        .update(text)
        .digest('hex')
      const answer = await sandbox.call({
        path: target,
        nonce,
        timestamp,
        after: ({ headers }) => {
          headers['X-Partner-Signature'] = `v1=${signature}`
        },
      })
      return answer.status
    }
    return [await statusOf(`q=bike&${private_}=1&${emoji}=1`), await statusOf(`q=bike&${emoji}=1&${private_}=1`)]
  })
})

describe('the timestamp', () => {
  observed('skew-edge', { accepted: [200, 200], refused: [200, 401] }, async (sandbox) => {
    const at = 1_800_000_000
    await sandbox.operate('PUT', `${WORLD}/clock`, {
      mode: 'frozen',
      now: new Date(at * 1_000).toISOString(),
      auth_clock: 'world',
    })
    const statusAt = async (off: number) => (await sandbox.call({ path: READ, timestamp: String(at + off) })).status
    return [await statusAt(299), await statusAt(300)]
  })
})

describe('nonces', () => {
  observed(
    'nonce-retention-seconds',
    { 600: [401, 200, 200, 200], 900: [401, 401, 200, 200], 86400: [401, 401, 401, 200] },
    async (sandbox) => {
      const start = now()
      const statusAfter = async (seconds: number) => {
        const nonce = `after-${seconds}`
        await clock(sandbox, 0)
        await sandbox.call({ path: READ, nonce, timestamp: String(start) })
        await clock(sandbox, seconds)
        return (await sandbox.call({ path: READ, nonce, timestamp: String(start + seconds) })).status
      }
      const clock = (box: TestSandbox, seconds: number) =>
        box.operate('PUT', `${WORLD}/clock`, { auth_skew_seconds: seconds })
      return [await statusAfter(590), await statusAfter(620), await statusAfter(1_000), await statusAfter(86_000 + 500)]
    },
  )

  observed(
    'nonce-within',
    { credential: [200, 200], partner: [401, 200], environment: [401, 401] },
    async (sandbox) => {
      const nonce = randomUUID()
      expect((await sandbox.call({ path: READ, nonce })).status).toBe(200)
      const ofPartner = await sandbox.call({ path: READ, nonce, as: 'only-search' })
      return [ofPartner.status, (await sandbox.call({ path: READ, nonce, as: 'other-partner' })).status]
    },
  )

  observed('nonce-max-length', { 128: [64, 128], 64: [64], 255: [64, 128, 255] }, async (sandbox) => {
    const accepted: number[] = []
    for (const length of [64, 65, 128, 129, 255, 256]) {
      if ((await sandbox.call({ path: READ, nonce: 'n'.repeat(length) })).status === 200) accepted.push(length)
    }
    return accepted.filter((length) => [64, 128, 255, 256].includes(length))
  })

  observed(
    'nonce-form-refusal',
    {
      missing_signature_headers: '401 missing_signature_headers',
      invalid_signature: '401 invalid_signature',
      validation_error: '400 validation_error',
    },
    async (sandbox) => told(await sandbox.call({ path: READ, nonce: 'not visible' })),
  )
})

describe('a partner that is not merchant of record', () => {
  const quote = { path: '/quotes', body: { domain: 'stalls-1.test' }, as: 'not-merchant' }
  observed('not-merchant-endpoints', { orders: 201, 'orders and quotes': 403 }, async (sandbox) => {
    return (await sandbox.call(quote)).status
  })

  observed(
    'not-merchant-refusal',
    { forbidden: '403 forbidden', conflict: '409 conflict', validation_error: '400 validation_error' },
    async (sandbox) => told(await sandbox.sell({ as: 'not-merchant' })),
  )
})

describe('the body of a refusal', () => {
  const message = expect.stringMatching(/domain/)
  const request_id = expect.stringMatching(/^req_/)
  const facts = { code: 'validation_error', message }
  observed<'error-layout', unknown>(
    'error-layout',
    {
      flat: ['application/json; charset=utf-8', { ...facts, request_id }],
      nested: ['application/json; charset=utf-8', { error: facts, request_id }],
      list: ['application/json; charset=utf-8', { errors: [facts], request_id }],
      problem: [
        'application/problem+json; charset=utf-8',
        { type: 'about:blank', title: 'validation_error', status: 400, detail: message, ...facts, request_id },
      ],
    },
    async (sandbox) => {
      const { headers, json } = await sandbox.call({ path: '/availability' })
      return [headers['content-type'], json]
    },
  )
})
