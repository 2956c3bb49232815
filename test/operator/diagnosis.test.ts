import { request } from 'node:http'
import { expect, test } from 'vitest'
import { type MistakenCall, makeMistakes, namesOf } from '../support/mistakes.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { signWith } from '../support/signer.ts'
import { sampleOf } from '../support/size.ts'
import { lacks } from '../support/tools.ts'

const CALLS = [
  { name: 'get', method: 'GET', target: '/api/partner/v1/orders?limit=2&status=a%20b&limit=1&cursor=&x=(1)', body: '' },
  {
    name: 'post',
    method: 'POST',
    target: '/api/partner/v1/quotes',
    body: '{"domain":"sünna/1.test", "b<": [1,2], "a": 1.0}\n',
  },
]

function credential(sandbox: TestSandbox, name: string) {
  return sandbox.credentials.find((member) => member.name === name) as TestSandbox['credentials'][number]
}

/** Sends a call as it stands and returns what the operator is told of it. */
async function diagnosed(
  sandbox: TestSandbox,
  { method, target, body }: Omit<MistakenCall, 'name'>,
  headers: Record<string, string>,
) {
  const id = await new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(sandbox.url)
    const outgoing = request({ hostname, port, method, path: target, headers, agent: false }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(String(answer.headers['x-request-id'])))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
  return (await sandbox.operate('GET', `/v1/requests/${id}`)).json
}

function signedHeaders(keyId: string, timestamp: string, nonce: string, signature: string): Record<string, string> {
  return {
    'X-Partner-Key-Id': keyId,
    'X-Partner-Timestamp': timestamp,
    'X-Partner-Nonce': nonce,
    'X-Partner-Signature': signature,
  }
}

test.skipIf(lacks('python3'))(
  'every mistake of a separate signer is named in the log of a real server, and no secret with it',
  async () => {
    const sandbox = await startSandbox()
    const main = credential(sandbox, 'main')
    const other = credential(sandbox, 'only-buy')
    const around = { secret: main.secret, key_id: main.key_id, other_secret: other.secret }
    const corpus = makeMistakes({
      ...around,
      timestamp: Math.floor(Date.now() / 1000),
      host: new URL(sandbox.url).host,
      calls: CALLS,
    })
    const sample = sampleOf(
      corpus.cases.filter(({ mistakes }, at) => mistakes.length === 1 || at % 97 === 0),
      60,
    )
    const wrong: string[] = []
    for (const { call, mistakes, signature } of sample) {
      const sent = corpus.calls[call] as MistakenCall
      const shown = await diagnosed(
        sandbox,
        sent,
        signedHeaders(main.key_id, corpus.timestamp, corpus.nonce, signature),
      )
      const { diagnosis } = shown
      const named = [diagnosis.mistakes, ...diagnosis.equally].map((each: { id: string }[]) =>
        namesOf(each.map(({ id }) => id)),
      )
      const isNamed = named.includes(namesOf(mistakes)) || (mistakes.length === 2 && diagnosis.mistakes.length > 0)
      if (!isNamed) wrong.push(`${sent.name}: ${namesOf(mistakes)} was named ${named.join(' or ')}`)
      expect(diagnosis.expected_signature_header).toBe(`X-Partner-Signature: ${corpus.right[call]}`)
      const text = JSON.stringify(shown)
      for (const { secret } of [main, other]) expect(text).not.toContain(secret.slice('sk_sandbox_'.length))
    }
    // A cut digest of another hash could be of any, and a client that signs milliseconds sends them at once.
    expect(wrong.filter((line) => !/digest-algorithm \+ digest|\+ timestamp-milliseconds/.test(line))).toEqual([])
  },
  240_000,
)

test('the first difference of the two canonical strings is shown with its line and column', async () => {
  const sandbox = await startSandbox()
  const { json } = await logged(sandbox, { path: '/orders', signs: { target: '/api/partner/v1/Orders' } })
  expect(json.diagnosis).toMatchObject({ mistakes: [], client_canonical_string: null, first_difference: null })
  const lower = await logged(sandbox, { path: '/Orders', signs: { target: '/api/partner/v1/orders' } })
  expect(lower.json.diagnosis).toMatchObject({
    sentence: 'The path was signed in lower case.',
    first_difference: {
      line: 'PATH',
      line_number: 2,
      column: 17,
      expected: '/api/partner/v1/Orders',
      signed: '/api/partner/v1/orders',
    },
  })
})

async function logged(sandbox: TestSandbox, call: Parameters<TestSandbox['call']>[0]) {
  const answer = await sandbox.call(call)
  return sandbox.operate('GET', `/v1/requests/${String(answer.headers['x-request-id'])}`)
}

async function sentence(sandbox: TestSandbox, call: Parameters<TestSandbox['call']>[0]): Promise<string> {
  return (await logged(sandbox, call)).json.diagnosis.sentence
}

test('what is refused before or beside the signature is explained as well', async () => {
  const sandbox = await startSandbox()
  const main = credential(sandbox, 'main')
  const now = Math.floor(Date.now() / 1000)
  const keyId = (value: string) => ({
    path: '/orders',
    headers: { 'X-Partner-Key-Id': value },
    signs: { secret: 'sk_sandbox_x' },
  })
  expect(await sentence(sandbox, keyId('pk_live_abc'))).toBe('A live key id never works in a sandbox.')
  expect(await sentence(sandbox, keyId(main.key_id.toUpperCase()))).toContain(
    `it looks like ${main.key_id}, that of main`,
  )
  expect(await sentence(sandbox, keyId('main'))).toContain(`the key id of main is ${main.key_id}`.slice(1))
  expect(await sentence(sandbox, keyId('ptr_1'))).toContain('partner id')
  const secretSent = await sentence(sandbox, keyId(main.secret))
  expect(secretSent).toContain('A secret was sent instead of the key id')
  expect(secretSent).not.toContain(main.secret)
  expect(
    await sentence(sandbox, { path: '/orders', headers: { 'X-Partner-Key-Id': 'pk_sandbox_elsewhere' } }),
  ).toContain(`the signature is that of main: send ${main.key_id}`)
  expect(await sentence(sandbox, { as: 'revoked', path: '/orders' })).toBe('The credential revoked is revoked.')
  expect(await sentence(sandbox, { path: '/orders', timestamp: String(now * 1000) })).toBe(
    'The timestamp was sent in milliseconds; it is Unix time in seconds.',
  )
  expect(await sentence(sandbox, { path: '/orders', timestamp: String(now + 422) })).toBe(
    'The clock that made the timestamp is 7 minutes ahead.',
  )
  expect(await sentence(sandbox, { path: '/orders', timestamp: new Date(now * 1000).toISOString() })).toContain(
    'an ISO date',
  )
  expect(await sentence(sandbox, { as: 'only-search', path: '/quotes', body: {} })).toBe(
    'The credential only-search holds search, and quotes.create needs buy.',
  )
  const first = await sandbox.call({ path: '/orders', nonce: 'twice' })
  expect(await sentence(sandbox, { path: '/orders', nonce: 'twice' })).toContain(String(first.headers['x-request-id']))
})

test('a header under another name is pointed out', async () => {
  const sandbox = await startSandbox()
  const renamed = (from: string, to: string) => ({
    path: '/orders',
    after: (sent: { headers: Record<string, string> }) => {
      sent.headers[to] = sent.headers[from] as string
      delete sent.headers[from]
    },
  })
  for (const [from, to] of [
    ['X-Partner-Key-Id', 'X-Partner-Key'],
    ['X-Partner-Key-Id', 'X-Api-Key'],
    ['X-Partner-Timestamp', 'X-Timestamp'],
    ['X-Partner-Nonce', 'X-Nonce'],
    ['X-Partner-Signature', 'X-Signature'],
  ] as const) {
    expect(await sentence(sandbox, renamed(from, to))).toBe(
      `${from} is missing; ${to} was sent, which is another header.`,
    )
  }
})

test('only what was answered with a 4xx has a diagnosis', async () => {
  const sandbox = await startSandbox()
  expect((await logged(sandbox, { path: '/orders' })).json.diagnosis).toBe(null)
  expect((await logged(sandbox, { path: '/pricing?domain=error-1.test' })).json.diagnosis).toBe(null)
  expect((await logged(sandbox, { path: '/orders/ord_none' })).json.diagnosis).not.toBe(null)
})

test('a call is found by its request id in whichever world it was', async () => {
  const sandbox = await startSandbox()
  const { json: made } = await sandbox.operate('POST', '/v1/worlds', { name: 'elsewhere' })
  const { key_id, secret } = made.credentials[0]
  const answer = await sandbox.call({ path: '/orders', headers: { 'X-Partner-Key-Id': key_id }, signs: { secret } })
  const id = String(answer.headers['x-request-id'])
  expect((await sandbox.operate('GET', `/v1/requests/${id}`)).json).toMatchObject({
    request_id: id,
    world: 'elsewhere',
  })
  expect((await sandbox.operate('GET', `/v1/worlds/default/requests/${id}`)).status).toBe(404)
  expect((await sandbox.operate('GET', '/v1/requests/req_none')).status).toBe(404)
})

test('an unknown path or verb is explained with the endpoint that was meant, in its answer, too', async () => {
  const sandbox = await startSandbox()
  const answer = await sandbox.call({ method: 'PUT', path: '/webhooks', body: {} })
  expect([answer.status, answer.json]).toEqual([
    404,
    expect.objectContaining({
      code: 'not_found',
      message: 'the path of this endpoint has no version segment: did you mean PUT /api/partner/webhooks?',
    }),
  ])
  const shown = await sandbox.operate('GET', `/v1/requests/${String(answer.headers['x-request-id'])}`)
  expect(shown.json.diagnosis).toMatchObject({
    sentence: 'The path of this endpoint has no version segment: did you mean PUT /api/partner/webhooks?',
    mistakes: [{ id: 'path-root' }],
    expected_signature_header: null,
  })
})

test('where no signature would do, none is offered as right, and what to send is said', async () => {
  const sandbox = await startSandbox()
  const now = Math.floor(Date.now() / 1000)
  const withStale = { path: '/orders', timestamp: String(now - 4_000) }
  await sandbox.call({ path: '/orders', nonce: 'used' })
  const refused = [
    withStale,
    { ...withStale, signs: { secret: 'sk_sandbox_wrong' } },
    { path: '/orders', timestamp: String(now * 1_000) },
    { path: '/orders', nonce: 'used' },
    { as: 'revoked', path: '/orders' },
    { as: 'only-search', path: '/quotes', body: {} },
  ]
  for (const call of refused) {
    const { diagnosis } = (await logged(sandbox, call)).json
    expect(diagnosis).toMatchObject({ expected_signature_header: null, canonical_string: null })
    expect(diagnosis.send_instead).toEqual(expect.any(String))
  }
  const other = (await logged(sandbox, { path: '/orders', signs: { secret: 'sk_sandbox_wrong' } })).json.diagnosis
  expect(other).toMatchObject({ send_instead: null, expected_signature_header: expect.any(String) })
})

test('a world that judges the signature first offers none for a timestamp that it would refuse next', async () => {
  const sandbox = await startSandbox()
  const gaps = { 'check-order': 'signature, timestamp, nonce, rate limit, scope' }
  const { json: made } = await sandbox.operate('POST', '/v1/worlds', { name: 'otherwise', gaps })
  const { key_id } = made.credentials[0]
  const call = {
    path: '/orders',
    timestamp: '1000000000',
    headers: { 'X-Partner-Key-Id': key_id },
    signs: { secret: key_id },
  }
  const { diagnosis } = (await logged(sandbox, call)).json
  expect(diagnosis.mistakes.map(({ id }: { id: string }) => id)).toEqual(['key-id-as-secret', 'clock-behind'])
  expect(diagnosis).toMatchObject({ expected_signature_header: null })
})

test('a request that is not in the log is said to be gone, and why', async () => {
  const sandbox = await startSandbox()
  const { json } = await sandbox.operate('GET', '/v1/requests/req_none')
  expect(json.detail).toBe(
    'no such request in the log of any world: req_none; the log keeps the latest 5,000 calls of a world (fewer if they are large) and is cleared by a restart, a reset or a restore',
  )
})

test('a diagnosis goes by what the world of the call has chosen', async () => {
  const sandbox = await startSandbox({ gaps: { 'plus-sign': 'a plus sign', 'nonce-max-length': 64 } })
  const target = '/api/partner/v1/domains/search?q=a+b'
  const main = credential(sandbox, 'main')
  const call = { method: 'GET', target, timestamp: String(Math.floor(Date.now() / 1000)), nonce: 'chosen-otherwise' }
  const { headers, canonicalString } = signWith({ keyId: main.key_id, secret: main.secret }, call)
  expect(canonicalString).toContain('q=a%20b')
  const asSpace = await diagnosed(sandbox, { method: 'GET', target, body: '' }, headers)
  expect(asSpace.diagnosis.mistakes.map(({ id }: { id: string }) => id)).toEqual(['query-plus-as-space'])
  expect(asSpace.diagnosis.canonical_string).toContain('q=a%2Bb')
  expect(await sentence(sandbox, { path: '/orders', nonce: 'n'.repeat(65) })).toBe(
    'The nonce has 65 characters; at most 64 are allowed.',
  )
})
