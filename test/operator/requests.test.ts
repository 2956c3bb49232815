import { expect, test } from 'vitest'
import { failStatement } from '../support/broken-statements.ts'
import { startSandbox, type TestAnswer, type TestCall, type TestSandbox } from '../support/sandbox.ts'
import { secondCanonicalString } from '../support/signer.ts'
import { sampleOf, size } from '../support/size.ts'
import { rawAnswer } from './raw-answer.ts'

const LOG = '/v1/worlds/default/requests'
const CHECKS = ['headers', 'request', 'key', 'timestamp', 'query', 'signature', 'nonce', 'rate-limit', 'scope']

async function logged(sandbox: TestSandbox, call: TestCall): Promise<TestAnswer> {
  const answer = await sandbox.call(call)
  return sandbox.operate('GET', `${LOG}/${String(answer.headers['x-request-id'])}`)
}

/** `passed` so often, then the rest. */
function verdicts(passed: number, ...rest: string[]) {
  const all = [...Array.from({ length: passed }, () => 'passed'), ...rest]
  return CHECKS.map((check, i) => ({ check, verdict: all[i] ?? 'not_reached' }))
}

/** Adds what cannot be decoded, after signing. */
function breakQuery(sent: { target: string }): void {
  sent.target += '?a=%zz'
}

test('an accepted call is shown whole: what was sent, what was signed, every check, the answer', async () => {
  const sandbox = await startSandbox({ clockMs: Date.UTC(2026, 0, 15), frozen: true })
  const body = '{"domain": "stalls-1.test"}'
  const answer = await sandbox.call({ path: '/quotes', body, nonce: 'a-nonce', timestamp: undefined as never })
  const { json } = await sandbox.operate('GET', `${LOG}/${String(answer.headers['x-request-id'])}`)
  const timestamp = json.request.headers.find(([name]: [string]) => name === 'X-Partner-Timestamp')[1]
  expect(json).toMatchObject({
    request_id: answer.headers['x-request-id'],
    world_time: '2026-01-15T00:00:00.000Z',
    method: 'POST',
    target: '/api/partner/v1/quotes',
    endpoint: 'quotes.create',
    status: 201,
    code: null,
    key_id: sandbox.credentials[0]?.key_id,
    credential: 'main',
    checks: verdicts(9),
    detail: null,
    request: { body, body_encoding: 'utf-8', body_bytes: body.length },
    answer: { status: 201, body: answer.text },
    failure: null,
  })
  const call = { method: 'POST', target: '/api/partner/v1/quotes', body, timestamp, nonce: 'a-nonce' }
  expect(json.canonical_string).toBe(secondCanonicalString(call))
  expect(json.took_ms).toBeGreaterThanOrEqual(0)
})

test('a refused call shows the check that refused it, those before as passed and those after as not reached', async () => {
  const sandbox = await startSandbox()
  const refused = async (call: Partial<TestCall>) => (await logged(sandbox, { path: '/orders', ...call })).json
  expect((await refused({ headers: { 'X-Partner-Nonce': '' } })).checks).toEqual(verdicts(0, 'refused'))
  expect((await refused({ headers: { 'X-Partner-Key-Id': 'pk_live_9' } })).checks).toEqual(verdicts(2, 'refused'))
  expect((await refused({ timestamp: '1' })).checks).toEqual(verdicts(3, 'refused'))
  expect((await refused({ path: '/orders', after: breakQuery })).checks).toEqual(verdicts(4, 'refused'))
  expect((await refused({ signs: { secret: 'sk_sandbox_other' } })).checks).toEqual(verdicts(5, 'refused'))
  await sandbox.call({ path: '/orders', nonce: 'twice' })
  expect((await refused({ nonce: 'twice' })).checks).toEqual(verdicts(6, 'refused'))
  expect((await refused({ as: 'no-scope' })).checks).toEqual(verdicts(8, 'refused'))
})

test('a live key is explained to the operator and not to the caller', async () => {
  const sandbox = await startSandbox()
  const answer = await sandbox.call({ path: '/orders', headers: { 'X-Partner-Key-Id': 'pk_live_9' } })
  const { json } = await sandbox.operate('GET', `${LOG}/${String(answer.headers['x-request-id'])}`)
  expect(json.detail).toBe('a live key id never works in a sandbox')
  expect(answer.text).not.toContain('live')
})

test('the canonical string is worked out for a call that was refused before its signature was looked at', async () => {
  const sandbox = await startSandbox()
  const { json } = await logged(sandbox, { path: '/orders?limit=2&domain=a.test', timestamp: '1000', nonce: 'n1' })
  expect(json.code).toBe('invalid_timestamp')
  expect(json.canonical_string).toBe(
    secondCanonicalString({
      method: 'GET',
      target: '/api/partner/v1/orders?limit=2&domain=a.test',
      timestamp: '1000',
      nonce: 'n1',
    }),
  )
})

test('where no canonical string can be worked out there is none', async () => {
  const sandbox = await startSandbox()
  const broken = await logged(sandbox, { path: '/orders', after: breakQuery })
  expect([broken.json.code, broken.json.canonical_string]).toEqual(['validation_error', null])
  const noNonce = await logged(sandbox, {
    path: '/orders',
    after: (sent) => {
      delete sent.headers['X-Partner-Nonce']
    },
  })
  expect([noNonce.json.code, noNonce.json.canonical_string]).toEqual(['missing_signature_headers', null])
  const tooLarge = await logged(sandbox, { path: '/quotes', body: 'x'.repeat(70_000) })
  expect([tooLarge.json.status, tooLarge.json.canonical_string]).toEqual([413, null])
})

test('a call whose body is too large is in the log of the world of its key, and passed no check', async () => {
  const sandbox = await startSandbox()
  const { json: other } = await sandbox.operate('POST', '/v1/worlds', { name: 'other' })
  const headers = { 'X-Partner-Key-Id': other.main_key_id }
  const { status, headers: sent } = await sandbox.call({ path: '/quotes', body: 'x'.repeat(70_000), headers })
  const log = '/v1/worlds/other/requests'
  const { json } = await sandbox.operate('GET', `${log}/${sent['x-request-id']}`)
  expect([status, json.status, json.world]).toEqual([413, 413, 'other'])
  expect(new Set(json.checks.map(({ verdict }: { verdict: string }) => verdict))).toEqual(new Set(['not_reached']))
  await sandbox.call({ path: '/quotes', body: 'x'.repeat(70_000), headers: { 'X-Partner-Key-Id': 'pk_sandbox_none' } })
  expect((await sandbox.operate('GET', log)).json.requests).toHaveLength(1)
  expect((await sandbox.operate('GET', LOG)).json.requests).toHaveLength(1)
})

test('the list is newest first, filtered and paged', async () => {
  const sandbox = await startSandbox()
  await sandbox.call({ path: '/orders' })
  await sandbox.call({ path: '/events' })
  await sandbox.call({ as: 'no-scope', path: '/orders' })
  await sandbox.call({ path: '/nowhere' })
  await sandbox.call({ path: '/orders', timestamp: '1' })
  const list = async (query: string) => (await sandbox.operate('GET', LOG + query)).json
  const positions = (page: { requests: { position: number }[] }) => page.requests.map(({ position }) => position)
  expect(positions(await list(''))).toEqual([5, 4, 3, 2, 1])
  expect(positions(await list('?status=200'))).toEqual([2, 1])
  expect(positions(await list('?code=forbidden'))).toEqual([3])
  expect(positions(await list('?code=forbidden&status=200'))).toEqual([])
  expect(positions(await list('?endpoint=orders.list'))).toEqual([5, 3, 1])
  const noScope = sandbox.credentials.find(({ name }) => name === 'no-scope')
  expect(positions(await list(`?key_id=${noScope?.key_id}`))).toEqual([3])
  const first = await list('?limit=2')
  const second = await list(`?limit=3&cursor=${first.next_cursor}`)
  expect([positions(first), positions(second), second.next_cursor]).toEqual([[5, 4], [3, 2, 1], null])
  for (const query of ['?status=2000', '?limit=0', '?endpoint=orders', '?cursor=x', '?color=red']) {
    expect((await sandbox.operate('GET', LOG + query)).status).toBe(400)
  }
  expect((await sandbox.operate('GET', `${LOG}/req_none`)).status).toBe(404)
})

test('the list is filtered by class of status, verb, credential, time, refusal and text', async () => {
  const sandbox = await startSandbox()
  await sandbox.call({ path: '/orders?limit=3' })
  await sandbox.call({ path: '/quotes', body: { domain: 'find-me.test' } })
  await sandbox.call({ as: 'no-scope', path: '/orders' })
  await sandbox.call({ path: '/orders', signs: { secret: 'sk_sandbox_other' }, headers: { 'X-Trace': 'Trace-77' } })
  const positions = async (query: string) =>
    (await sandbox.operate('GET', LOG + query)).json.requests.map(({ position }: { position: number }) => position)
  expect(await positions('?status=4xx')).toEqual([4, 3, 2])
  expect(await positions('?status=2xx')).toEqual([1])
  expect(await positions('?method=post')).toEqual([2])
  expect(await positions('?credential=no-scope')).toEqual([3])
  expect(await positions('?refused=true')).toEqual([4, 3, 2])
  expect(await positions('?refused=false')).toEqual([1])
  expect(await positions('?authentication=true')).toEqual([4])
  expect(await positions('?authentication=false')).toEqual([3, 2, 1])
  expect(await positions('?q=LIMIT%3D3')).toEqual([1])
  expect(await positions('?q=find-me')).toEqual([2])
  expect(await positions('?q=trace-77')).toEqual([4])
  expect(await positions('?q=invalid_signature')).toEqual([4])
  expect(await positions('?since=2100-01-01')).toEqual([])
  expect(await positions('?until=2100-01-01&limit=2')).toEqual([4, 3])
  expect(await positions('?until=2000-01-01')).toEqual([])
  for (const query of ['?status=9xx', '?status=4x', '?refused=yes', '?since=now', '?q=']) {
    expect([query, (await sandbox.operate('GET', LOG + query)).status]).toEqual([query, 400])
  }
})

test('a search does not tell whether a secret was sent', async () => {
  const sandbox = await startSandbox()
  const secret = sandbox.credentials[0]?.secret as string
  await sandbox.call({ path: `/domains/${secret}?x=${secret}`, headers: { Authorization: `Bearer ${secret}` } })
  await sandbox.call({ path: '/webhooks', body: { url: 'http://127.0.0.1/', secret: 'a-webhook-secret-of-ours' } })
  for (const piece of [secret, secret.slice(11, 30), secret.slice(20), 'a-webhook-secret', 'secret-of-ours']) {
    const { json } = await sandbox.operate('GET', `${LOG}?q=${encodeURIComponent(piece)}`)
    expect([piece, json.requests]).toEqual([piece, []])
  }
  const redacted = await sandbox.operate('GET', `${LOG}?q=${encodeURIComponent('[redacted]')}`)
  expect(redacted.json.requests).toHaveLength(2)
})

/** Ways in which a secret strays into a request. */
function strayForms(secret: string): string[] {
  const percent = (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('')
  return [
    secret,
    secret.toUpperCase(),
    secret.slice('sk_sandbox_'.length),
    encodeURIComponent(secret),
    percent(secret),
    percent(secret).replaceAll('%', '%25'),
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('hex').toUpperCase(),
    Buffer.from(secret).toString('base64'),
    Buffer.from(`u:${secret}`).toString('base64'),
    Buffer.from(`us:${secret}`).toString('base64'),
    Buffer.from(`usr:${secret}:x`).toString('base64url'),
    encodeURIComponent(Buffer.from(`+${secret}+`).toString('base64')),
  ]
}

/** What of a secret would give it away, in any of the forms: its opaque part, or a piece of it in another code. */
function giveaways(secret: string): string[] {
  const opaque = secret.slice('sk_sandbox_'.length)
  const middle = opaque.slice(8, 24)
  const inBase64 = [0, 1, 2].map((offset) =>
    Buffer.from('x'.repeat(offset) + middle)
      .toString('base64')
      .slice(4, 16),
  )
  return [middle, Buffer.from(middle).toString('hex'), ...inBase64]
}

test('no secret of any credential appears in the log, wherever and however it was sent', async () => {
  const sandbox = await startSandbox()
  const { json: made } = await sandbox.operate('POST', '/v1/worlds', { name: 'other' })
  const secrets = [
    sandbox.credentials[0]?.secret as string,
    sandbox.credentials[9]?.secret as string,
    made.credentials[0].secret,
  ]
  for (const [at, secret] of secrets.entries()) {
    for (const form of sampleOf(strayForms(secret).slice(size(at, 0)), 3)) {
      await sandbox.call({ path: '/orders', headers: { 'X-Partner-Key-Id': form } })
      await sandbox.call({ path: '/orders', headers: { 'X-Partner-Signature': `v1=${form}`, Cookie: `a=${form}` } })
      await sandbox.call({ path: '/orders', headers: { Authorization: `Basic ${form}` }, nonce: form.slice(0, 128) })
      await sandbox.call({ path: `/domains/${form}?q=${form}` })
      await sandbox.call({ path: '/quotes', body: { domain: form, secret: form } })
      await sandbox.call({ path: '/quotes', body: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(form)]) })
    }
    await sandbox.call({
      path: '/quotes',
      body: `{"domain":"${[...secret].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('')}"}`,
    })
  }
  const list = await sandbox.operate('GET', `${LOG}?limit=1000`)
  const shown = [list.text]
  for (const { request_id } of list.json.requests)
    shown.push((await sandbox.operate('GET', `${LOG}/${request_id}`)).text)
  expect(shown.length).toBeGreaterThan(size(60, 200))
  const everything = decoded(shown.join('\n'))
  const lower = everything.toLowerCase()
  expect(secrets.flatMap(giveaways).filter((clue) => lower.includes(clue.toLowerCase()))).toEqual([])
  expect(everything).toContain('[redacted]')
})

/** The text with bodies that are shown in base64, percent escapes and JSON escapes undone beside it. */
function decoded(text: string): string {
  const bodies = [...text.matchAll(/"body":"([A-Za-z0-9+/=]+)","body_encoding":"base64"/g)]
  const plain = bodies.map(([, body = '']) => Buffer.from(body, 'base64').toString('latin1'))
  const unescaped = text.replace(/%(?:25)*([0-9a-f]{2})|\\+u00([0-9a-f]{2})/gi, (_, percent, json) =>
    String.fromCharCode(Number.parseInt(percent ?? json, 16)),
  )
  return [text, unescaped, ...plain].join('\n')
}

test('a secret that was made after the log had been read is taken out of it, too', async () => {
  const sandbox = await startSandbox()
  await logged(sandbox, { path: '/orders' })
  const main = sandbox.credentials[0]?.key_id
  const { json } = await sandbox.operate('POST', `/v1/worlds/default/credentials/${main}/rotate`, {})
  const opaque = json.secret.replace(/^sk_sandbox_/, '')
  const { text } = await logged(sandbox, { path: '/orders', headers: { Authorization: `Bearer ${opaque}` } })
  expect(text).toContain('Bearer [redacted]')
  expect(text).not.toContain(opaque)
})

test('a secret of no world, of a live environment even, is redacted too', async () => {
  const sandbox = await startSandbox()
  const { text } = await logged(sandbox, { path: '/orders', headers: { Authorization: 'Bearer sk_live_abcdef123' } })
  expect(text).not.toContain('abcdef123')
})

test('bytes that are no text are shown in base64', async () => {
  const sandbox = await startSandbox()
  const { json } = await logged(sandbox, { path: '/quotes', body: Buffer.from([0x7b, 0xff, 0x00, 0x7d]) })
  expect(json.request).toMatchObject({ body: 'e/8AfQ==', body_encoding: 'base64', body_bytes: 4 })
})

test('what was no readable request is logged in the default world with no check reached', async () => {
  const sandbox = await startSandbox()
  const { head, status } = await rawAnswer(sandbox.url, [
    'GET /api/partner/v1/domains/%zz HTTP/1.1',
    'Host: x',
    'X-Partner-Key-Id: k',
    'Connection: close',
  ])
  const requestId = /x-request-id: (\S+)/i.exec(head)?.[1]
  const { json } = await sandbox.operate('GET', `${LOG}/${requestId}`)
  expect([status, json.status, json.credential]).toEqual([400, 400, null])
  expect(json.checks).toEqual(verdicts(0))
})

test('a webhook secret is taken out of the log however JSON spells it, and under whatever name it was sent first', async () => {
  const sandbox = await startSandbox()
  const secret = 'whsec/a"b\\é€/very-private=value'
  const url = 'http://127.0.0.1:9/hook'
  const put = (body: string) => logged(sandbox, { method: 'PUT', path: '/api/partner/webhooks', body })
  const spelt = [
    JSON.stringify(secret),
    JSON.stringify(secret).replaceAll('/', '\\/'),
    JSON.stringify(secret).replace('é', '\\u00e9').replace('€', '\\u20ac'),
  ]
  const bodies = spelt.flatMap((text) => [
    `{"url":"${url}","secret":${text}}`,
    `{"url":"${url}","Webhook_Secret":${text}}`,
    `{"url":"${url}","signing_key":${text}}`,
    `{"url":"${url}","secret":[${text}]}`,
    `{"url":"${url}","sec\\u0072et":${text}}`,
  ])
  for (const body of bodies) await put(body)
  const { json } = await sandbox.operate('GET', `${LOG}?limit=1000`)
  for (const { request_id } of json.requests) {
    const { text } = await sandbox.operate('GET', `${LOG}/${request_id}`)
    expect(text).toContain('[redacted]')
    expect(text).not.toContain('very-private')
  }
})

test('of a call that failed inside, the operator sees why', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const fault = failStatement(1, { code: 'SQLITE_FULL', undone: false })
  const { status, json } = await sandbox.call({ method: 'POST', path: '/links', body: {} })
  fault.end()
  const why = 'The disk is full (SQLITE_FULL); free some space and try again.'
  const { json: listed } = await sandbox.operate('GET', '/v1/worlds/default/requests')
  const { json: shown } = await sandbox.operate('GET', `/v1/requests/${json.request_id}`)
  expect([status, listed.requests[0].reason, shown.diagnosis]).toEqual([
    500,
    why,
    expect.objectContaining({ sentence: why, help: [] }),
  ])
})
