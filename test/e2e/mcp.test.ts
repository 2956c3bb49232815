import { expect, test } from 'vitest'
import { agent, sharedAgent } from '../support/mcp-agent.ts'

const anyAgent = sharedAgent()

test('twelve tools in a fixed order, each with schemas; reads are marked as reads', async () => {
  const { client } = await anyAgent()
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([
    ...['status', 'explain_call', 'explain_delivery', 'sign', 'call_partner_api', 'find_operation'],
    ...['read_operator', 'act_operator', 'advance_clock', 'coverage', 'run_conformance', 'judge_receiver'],
  ])
  for (const { inputSchema, outputSchema } of tools) {
    expect([inputSchema.type, outputSchema?.type]).toEqual(['object', 'object'])
  }
  const reads = tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name)
  expect(reads).toEqual([
    ...['status', 'explain_call', 'explain_delivery', 'sign', 'find_operation', 'read_operator', 'coverage'],
  ])
  expect(tools.find(({ name }) => name === 'act_operator')?.annotations?.destructiveHint).toBe(true)
})

test('a word that no operation has finds none, whatever else it names', async () => {
  const { call } = await anyAgent()
  expect((await call('find_operation', { words: 'constructor' })).json).toMatchObject({ found: [], others: [] })
})

test('a client that knows nothing sells a domain, moves the order, jumps the clock and learns why a call was refused, within 12 calls and 15,000 tokens', async () => {
  const { call, calls, characters } = await agent()
  const status = await call('status')
  expect(status.json.world).toBe('default')
  const { json: search } = await call('find_operation', { words: 'search domains' })
  expect(search.found[0]).toMatchObject({ id: 'domains.search', tool: 'call_partner_api' })
  const { json: listed } = await call('call_partner_api', { method: 'GET', path: search.found[0].example })
  const { domain, price_cents: price } = listed.data.body.domains[0]
  const { json: sale } = await call('find_operation', { words: 'record a sale order' })
  const create = sale.found.find(({ id }: { id: string }) => id === 'orders.create')
  const order = { method: 'POST', path: '/orders', idempotency_key: 'order-1' }
  const body = { ...create.example, domain }
  const refused = await call('call_partner_api', { ...order, body })
  expect(refused.json).toMatchObject({ status: 422, code: 'price_mismatch' })
  const { json: why } = await call('explain_call')
  expect(why.reason.join('\n')).toContain(
    `expected_price: sent ${create.example.expected_price} USD cents, expected ${price} USD cents`,
  )
  const sold = await call('call_partner_api', {
    ...order,
    idempotency_key: 'order-2',
    body: { ...body, expected_price: price },
  })
  const { public_id, status: state } = sold.json.data.body
  expect(state).toBe('EXTERNALLY_PAID')
  const { json: steps } = await call('find_operation', { words: 'start transfer order' })
  expect(steps.found[0]).toMatchObject({ id: 'orders.startTransfer', tool: 'act_operator' })
  const moved = await call('act_operator', { operation: steps.found[0].id, params: { public_id } })
  expect(moved.json.data.status).toBe('TRANSFER_IN_PROGRESS')
  const { json: receipt } = await call('advance_clock', { by: '10m30s' })
  expect(Date.parse(receipt.to) - Date.parse(receipt.from)).toBe(630_000)
  expect(calls()).toBeLessThanOrEqual(12)
  // Three characters a token is fewer than any tokenizer needs for JSON.
  expect(characters() / 3).toBeLessThan(15_000)
})

test('no answer has a secret, also not of what a tool has just made', async () => {
  const { call } = await anyAgent()
  const { text } = await call('act_operator', { operation: 'worlds.create', input: { name: 'mine' } })
  expect(text).toContain('pk_sandbox_')
  expect(text).not.toMatch(/sk_sandbox_\w/)
  const { json } = await call('call_partner_api', { method: 'GET', path: '/orders', world: 'mine' })
  expect(json).toMatchObject({ status: 200, code: null })
})

test('a wrong signature is explained with the header that would be right', async () => {
  const { call } = await anyAgent()
  const headers = { 'X-Partner-Signature': 'v1=00' }
  const { json } = await call('call_partner_api', { method: 'GET', path: '/orders', headers })
  expect(json.status).toBe(401)
  const { json: why } = await call('explain_call', { request_id: json.request_id })
  expect(why.refused_by).toBe('signature')
  expect(why.expected_signature_header).toMatch(/^X-Partner-Signature: v1=[0-9a-f]{64}$/)
  const { json: signed } = await call('sign', { method: 'GET', path: '/orders' })
  expect(signed.canonical_string).toContain('GET\n/api/partner/v1/orders\n')
  expect(signed.curl).toContain(signed.headers['X-Partner-Signature'])
})

test('refuses what it does not have, with what to do instead', async () => {
  const { call } = await agent()
  const texts = [
    await call('read_operator', { operation: 'orders.lst' }),
    await call('read_operator', { operation: 'orders.refund' }),
    await call('act_operator', { operation: 'orders.refund' }),
    await call('explain_call'),
    await call('explain_delivery'),
    await call('call_partner_api', { method: 'GET', path: '/orders', credential: 'nobody' }),
  ].map(({ isError, text }) => [isError, text.slice(0, 70)])
  expect(texts).toEqual([
    [true, 'unknown operation "orders.lst"; did you mean "orders.list"?'],
    [true, 'operation: orders.refund is for the tool act_operator'],
    [true, 'params.public_id: required'],
    [true, 'no call was refused in the world default; calls with an unknown key id'],
    [true, 'there is no delivery: register a receiver with PUT /api/partner/webhoo'],
    [true, 'unknown credential "nobody"; there are main, other-partner, only-searc'],
  ])
})

test('finds an endpoint by the words of a task, and says which API has a name that both have', async () => {
  const { call } = await anyAgent()
  for (const words of ['sell a domain', 'purchase', 'place an order', 'create order']) {
    const { json } = await call('find_operation', { words })
    expect(json.found.map(({ id }: { id: string }) => id)).toContain('orders.create')
  }
  const { json } = await call('find_operation', { words: 'jump' })
  expect(json.found[0].id).toBe('clock.advance')
  const { json: all } = await call('find_operation')
  expect(all.others).toEqual(expect.arrayContaining(['orders.list (partner)', 'orders.list (operator)']))
})

test('names an argument that a tool does not have', async () => {
  const { call } = await anyAgent()
  const { isError, text } = await call('status', { wrold: 'default' })
  expect([isError, text]).toEqual([true, expect.stringContaining('unknown argument "wrold"; did you mean "world"?')])
})

test('explains a call with a long address, and signs one with a long body', async () => {
  const { call } = await anyAgent()
  const path = `/domains/search?q=${'a'.repeat(15_000)}`
  const { json } = await call('call_partner_api', { method: 'GET', path, headers: { 'X-Partner-Signature': 'v1=00' } })
  expect(json.code).toBe('invalid_signature')
  const { json: why } = await call('explain_call', { request_id: json.request_id })
  expect(why.reason[0]).toContain('The signature is malformed')
  expect(why.canonical_string).toMatch(/more characters\)$/)
  const long = { method: 'POST', path: '/orders', body: { domain: 'x'.repeat(60_000) }, idempotency_key: 'k' }
  expect((await call('sign', long)).json.headers['X-Partner-Signature']).toMatch(/^v1=[0-9a-f]{64}$/)
})

test('the pages of the documentation and the requirements are resources', async () => {
  const { client } = await anyAgent()
  const { resources } = await client.listResources()
  const uris = resources.map(({ uri }) => uri)
  expect(uris).toContain('partner-sandbox://docs/signing.md')
  const { contents } = await client.readResource({ uri: 'partner-sandbox://requirements.yaml' })
  expect(JSON.stringify(contents)).toContain('AUTH-01')
})
