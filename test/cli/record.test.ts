import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pathOf, type RecordedCall } from '../../src/cli/record/history.ts'
import { loadScenarios } from '../../src/conformance/format/load-scenarios.ts'
import { loadRequirements } from '../../src/conformance/format/requirements.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { cliAgainst } from './against.ts'
import { expectGreen, judged, recorded } from './recorded.ts'
import { cli } from './run.ts'

const A_DAY = '1d'

const BUYER = { email: 'ada@example.test' }

const MISSING_KEY = { code: 'missing_idempotency_key' }

/** A sale with most of what can happen to one; its calls and the operator's acts. */
async function sellUntilSettled(sandbox: TestSandbox): Promise<string> {
  const search = await sandbox.call({ path: '/domains/search?q=solar' })
  const { domain } = search.json.domains[0]
  const { price_cents: price } = (await sandbox.call({ path: `/availability?domain=${domain}` })).json
  const order = { domain, expected_price: price, currency: 'USD', buyer: { email: 'ada@example.test' } }
  const quote = await sandbox.call({ method: 'POST', path: '/quotes', body: { domain } })
  await sandbox.call({ method: 'POST', path: '/orders', key: 'dear', body: { ...order, expected_price: price + 100 } })
  const valid = { method: 'POST', path: '/orders', key: 'one', body: { ...order, quote_id: quote.json.quote_id } }
  const { json } = await sandbox.call(valid)
  await sandbox.call(valid)
  await sandbox.call({ ...valid, body: order })
  await sandbox.operate('POST', `/v1/worlds/default/orders/${json.public_id}/start-transfer`, {})
  await sandbox.call({ path: `/orders/${json.public_id}` })
  await sandbox.operate('POST', `/v1/worlds/default/orders/${json.public_id}/complete-transfer`, {})
  await sandbox.operate('POST', '/v1/worlds/default/clock/advance', { by: A_DAY })
  await sandbox.operate('POST', '/v1/worlds/default/settlement-runs', {})
  await sandbox.call({ path: `/orders/${json.public_id}` })
  return json.public_id
}

describe('record', () => {
  it('turns what happened into a scenario that is valid, runs anywhere and is green', { timeout: 30_000 }, async () => {
    const sandbox = await startSandbox()
    const publicId = await sellUntilSettled(sandbox)
    const { file, err, scenario } = await recorded(sandbox)
    expect(err).toBe('')
    expect(loadScenarios(file, loadRequirements()).problems).toEqual([])
    expect(readFileSync(file, 'utf8')).not.toContain(publicId)
    expect(scenario.proves).toEqual(
      expect.arrayContaining([
        'IDEM-02',
        'IDEM-03',
        'ORD-01',
        'ORD-02',
        'ORD-03',
        'QUOTE-01',
        'STATE-01',
        'STATE-02',
        'STATE-03',
      ]),
    )
    const run = await judged(file)
    const { summary } = JSON.parse(run.out) as { summary: { checks: Record<string, number> } }
    expect(summary.checks).toMatchObject({ fail: 0, inconclusive: 0, harness_error: 0, not_run: 0 })
    expect(summary.checks['pass']).toBeGreaterThan(8)
  })

  it('writes a scenario that is red where the target has another mind', { timeout: 30_000 }, async () => {
    const sandbox = await startSandbox()
    await sellUntilSettled(sandbox)
    const { file } = await recorded(sandbox)
    const broken = await startSandbox({ defect: 'price-never-checked' })
    const main = broken.credentials.find(({ name }) => name === 'main')
    const target = join(dirname(file), '../target.yaml')
    const credential = {
      name: 'main',
      key_id: main?.key_id,
      secret: '$' + '{env:KEY}',
      scopes: main?.scopes,
      partner: 'a',
    }
    writeFileSync(
      target,
      JSON.stringify({
        url: broken.url,
        mode: 'operator',
        budget: { orders: 20, quotes: 20, requests: 2_000 },
        credentials: [{ ...credential, affiliate: true, merchant_of_record: true }],
        operator: { url: broken.operator?.url },
      }),
    )
    const args = ['conform', '--target', target, '--scenarios', file, '--reporter', 'json']
    const { code, out } = await cli(args, { env: { KEY: main?.secret ?? '' } })
    expect(code).toBe(1)
    expect(JSON.parse(out).requirements).toContainEqual(expect.objectContaining({ id: 'ORD-03', status: 'violated' }))
  })

  it('writes the mistakes of signing as the faults they are', async () => {
    const sandbox = await startSandbox()
    const path = '/availability?domain=nowhere.example'
    // In one second, whenever they are sent: a repeated call is the same to the letter.
    const once = { path, nonce: 'once-and-never-again', timestamp: String(Math.floor(Date.now() / 1_000)) }
    const first = await sandbox.call(once)
    expect(first.status).toBe(200)
    await sandbox.call(once)
    await sandbox.call({ path, timestamp: String(Math.floor(Date.now() / 1_000) - 900) })
    await sandbox.call({ path, as: 'only-buy' })
    await sandbox.call({ path, headers: { 'X-Partner-Nonce': '' } })
    const { scenario } = await recorded(sandbox)
    expect(scenario.steps.map(({ call, fault, as }) => call?.again ?? fault ?? as ?? null)).toEqual([
      null,
      'availability_1',
      { timestamp: { shift: expect.closeTo(-900, -1) } },
      { only: 'buy' },
      { nonce: 'drop' },
    ])
  })

  it('has a body signed as other JSON than it was sent', { timeout: 30_000 }, async () => {
    const sandbox = await startSandbox()
    const call = { path: '/quotes', body: { domain: 'stalls-1.test' } }
    const bodies = [JSON.stringify(call.body, null, 2), '{"domain": "stalls-1.test"}']
    for (const body of bodies)
      expect((await sandbox.call({ ...call, signs: { body: Buffer.from(body) } })).json.code).toBe('invalid_signature')
    const spaced = { path: '/quotes', body: bodies[1], signs: { body: Buffer.from(JSON.stringify(call.body)) } }
    expect((await sandbox.call(spaced)).json.code).toBe('invalid_signature')
    expect((await sandbox.call(call)).status).toBe(201)
    const { file, err, scenario } = await recorded(sandbox)
    expect(err).toBe('')
    const RESERIALIZED = { canonical: 'body_reserialised' }
    expect(scenario.steps.map(({ fault }) => fault)).toEqual([RESERIALIZED, RESERIALIZED, RESERIALIZED, undefined])
    await expectGreen(file)
  })

  it('sends the Content-Type that an order was refused for, and leaves out one that was refused for its key', {
    timeout: 30_000,
  }, async () => {
    const sandbox = await startSandbox()
    const [listing] = await sandbox.forSale(1)
    const body = { domain: listing?.domain, expected_price: listing?.price_cents, currency: 'USD', buyer: BUYER }
    const order = { path: '/orders', body, key: 'one' }
    const refused = [{ headers: { 'Content-Type': 'text/plain' } }, { key: 'k'.repeat(1_000) }]
    for (const wrong of refused) expect((await sandbox.call({ ...order, ...wrong })).json.code).toBe('validation_error')
    expect((await sandbox.call(order)).status).toBe(201)
    const { file, err, scenario } = await recorded(sandbox)
    expect(err).toMatch(/^left out: POST [^\n]*: refused for its Idempotency-Key, [^\n]*\n$/)
    const orders = scenario.steps.filter(({ call }) => call?.op === 'orders.create')
    expect(orders.map(({ fault }) => fault)).toEqual([{ content_type: { raw: 'text/plain' } }, undefined])
    await expectGreen(file)
  })

  it('says which credential no scenario has', async () => {
    const sandbox = await startSandbox()
    await sandbox.call({ path: '/pricing' })
    await sandbox.call({ path: '/pricing', as: 'revoked' })
    const { err } = await recorded(sandbox)
    expect(err).toMatch(/^left out: GET [^\n]*: a scenario cannot call with the credential revoked\n$/)
  })

  it('leaves the key out of an order that was refused for it, and sells the domain after that', {
    timeout: 30_000,
  }, async () => {
    const sandbox = await startSandbox()
    const [listing] = await sandbox.forSale(1)
    const order = { domain: listing?.domain, expected_price: listing?.price_cents, currency: 'USD', buyer: BUYER }
    const calls = [{}, { 'Idempotency-Key': '' }].map((headers) => ({ path: '/orders', body: order, headers }))
    for (const call of calls) expect((await sandbox.call(call)).json).toMatchObject(MISSING_KEY)
    expect((await sandbox.call({ path: '/orders', body: order, key: 'one' })).status).toBe(201)
    const { file, scenario } = await recorded(sandbox)
    const DROP = { idempotency_key: 'drop' }
    const orders = scenario.steps.filter(({ call }) => call?.op === 'orders.create')
    expect(orders.map(({ fault }) => fault)).toEqual([DROP, DROP, undefined])
    await expectGreen(file)
  })

  it('says on its error output what no scenario can say, and keeps the rest', async () => {
    const sandbox = await startSandbox()
    await sandbox.call({ path: '/pricing' })
    await sandbox.call({ path: '/nothing-here' })
    await sandbox.operate('PUT', '/v1/worlds/default/delivery-profile', { duplicate: 1 })
    const { err, scenario } = await recorded(sandbox)
    expect(err).toMatch(
      /^left out: GET \/api\/partner\/v1\/nothing-here .*\nleft out: the operator's PUT \/delivery-profile\n$/,
    )
    expect(scenario.steps).toHaveLength(1)
  })

  it('names what it leaves out once for each reason, and no key that only came with that', async () => {
    const sandbox = await startSandbox()
    await sandbox.call({ path: '/pricing' })
    for (const path of ['/nothing', '/else']) await sandbox.call({ path, method: 'POST', body: {}, key: 'one' })
    const { err, scenario } = await recorded(sandbox)
    const words = String.raw`2 calls, the first POST /api/partner/v1/nothing \(req_\w+\): no operation of the document`
    expect(err).toMatch(new RegExp(`^left out: ${words}\n$`))
    expect(scenario.why).toMatch(new RegExp(`Left out: ${words}\\.$`))
    expect(scenario).not.toHaveProperty('vars')
  })

  it('begins after a request where one is named', async () => {
    const sandbox = await startSandbox()
    const { headers } = await sandbox.call({ path: '/pricing' })
    await sandbox.call({ path: '/availability?domain=nowhere.example' })
    const { scenario } = await recorded(sandbox, '--since', String(headers['x-request-id']))
    expect(scenario.steps.map(({ call }) => call?.op)).toEqual(['availability'])
  })

  it.each([
    [['--since', 'yesterday'], /--since must be a request id, a time .* or a duration/],
    [['--title', 'Refusals'], /--title .* must be a sentence of 10 to 140 characters/],
    [['--title', 'TODO: a sentence'], /--title .* must be a sentence of 10 to 140 characters/],
    [['--since', 'req_nowhere'], /--since: no request "req_nowhere" in the log of this world; see request list/],
    [[], /nothing to record: the log of the world default has no call/],
  ])('refuses %j in an empty world in a line', async (args, words) => {
    const sandbox = await startSandbox()
    const { code, err } = await cliAgainst(sandbox).run('record', ...args)
    expect({ code, err }).toEqual({ code: 4, err: expect.stringMatching(words) })
  })

  it('takes a path that another server was sent as it is where its escapes cannot be undone', () => {
    const called = { target: '/api/partner/v1/orders/%zz' } as RecordedCall
    expect(pathOf(called, 'orders.detail')).toEqual({ public_id: '%zz' })
  })
})
