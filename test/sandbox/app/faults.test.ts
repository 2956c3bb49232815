import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { sandboxOfFile, startSandbox, type TestAnswer, type TestCall, type TestSandbox } from '../../support/sandbox.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const WORLD = '/v1/worlds/default'
const FAULTS = `${WORLD}/faults`

const facts = ({ status, json }: TestAnswer) => [status, json?.code]

const sandbox = sandboxOfFile()

/** Gives a rule, which ends with the test. */
async function fault(rule: object, at: TestSandbox = sandbox): Promise<TestAnswer> {
  onTestFinished(async () => void (await sandbox.operate('DELETE', FAULTS)))
  const made = await at.operate('POST', FAULTS, rule)
  expect([made.status, made.text]).toEqual([201, made.text])
  return made
}

/** An order of a domain that is for sale, not sent yet. */
async function newOrder(): Promise<TestCall> {
  const [listing] = await sandbox.forSale(1)
  const body = {
    domain: listing?.domain,
    expected_price: listing?.price_cents,
    currency: listing?.currency,
    buyer: { email: 'buyer@example.test' },
  }
  return { path: '/orders', body, key: randomUUID() }
}

/** What was recorded of the domain of an order. */
async function orders({ body }: TestCall): Promise<unknown[]> {
  return (await sandbox.call({ path: `/orders?domain=${(body as { domain: string }).domain}` })).json.orders
}

/** The answer, or what became of the connection. */
async function attempted(call: Promise<TestAnswer>): Promise<string | number> {
  return call.then(
    ({ status }) => status,
    (error: { code?: string }) => error.code ?? 'broken',
  )
}

test('drop after commit: the order is recorded, and its retry with a fresh nonce and the same key gets it', async () => {
  await fault({ match: { endpoint: 'orders.create' }, effect: { drop: 'after-commit' } })
  const order = await newOrder()
  expect(await attempted(sandbox.call(order))).toBe('ECONNRESET')
  expect(await orders(order)).toHaveLength(1)
  const retried = await sandbox.call(order)
  expect([retried.status, retried.headers['idempotent-replayed']]).toEqual([201, 'true'])
  expect(await orders(order)).toEqual([expect.objectContaining({ public_id: retried.json.public_id })])
  const { events } = (await sandbox.call({ path: '/events?limit=200' })).json
  const ids = events.map(({ data }: { data: { order: { public_id: string } } }) => data.order.public_id)
  expect(ids.filter((id: string) => id === retried.json.public_id)).toHaveLength(1)
  const other = { ...order, body: { ...(order.body as object), external_payment_ref: 'other' } }
  expect(facts(await sandbox.call(other))).toEqual([409, 'conflict'])
})

test('drop before commit: nothing is recorded, the nonce is used, and the retry does the work', async () => {
  await fault({ match: { endpoint: 'orders.create' }, effect: { drop: 'before-commit' } })
  const order = { ...(await newOrder()), nonce: randomUUID() }
  expect(await attempted(sandbox.call(order))).toBe('ECONNRESET')
  expect(await orders(order)).toEqual([])
  expect(facts(await sandbox.call(order))).toEqual([401, 'replay_detected'])
  const retried = await sandbox.call({ ...order, nonce: randomUUID() })
  expect([retried.status, retried.headers['idempotent-replayed']]).toEqual([201, undefined])
})

test('drop after commit leaves refused calls alone: there is nothing to lose in them', async () => {
  await fault({ match: { endpoint: 'orders.create' }, effect: { drop: 'after-commit' } })
  const order = await newOrder()
  const wrong = { ...order, body: { ...(order.body as object), expected_price: 1 } }
  expect(facts(await sandbox.call(wrong))).toEqual([422, 'price_mismatch'])
  expect(await attempted(sandbox.call(order))).toBe('ECONNRESET')
})

test('429 comes with its Retry-After and is over after so many hits', async () => {
  await fault({ match: { endpoint: 'pricing' }, effect: { status: 429, retry_after: 2 }, times: 2 })
  const call = { path: '/pricing?domain=stalls-1000.test' }
  const answers = [await sandbox.call(call), await sandbox.call(call), await sandbox.call(call)]
  expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
    [429, '2'],
    [429, '2'],
    [200, undefined],
  ])
  expect(answers[0]?.json).toMatchObject({ code: 'rate_limited', message: expect.stringContaining('2 seconds') })
})

test('a registration that waits for a name to be resolved is dropped after its commit as well, and once', async () => {
  const sandbox = await startSandbox()
  await fault({ match: { endpoint: 'webhooks.put' }, effect: { drop: 'after-commit' } }, sandbox)
  const body = { url: 'http://localhost:9/hook', secret: 'a secret of sixteen' }
  const put = { method: 'PUT', path: '/api/partner/webhooks', body }
  expect(await attempted(sandbox.call(put))).toBe('ECONNRESET')
  await sandbox.sell()
  expect((await sandbox.operate('GET', '/v1/worlds/default/deliveries')).json.deliveries).toHaveLength(1)
  expect(await attempted(sandbox.call(put))).toBe(200)
})

test('a 500 is bland, changes nothing and leaves its key free', async () => {
  await fault({ effect: { status: 500 }, match: { endpoint: 'orders.create' } })
  const order = await newOrder()
  const failed = await sandbox.call(order)
  expect(facts(failed)).toEqual([500, 'internal_error'])
  expect(failed.text).not.toContain('fault')
  expect(await orders(order)).toEqual([])
  const retried = await sandbox.call(order)
  expect([retried.status, retried.headers['idempotent-replayed']]).toEqual([201, undefined])
})

test.each([
  [{ code: 'conflict' }, [409, 'conflict']],
  [{ code: 'validation_error', status: 415 }, [415, 'validation_error']],
  [{ status: 503 }, [503, 'internal_error']],
  [{ code: 'replay_detected', status: 409 }, [409, 'replay_detected']],
  [{ kind: 'status', status: 404, message: 'gone for a while' }, [404, 'not_found']],
  [{ kind: 'rate_limit', retry_after_seconds: 1 }, [429, 'rate_limited']],
])('the effect %j answers %j', async (effect, expected) => {
  await fault({ effect })
  const answer = await sandbox.call({ path: '/availability?domain=stalls-1.test', undocumented: true })
  expect(facts(answer)).toEqual(expected)
  expect(answer.json.message).toBe('message' in effect ? effect.message : answer.json.message)
})

test('a delay holds back the answer alone: the work is done at once and nobody else waits', async () => {
  await fault({ match: { endpoint: 'orders.create' }, effect: { delay_ms: 1_500 } })
  const order = await newOrder()
  let isAnswered = false
  const slow = sandbox.call(order).finally(() => {
    isAnswered = true
  })
  const retried = await sandbox.call(order)
  expect(isAnswered).toBe(false)
  expect(retried.headers['idempotent-replayed']).toBe('true')
  expect((await slow).text).toBe(retried.text)
})

test.each([
  ['truncated', (text: string) => expect(text.length).toBeGreaterThan(20)],
  ['not-json', (text: string) => expect(text).toBe('OK')],
  ['empty', (text: string) => expect(text).toBe('')],
  ['html', (text: string) => expect(text).toContain('<html>')],
])('a corrupted body of kind %s is no JSON, and the order behind it is valid', async (kind, looks) => {
  await fault({ match: { endpoint: 'orders.create' }, effect: { garbage: kind } })
  const order = await newOrder()
  const corrupted = await sandbox.call({ ...order, undocumented: true })
  expect([corrupted.status, corrupted.json]).toEqual([201, undefined])
  looks(corrupted.text)
  const retried = await sandbox.call(order)
  expect([retried.status, retried.headers['idempotent-replayed']]).toEqual([201, 'true'])
  expect(await orders(order)).toHaveLength(1)
})

test.each([
  ['endpoint', { endpoint: 'pricing' }, { path: '/pricing?domain=stalls-1.test' }],
  ['credential by name', { credential: 'only-search' }, { path: '/pricing?domain=stalls-1.test', as: 'only-search' }],
  ['domain in the path', { domain: 'Stalls-2.TEST' }, { path: '/domains/stalls-2.test' }],
  ['domain in the query', { domain: 'stalls-2.test' }, { path: '/availability?domain=STALLS-2.test' }],
  ['domain in the body', { domain: 'stalls-2.test' }, { path: '/quotes', body: { domain: 'stalls-2.test.' } }],
])('a rule about a call by its %s acts on that and on no other', async (_by, match, fitting) => {
  await fault({ match, effect: { status: 500 }, times: null })
  expect((await sandbox.call({ path: '/availability?domain=stalls-3.test' })).status).toBe(200)
  expect((await sandbox.call({ path: '/domains/search?q=tea&domain=stalls-2.test' })).status).toBe(200)
  expect((await sandbox.call(fitting)).status).toBe(500)
  expect((await sandbox.call(fitting)).status).toBe(500)
})

test('a rule about an order acts on reading it and on its refund, and not on others', async () => {
  const [one, other] = [await sandbox.sell(), await sandbox.sell()]
  const id = one.json.public_id
  await fault({ match: { public_id: id }, effect: { status: 500 }, times: null })
  const refund = (publicId: string) => sandbox.call({ path: '/refunds', body: { public_id: publicId } })
  const read = (publicId: string) => sandbox.call({ path: `/orders/${publicId}` })
  expect([(await read(id)).status, (await refund(id)).status]).toEqual([500, 500])
  expect([(await read(other.json.public_id)).status, (await refund(other.json.public_id)).status]).toEqual([200, 201])
})

test.each([
  ['a wrong signature', { signs: { secret: 'sk_sandbox_wrong' } }, 'invalid_signature'],
  ['a stale timestamp', { timestamp: '1000000000' }, 'invalid_timestamp'],
  ['a missing scope', { as: 'only-buy' }, 'forbidden'],
])('a call with %s is refused for that, and no fault acts on it', async (_what, call, code) => {
  await fault({ effect: { status: 500 } })
  expect((await sandbox.call({ path: '/pricing?domain=stalls-1.test', ...call })).json.code).toBe(code)
  expect((await sandbox.operate('GET', FAULTS)).json.faults[0].hits).toBe(0)
})

test('a used nonce is refused as such, whatever fault would have met the call', async () => {
  const call = { path: '/pricing?domain=stalls-1.test', nonce: randomUUID() }
  await sandbox.call(call)
  await fault({ effect: { drop: 'before-commit' } })
  expect((await sandbox.call(call)).json.code).toBe('replay_detected')
})

test('the first rule that fits acts, the next one when it has done its work, and hits are counted', async () => {
  const first = await fault({ effect: { code: 'conflict' } })
  const second = await fault({ effect: { code: 'not_found' }, times: 3 })
  const call = () => sandbox.call({ path: '/availability?domain=stalls-1.test', undocumented: true })
  const answers = [await call(), await call(), await call()]
  expect(answers.map(({ json }) => json.code)).toEqual(['conflict', 'not_found', 'not_found'])
  expect((await sandbox.operate('GET', FAULTS)).json.faults).toEqual([
    { ...first.json, hits: 1, left: 0, last_request_id: answers[0]?.headers['x-request-id'] },
    { ...second.json, hits: 2, left: 1, last_request_id: answers[2]?.headers['x-request-id'] },
  ])
})

test('the request log says which fault acted, also where the client got no answer', async () => {
  const { json } = await fault({ match: { endpoint: 'orders.create' }, effect: { drop: 'after-commit' } })
  await attempted(sandbox.call(await newOrder()))
  const [{ last_request_id: requestId }] = (await sandbox.operate('GET', FAULTS)).json.faults
  const { json: logged } = await sandbox.operate('GET', `/v1/worlds/default/requests/${requestId}`)
  expect(logged).toMatchObject({
    endpoint: 'orders.create',
    fault: json.id,
    detail: expect.stringContaining(`the fault ${json.id} closed the connection`),
  })
})

test('however many calls come at the same time, a fault acts on exactly so many', async () => {
  await fault({ effect: { status: 500 }, times: 7 })
  const calls = Array.from({ length: 40 }, () => sandbox.call({ path: '/events' }))
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 500)).toHaveLength(7)
})

/** Which of many orders and reads are hit, by what they are about. */
async function drawn(seed: string, order: (subjects: string[]) => string[], atOnce: boolean): Promise<string[]> {
  const sandbox = await startSandbox()
  await fault({ effect: { status: 500 }, times: null, probability: 0.4, seed }, sandbox)
  const subjects = Array.from({ length: 30 }, (_, i) => `/availability?domain=stalls-${i + 1}.test`)
  const hit: string[] = []
  const one = async (path: string) => {
    // Each is tried twice: the second try of one thing is drawn anew.
    for (const tried of [1, 2]) if ((await sandbox.call({ path })).status === 500) hit.push(`${tried} ${path}`)
  }
  if (atOnce) await Promise.all(order(subjects).map(one))
  else for (const path of order(subjects)) await one(path)
  return hit.sort()
}

test('the same seed hits the same operations, in whatever order and however many at once', async () => {
  const plain = await drawn('x', (subjects) => subjects, false)
  expect(plain.length).toBeGreaterThan(10)
  expect(plain.length).toBeLessThan(50)
  expect(await drawn('x', (subjects) => subjects.toReversed(), true)).toEqual(plain)
  expect(await drawn('y', (subjects) => subjects, true)).not.toEqual(plain)
})

test('a reset takes the faults away, and their removal ends them at once', async () => {
  const sandbox = await startSandbox()
  const call = () => sandbox.call({ path: '/events' })
  await fault({ effect: { status: 500 }, times: null, probability: 0.999999, seed: 'a' }, sandbox)
  expect((await call()).status).toBe(500)
  expect((await sandbox.operate('POST', '/v1/worlds/default/reset', {})).status).toBe(200)
  expect((await call()).status).toBe(200)
  expect((await sandbox.operate('GET', FAULTS)).json).toEqual({ faults: [] })

  const { json } = await fault({ effect: { status: 500 }, times: null }, sandbox)
  expect((await call()).status).toBe(500)
  expect((await sandbox.operate('DELETE', `${FAULTS}/${json.id}`)).status).toBe(204)
  expect((await call()).status).toBe(200)
  expect((await sandbox.operate('DELETE', `${FAULTS}/${json.id}`)).status).toBe(404)
  await fault({ effect: { status: 500 }, times: null }, sandbox)
  expect((await sandbox.operate('DELETE', FAULTS)).status).toBe(204)
  expect((await call()).status).toBe(200)
})

test('faults, and how often they have acted, survive a restart', async () => {
  const dataDir = tempFolder()
  const before = await startSandbox({ dataDir, inventory: 0 })
  await fault({ match: { credential: 'main' }, effect: { drop: 'before-commit' }, times: 2 }, before)
  const { json: kept } = await before.operate('GET', FAULTS)
  await before.close()

  const after = await startSandbox({ dataDir })
  expect((await after.operate('GET', FAULTS)).json).toEqual(kept)
  await expect(after.call({ path: '/events' })).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect((await after.operate('GET', FAULTS)).json.faults[0]).toMatchObject({ hits: 1, left: 1 })
})

test('a fork has the faults of its world, and they act on its own credentials', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const rule = { match: { credential: 'main' }, effect: { status: 500 }, times: null }
  const made = await sandbox.operate('POST', FAULTS, rule)
  const fork = await sandbox.operate('POST', `${WORLD}/fork`, { name: 'fork' })
  const main = fork.json.credentials.find(({ name }: { name: string }) => name === 'main')
  const { json } = await sandbox.operate('GET', '/v1/worlds/fork/faults')
  expect(json.faults).toEqual([{ ...made.json, match: { ...made.json.match, key_id: main.key_id } }])
  await sandbox.operate('DELETE', '/v1/worlds/fork/faults')
  expect((await sandbox.call({ path: '/events' })).status).toBe(500)
})

test('a snapshot brings back the faults of its time, and takes away those that came later', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const url = `${sandbox.operator?.url}${WORLD}/snapshot`
  const headers = { 'content-type': 'application/vnd.sqlite3' }
  const without = await (await fetch(url)).arrayBuffer()
  await sandbox.operate('POST', FAULTS, { effect: { status: 500 }, times: null })
  const withOne = await (await fetch(url)).arrayBuffer()
  expect((await fetch(url, { method: 'PUT', headers, body: without })).status).toBe(200)
  expect((await sandbox.call({ path: '/events' })).status).toBe(200)
  expect((await fetch(url, { method: 'PUT', headers, body: withOne })).status).toBe(200)
  expect((await sandbox.call({ path: '/events' })).status).toBe(500)
})
