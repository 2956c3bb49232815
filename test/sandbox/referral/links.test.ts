import { expect, test } from 'vitest'
import { walk } from '../../support/sales.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const link = (sandbox: TestSandbox, body: unknown, as = 'main') => sandbox.call({ path: '/links', body, as })

test('a link of each kind is made with its own fields, no clicks and no sales, and its domain in its one spelling', async () => {
  const sandbox = await startSandbox()
  const [listing] = await sandbox.forSale(1)
  for (const body of [
    { kind: 'generic' },
    { kind: 'domain', domain: listing!.domain },
    { kind: 'product', product: 'logo maker' },
  ]) {
    const { status, json } = await link(sandbox, body)
    expect(status).toBe(201)
    expect(json).toEqual({
      link_id: expect.stringMatching(/^lnk_[0-9a-z]{16}$/),
      kind: body.kind,
      url: `${sandbox.url}/go/default/${json.link_id}`,
      domain: body.domain ?? null,
      product: body.product ?? null,
      clicks: 0,
      sales: 0,
      created_at: expect.stringMatching(/Z$/),
    })
  }
  expect((await link(sandbox, { kind: 'domain', domain: 'STALLS-4.test.' })).json.domain).toBe('stalls-4.test')
})

test('a malformed link is 400 validation_error in words about the field, and none is made', async () => {
  const sandbox = await startSandbox()
  for (const [body, says] of [
    [{ kind: 'banner' }, 'kind must be one of generic, domain, product'],
    [{}, 'kind is required'],
    [{ kind: 'domain' }, 'domain is required for a link of kind domain'],
    [{ kind: 'product' }, 'product is required for a link of kind product'],
    [{ kind: 'generic', domain: 'stalls-1.test' }, 'domain belongs to links of kind domain'],
    [{ kind: 'generic', product: 'x' }, 'product belongs to links of kind product'],
    [{ kind: 'domain', domain: 'stalls-1.test', product: 'x' }, 'product belongs to links of kind product'],
    [{ kind: 'product', product: 'x', domain: 'stalls-1.test' }, 'domain belongs to links of kind domain'],
    [{ kind: 'domain', domain: 'no domain' }, 'domain must be a domain name'],
    [{ kind: 'domain', domain: null }, 'domain must be a string'],
    [{ kind: 'product', product: '' }, 'product'],
    [{ kind: 'product', product: 'x'.repeat(101) }, 'product'],
    [{ kind: 'generic', partner_id: 'ptr_x' }, 'unknown field partner_id'],
    [{ kind: 'generic', clicks: 7 }, 'unknown field clicks'],
  ] as const) {
    const { status, json } = await link(sandbox, body)
    expect([body, status, json.code]).toEqual([body, 400, 'validation_error'])
    expect(json.message).toContain(says)
  }
  expect((await sandbox.call({ path: '/links' })).json.links).toEqual([])
})

test('a link to a domain that is not listed is 404 not_found', async () => {
  const sandbox = await startSandbox()
  const { status, json } = await link(sandbox, { kind: 'domain', domain: 'nobody.example' })
  expect([status, json.code]).toEqual([404, 'not_found'])
})

test('a credential that is not linked to an affiliate account gets 403 forbidden, with a message that says so', async () => {
  const sandbox = await startSandbox()
  const reads = ['/links', '/me/clicks', '/me/sales', '/me/commissions', '/me/payouts', '/analytics']
  for (const call of [{ path: '/links', body: { kind: 'generic' } }, ...reads.map((path) => ({ path }))]) {
    const { status, json } = await sandbox.call({ ...call, as: 'no-affiliate' })
    expect([call.path, status, json.code]).toEqual([call.path, 403, 'forbidden'])
    expect(json.message).toContain('affiliate')
  }
  expect((await sandbox.call({ path: '/payouts', as: 'no-affiliate' })).status).toBe(200)
})

test('the list holds the caller’s links only, newest first, page by page', async () => {
  const sandbox = await startSandbox()
  const made: string[] = []
  for (let n = 0; n < 5; n++) made.unshift((await link(sandbox, { kind: 'generic' })).json.link_id)
  const foreign = (await link(sandbox, { kind: 'generic' }, 'other-partner')).json.link_id
  const seen = await walk(sandbox, '/links', 'links')
  expect(seen.map((found) => found.link_id)).toEqual(made)
  expect((await sandbox.call({ path: '/links', as: 'other-partner' })).json.links).toHaveLength(1)
  const unknown = await sandbox.call({ path: '/links?cursor=lnk_0000000000000000' })
  const others = await sandbox.call({ path: `/links?cursor=${foreign}` })
  expect([unknown.status, unknown.json.code]).toEqual([400, 'validation_error'])
  expect([others.status, others.json.message]).toEqual([400, unknown.json.message])
  expect((await sandbox.call({ path: '/links?kind=domain' })).json.message).toContain('unknown parameter kind')
})
