import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { AUTH_HEADERS } from '../../src/contract/headers.ts'
import { startSandbox, type TestCall, type TestSandbox } from '../support/sandbox.ts'

const LOG = '/v1/worlds/default/requests'

/** A call that is refused, with the diagnosis that the operator reads. */
async function refused(sandbox: TestSandbox, call: TestCall) {
  const answer = await sandbox.call(call)
  const id = String(answer.headers['x-request-id'])
  const { json } = await sandbox.operate('GET', `/v1/requests/${id}`)
  return { ...json, code: answer.json.code, message: answer.json.message }
}

function orderOf({ domain, price_cents, currency }: { domain: string; price_cents: number; currency: string }) {
  return { domain, expected_price: price_cents, currency, buyer: { email: 'buyer@example.test' } }
}

/** Leaves out the headers of authentication. */
const unsigned: TestCall['after'] = ({ headers }) => {
  for (const name of AUTH_HEADERS) delete headers[name]
}

describe('the diagnosis of a refused call', () => {
  it('compares another body under a used key with the first one, and names the call that used it', async () => {
    const sandbox = await startSandbox()
    const [listing] = (await sandbox.forSale(1)) as [Awaited<ReturnType<TestSandbox['forSale']>>[number]]
    const order = orderOf(listing)
    const first = await sandbox.call({ method: 'POST', path: '/orders', key: 'k-1', body: order })
    const firstId = String(first.headers['x-request-id'])
    const body = { ...order, buyer: { email: 'other@example.test' } }
    const { status, diagnosis, refused_by } = await refused(sandbox, {
      method: 'POST',
      path: '/orders',
      key: 'k-1',
      body,
    })
    expect([status, refused_by]).toEqual([409, 'request'])
    expect(diagnosis.sentence).toMatch(new RegExp(`: ${firstId} at .+ used it, and buyer.email differs\\.$`))
    expect(diagnosis.compared).toEqual([
      { name: 'buyer.email', sent: '"other@example.test"', expected: '"buyer@example.test"' },
    ])
    expect(diagnosis.help[0].command).toContain(`request show ${firstId}`)
  })

  it('says that a retry under a used key has the same JSON in other bytes, and not that a refusal was repeated', async () => {
    const sandbox = await startSandbox()
    const [listing] = (await sandbox.forSale(1)) as [Awaited<ReturnType<TestSandbox['forSale']>>[number]]
    const call = { method: 'POST', path: '/orders', key: 'k-1' } as const
    expect((await sandbox.call({ ...call, body: orderOf(listing) })).status).toBe(201)
    const spaced = await refused(sandbox, { ...call, body: JSON.stringify(orderOf(listing), null, 1) })
    expect(spaced.status).toBe(409)
    expect(spaced.diagnosis.sentence).toMatch(/ used it, and the two bodies are the same JSON in other bytes; /)
    expect(spaced.diagnosis.sentence).not.toContain('refusal')
  })

  it('names the quote whose token was sent as its id', async () => {
    const sandbox = await startSandbox()
    const [listing] = (await sandbox.forSale(1)) as [Awaited<ReturnType<TestSandbox['forSale']>>[number]]
    const { json: quote } = await sandbox.call({ path: '/quotes', body: { domain: listing.domain } })
    const body = { ...orderOf(listing), quote_id: quote.quote_token }
    const { status, diagnosis } = await refused(sandbox, { method: 'POST', path: '/orders', key: 'k-1', body })
    expect(status).toBe(400)
    expect(diagnosis.help).toEqual([
      { says: `quote_id has the quote_token of ${quote.quote_id}: send that id instead.`, command: null },
    ])
  })

  it('begins with a capital letter, but for the name of a field', async () => {
    const sandbox = await startSandbox()
    const sentenceOf = async (body: string) =>
      (await refused(sandbox, { method: 'POST', path: '/quotes', body })).diagnosis.sentence
    expect(await sentenceOf('[]')).toBe('The body must be a JSON object.')
    expect(await sentenceOf('{"domain":1}')).toMatch(/^domain must be /)
  })

  it('of a GET whose body was hashed says that a GET has the hash of zero bytes', async () => {
    const sandbox = await startSandbox()
    const body = '{"a":1}'
    const digest = createHash('sha256').update(body).digest('hex')
    const after: TestCall['after'] = ({ target, headers }) => {
      const lines = ['GET', target, '', headers['X-Partner-Timestamp'], headers['X-Partner-Nonce'], digest]
      const signature = createHmac('sha256', sandbox.credentials[0]?.secret ?? '')
        .update(lines.join('\n'))
        .digest('hex')
      headers['X-Partner-Signature'] = `v1=${signature}`
    }
    const headers = { 'content-length': String(body.length) }
    const { refused_by, diagnosis } = await refused(sandbox, { method: 'GET', path: '/orders', body, headers, after })
    expect(refused_by).toBe('signature')
    expect(diagnosis.sentence).toMatch(/^A GET was sent with a body\. If its hash was signed: .+ zero bytes\. /)
  })

  it('of a wrong price says what was sent, what applies, and when an operator set it', async () => {
    const sandbox = await startSandbox()
    const [listing] = (await sandbox.forSale(1)) as [Awaited<ReturnType<TestSandbox['forSale']>>[number]]
    await sandbox.operate('PATCH', `/v1/worlds/default/domains/${listing.domain}`, { price_cents: 777_700 })
    const call = { method: 'POST', path: '/orders', key: 'k-2', body: orderOf(listing) }
    const { code, diagnosis, request_id } = await refused(sandbox, call)
    expect(code).toBe('price_mismatch')
    expect(diagnosis.sentence).toMatch(/^expected_price is .+, which an operator set at /)
    expect(diagnosis.compared).toEqual([
      { name: 'expected_price', sent: `${listing.price_cents} USD cents`, expected: '777700 USD cents' },
    ])
    // Another price later changes nothing of what was decided.
    await sandbox.operate('PATCH', `/v1/worlds/default/domains/${listing.domain}`, { price_cents: 888_800 })
    const again = await sandbox.operate('GET', `${LOG}/${request_id}`)
    expect(again.json.diagnosis).toEqual(diagnosis)
  })

  it('of a price says when an operator imported it as CSV', async () => {
    const sandbox = await startSandbox()
    const csv = await fetch(`${sandbox.operator?.url}/v1/worlds/default/domains`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: 'domain,price_cents\nimported-one.test,500000\n',
    })
    expect(csv.status).toBe(201)
    const body = orderOf({ domain: 'imported-one.test', price_cents: 400_000, currency: 'USD' })
    const { code, diagnosis } = await refused(sandbox, { method: 'POST', path: '/orders', key: 'k-2b', body })
    expect(code).toBe('price_mismatch')
    expect(diagnosis.sentence).toMatch(/^expected_price is .+, which an operator set at \S+Z of the world’s time\.$/)
  })

  it('of a sold domain says when it was sold, by which order, to whose partner, and what helps', async () => {
    const sandbox = await startSandbox({ clockMs: Date.UTC(2026, 0, 15), frozen: true })
    const [listing] = (await sandbox.forSale(1)) as [Awaited<ReturnType<TestSandbox['forSale']>>[number]]
    const { json } = await sandbox.call({ as: 'other-partner', path: '/orders', key: 'k-s', body: orderOf(listing) })
    const partner = sandbox.credentials.find(({ name }) => name === 'other-partner')?.partner_id
    const sentence = `${listing.domain} was sold at 2026-01-15T00:00:00.000Z of the world’s time by the order ${json.public_id} of partner ${partner}.`
    const calls = [
      { method: 'POST', path: '/orders', key: 'k-t', body: orderOf(listing) },
      { method: 'POST', path: '/quotes', body: { domain: listing.domain } },
      { path: `/pricing?domain=${listing.domain}` },
    ]
    for (const call of calls) {
      const { diagnosis } = await refused(sandbox, call)
      expect(diagnosis.sentence).toBe(sentence)
      expect(diagnosis.compared).toEqual([
        { name: 'domain', sent: listing.domain, expected: 'a listed domain that is not sold' },
      ])
      expect(diagnosis.help.map(({ command }: { command: string }) => command)).toEqual([
        expect.stringContaining(`order show ${json.public_id}`),
        expect.stringContaining(`order refund ${json.public_id}`),
      ])
    }
    const refund = await sandbox.operate('POST', `/v1/worlds/default/orders/${json.public_id}/refund`, {})
    expect(refund.status).toBe(200)
    expect((await sandbox.call({ path: `/pricing?domain=${listing.domain}` })).status).toBe(200)
  })

  it('of a name that counts as sold from the beginning says so', async () => {
    const sandbox = await startSandbox()
    const { diagnosis } = await refused(sandbox, { path: '/pricing?domain=sold-1.test' })
    expect(diagnosis.sentence).toBe('sold-1.test counts as sold from the beginning, by its name.')
    expect(diagnosis.help[0].command).toContain('domain list')
  })

  it('of an expired quote says when it ended, how long ago, and how to get a new one', async () => {
    const sandbox = await startSandbox()
    const [listing] = (await sandbox.forSale(1)) as [Awaited<ReturnType<TestSandbox['forSale']>>[number]]
    const quote = await sandbox.call({ method: 'POST', path: '/quotes', body: { domain: listing.domain } })
    await sandbox.operate('POST', '/v1/worlds/default/clock/advance', { by: '10m30s' })
    const body = { ...orderOf(listing), quote_id: quote.json.quote_id }
    const { code, diagnosis } = await refused(sandbox, { method: 'POST', path: '/orders', key: 'k-3', body })
    expect(code).toBe('quote_expired')
    expect(diagnosis.sentence).toMatch(
      /^The quote qt_\w+ for .+ ended at .+ of the world’s time, (?:29|30|31|32)s before this call\.$/,
    )
    expect(diagnosis.help[0]).toMatchObject({
      says: 'Request a new quote.',
      command: expect.stringMatching(/ sign POST .+\/quotes .+ --curl .*\| sh$/),
    })
  })

  it('of a wrong body has each field with what was sent and what is expected', async () => {
    const sandbox = await startSandbox()
    const body = { domain: 'no name', currency: 'usd', color: 'red' }
    const { diagnosis } = await refused(sandbox, { method: 'POST', path: '/quotes', body })
    const alone = await refused(sandbox, { method: 'POST', path: '/quotes', body: { domain: 'no name' } })
    expect([alone.diagnosis.sentence, alone.reason]).toEqual(
      Array(2).fill('domain must be a domain name, not "no name".'),
    )
    expect(diagnosis.compared).toEqual(
      expect.arrayContaining([
        { name: 'color', sent: 'a value', expected: null },
        { name: 'domain', sent: '"no name"', expected: 'a domain name' },
        { name: 'currency', sent: '"usd"', expected: 'a three-letter currency code in upper case' },
      ]),
    )
  })

  it('tells an unlisted name, an unknown order and one of another partner apart', async () => {
    const sandbox = await startSandbox()
    const [listing] = (await sandbox.forSale(1)) as [Awaited<ReturnType<TestSandbox['forSale']>>[number]]
    const typo = listing.domain.replace(/.\.test$/, 'qq.test')
    const unlisted = (await refused(sandbox, { path: `/pricing?domain=${typo}` })).diagnosis
    expect(unlisted.help.map(({ says }: { says: string }) => says)).toEqual([
      expect.stringMatching(/^The nearest listed domain is .+\.test\.$/),
    ])
    expect(unlisted.compared).toEqual([{ name: 'domain', sent: typo, expected: 'a listed domain' }])
    const unknown = (await refused(sandbox, { path: '/orders/ord_none' })).diagnosis
    expect(unknown.sentence).toBe('No order of this world has the id ord_none.')
    expect(unknown.compared).toEqual([
      { name: 'id of the order', sent: 'ord_none', expected: 'that of one of this partner’s orders' },
    ])
    const { json } = await sandbox.sell()
    const foreign = await refused(sandbox, { as: 'other-partner', path: `/orders/${json.public_id}` })
    expect(foreign.message).toBe('no such order')
    expect(foreign.diagnosis.sentence).toContain('belongs to another partner, ptr_')
  })

  it.for<[what: string, call: TestCall, says: RegExp, command: RegExp]>([
    ['a query without q', { path: '/domains/search' }, /^Send a call that is accepted/, /sign GET .+q=solar.+ \| sh$/],
    [
      'an order without its key',
      { method: 'POST', path: '/orders', body: orderOf({ domain: 'a.test', price_cents: 1, currency: 'USD' }) },
      /^Send a call that is accepted/,
      /sign POST .+--idempotency-key .+ \| sh$/,
    ],
    ['an order that there is not', { path: '/orders/ord_none' }, /^What is accepted: GET .orders/, /order list/],
    ['an endpoint that there is not', { path: '/nope' }, /^See every endpoint/, /coverage --all/],
    [
      'a webhook endpoint that is not allowed',
      {
        method: 'PUT',
        path: '/api/partner/webhooks',
        body: { url: 'http://127.0.0.1:0/hooks', secret: 'a-secret-of-mine' },
      },
      /^What is accepted: PUT .+ with the url of the receiver and a secret\.$/,
      /delivery endpoints/,
    ],
    ['a call that is not signed', { path: '/orders', after: unsigned }, /^Sign the same call/, /sign GET .+\/orders /],
  ])('of %s has a command that helps', async ([, call, says, command]) => {
    const sandbox = await startSandbox()
    const { diagnosis } = await refused(sandbox, { ...call, undocumented: true })
    expect(diagnosis.help).toEqual([{ says: expect.stringMatching(says), command: expect.stringMatching(command) }])
  })

  it('of a call that is not signed names the missing headers in one clause', async () => {
    const sandbox = await startSandbox()
    expect((await refused(sandbox, { path: '/orders', after: unsigned })).diagnosis.sentence).toBe(
      'X-Partner-Key-Id, X-Partner-Timestamp, X-Partner-Nonce and X-Partner-Signature are missing.',
    )
  })

  it('of a missing scope names the credentials of the world that have it', async () => {
    const sandbox = await startSandbox()
    const { diagnosis } = await refused(sandbox, { as: 'no-scope', path: '/orders' })
    expect(diagnosis.compared).toEqual([{ name: 'scopes', sent: 'none', expected: expect.stringContaining(' or ') }])
    expect(diagnosis.help[0].says).toMatch(/^Use a credential that may make the call: main, /)
    const unlinked = await refused(sandbox, { as: 'no-affiliate', path: '/links' })
    expect([unlinked.status, unlinked.diagnosis.help[0].says]).toEqual([
      403,
      expect.not.stringContaining('no-affiliate'),
    ])
  })

  it('of too many calls says the limit, the window and when the next is free', async () => {
    const sandbox = await startSandbox({ rateLimit: { requests: 1, seconds: 60 } })
    await sandbox.call({ path: '/orders' })
    const { diagnosis, refused_by } = await refused(sandbox, { path: '/orders' })
    expect([refused_by, diagnosis.compared]).toEqual([
      'rate-limit',
      [{ name: 'calls in 60 seconds', sent: '2', expected: 'at most 1' }],
    ])
    expect(diagnosis.sentence).toMatch(
      /^The credential main made 1 call in .+; the next is free at \d{4}-.+Z of the real time\.$/,
    )
  })

  it('of a refund says the state of the order and in which it is possible', async () => {
    const sandbox = await startSandbox()
    const { public_id } = (await sandbox.sell()).json
    for (const step of ['start-transfer', 'complete-transfer']) {
      expect(await sandbox.operate('POST', `/v1/worlds/default/orders/${public_id}/${step}`, {})).toMatchObject({
        status: 200,
      })
    }
    const { diagnosis } = await refused(sandbox, { method: 'POST', path: '/refunds', key: 'r-1', body: { public_id } })
    expect(diagnosis.compared[0]).toMatchObject({ name: 'state of the order', sent: 'TRANSFER_COMPLETED' })
    expect(diagnosis.help[0].command).toContain(`order show ${public_id}`)
  })

  it('of a fault says which one refused the call, and how to remove it', async () => {
    const sandbox = await startSandbox()
    const rule = { match: { endpoint: 'orders.list' }, effect: { code: 'conflict' }, times: 5 }
    const made = await sandbox.operate('POST', '/v1/worlds/default/faults', rule)
    const { diagnosis } = await refused(sandbox, { path: '/orders', undocumented: true })
    expect([made.status, diagnosis.sentence]).toEqual([201, expect.stringContaining(made.json.id)])
    expect(diagnosis.help[0].command).toContain(`fault remove ${made.json.id}`)
  })

  it('of a fault that is used up, or was removed since, says to send the call again', async () => {
    const sandbox = await startSandbox()
    const rule = { match: { endpoint: 'orders.list' }, effect: { code: 'conflict' }, times: 2 }
    const made = await sandbox.operate('POST', '/v1/worlds/default/faults', rule)
    const first = await refused(sandbox, { path: '/orders', undocumented: true })
    expect(first.diagnosis.help[0].says).toBe('Remove the fault.')
    await sandbox.call({ path: '/orders', undocumented: true })
    const helpNow = async () => (await sandbox.operate('GET', `${LOG}/${first.request_id}`)).json.diagnosis.help
    expect(await helpNow()).toEqual([
      {
        says: 'Send the call again: the fault has acted 2 times and is used up.',
        command: expect.stringMatching(/ sign GET .+\/orders .+ --curl .*\| sh$/),
      },
    ])
    await sandbox.operate('DELETE', `/v1/worlds/default/faults/${made.json.id}`)
    expect((await helpNow())[0].says).toBe('Send the call again: the fault was removed.')
  })

  it('of a path that leads nowhere compares it with the endpoint that was meant', async () => {
    const sandbox = await startSandbox()
    const { diagnosis } = await refused(sandbox, { path: '/order', undocumented: true })
    expect(diagnosis.compared).toEqual([
      { name: 'verb and path', sent: 'GET /api/partner/v1/order', expected: 'GET /api/partner/v1/orders' },
    ])
  })

  it('of a body that is too large or of another type says both sizes, or both types', async () => {
    const sandbox = await startSandbox()
    const large = await refused(sandbox, { method: 'POST', path: '/quotes', body: 'x'.repeat(70_000) })
    expect([large.status, large.diagnosis.compared]).toEqual([
      413,
      [{ name: 'bytes of the body', sent: '70000', expected: 'at most 65536' }],
    ])
    const headers = { 'Content-Type': 'text/plain' }
    const typed = await refused(sandbox, { method: 'POST', path: '/quotes', body: '{}', headers })
    expect([typed.status, typed.diagnosis.compared]).toEqual([
      415,
      [{ name: 'Content-Type', sent: 'text/plain', expected: 'application/json' }],
    ])
  })

  it('judges a timestamp by the settings that held when the call came', async () => {
    const sandbox = await startSandbox()
    const timestamp = String(Math.floor(Date.now() / 1000) - 400)
    const { request_id: id, diagnosis } = await refused(sandbox, { path: '/orders', timestamp })
    expect(diagnosis.sentence).toContain('7 minutes behind')
    const set = await sandbox.operate('PUT', '/v1/worlds/default/clock', { auth_skew_seconds: -400 })
    expect(set.status).toBe(200)
    expect((await sandbox.operate('GET', `${LOG}/${id}`)).json.diagnosis).toEqual(diagnosis)
  })

  it('holds no secret', async () => {
    const sandbox = await startSandbox()
    const { secret } = sandbox.credentials[0] as { secret: string }
    const calls: TestCall[] = [
      { method: 'POST', path: '/quotes', body: { domain: secret } },
      { path: `/pricing?domain=${secret}` },
      { path: `/orders/${secret}` },
      { method: 'POST', path: '/orders', key: secret, body: {}, signs: { secret: 'sk_sandbox_wrong' } },
    ]
    for (const call of calls) {
      const { diagnosis, reason } = await refused(sandbox, call)
      expect(JSON.stringify([diagnosis, reason])).not.toContain(secret.slice('sk_sandbox_'.length))
    }
  })
})

describe('the request log', () => {
  it('has a reason for each 4xx, that of a wrong signature included, and none for the rest', async () => {
    const sandbox = await startSandbox()
    await sandbox.call({ path: '/orders' })
    await sandbox.call({ path: '/orders/ord_none' })
    await sandbox.call({ path: '/orders', signs: { method: 'get' } })
    const { requests } = (await sandbox.operate('GET', LOG)).json
    expect(requests.map(({ reason, refused_by }: Record<string, unknown>) => [reason, refused_by])).toEqual([
      ['The verb was signed in lower case.', 'signature'],
      ['No order of this world has the id ord_none.', 'request'],
      [null, null],
    ])
  })
})
