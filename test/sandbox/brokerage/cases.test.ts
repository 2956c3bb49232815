import { expect, test } from 'vitest'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const BODY = { tier: 'managed', buyer_email: 'jane.doe@example.test', budget: 500_000 }

const open = (sandbox: TestSandbox, changes: Record<string, unknown> = {}, as = 'main') =>
  sandbox.call({ path: '/brokerage', body: { ...BODY, ...changes }, as })

const eligibility = async (sandbox: TestSandbox, domain: string) =>
  (await sandbox.call({ path: `/brokerage/eligibility?domain=${encodeURIComponent(domain)}` })).json

const without = (text: string) => text.replace(/"request_id":"[^"]*"/, '')

test('a case is opened with a progress link, the partner’s share and the first entry of its timeline', async () => {
  const sandbox = await startSandbox()
  const [listing] = await sandbox.forSale(1)
  for (const tier of ['managed', 'self_serve']) {
    const domain = tier === 'managed' ? listing!.domain : undefined
    const { status, json } = await open(sandbox, { tier, domain })
    expect(status).toBe(201)
    expect(json).toEqual({
      ...BODY,
      tier,
      case_id: expect.stringMatching(/^brk_[0-9a-z]{16}$/),
      domain: domain ?? null,
      currency: 'USD',
      status: 'OPEN',
      progress_url: expect.stringMatching(`^${sandbox.url}/brokerage/progress\\?pt=[\\w-]+\\.[\\w-]{43}$`),
      partner_share_basis_points: 1_000,
      deal_price_cents: null,
      partner_cut_cents: null,
      created_at: json.timeline[0].at,
      updated_at: json.created_at,
      timeline: [{ status: 'OPEN', at: expect.stringMatching(/Z$/), event_id: null, note: null }],
    })
    expect((await sandbox.call({ path: `/brokerage/${json.case_id}` })).json).toEqual(json)
  }
})

test('a malformed case is 400 validation_error in words about the field, and nothing is opened', async () => {
  const sandbox = await startSandbox()
  for (const [says, changes] of [
    ['tier must be one of managed, self_serve', { tier: 'premium' }],
    ['tier must be one of managed, self_serve, not null', { tier: null }],
    ['tier is required', { tier: undefined }],
    ['buyer_email must be an e-mail address', { buyer_email: 'jane' }],
    ['buyer_email must be an e-mail address', { buyer_email: '<script>@example.test' }],
    ['buyer_email is required', { buyer_email: undefined }],
    ['budget must be at least 1', { budget: 0 }],
    ['budget must be at least 1', { budget: -1 }],
    ['budget must be an integer', { budget: 10.5 }],
    ['budget must be an integer', { budget: '500' }],
    ['budget must be an integer', { budget: null }],
    ['budget must be at most 1000000000000', { budget: 1e15 }],
    ['budget is required', { budget: undefined }],
    ['domain must be a domain name', { domain: 'no domain' }],
    ['domain must be a string', { domain: null }],
    ['unknown field status', { status: 'DEAL_CLOSED' }],
    ['unknown field partner_cut_cents', { partner_cut_cents: 5 }],
  ] as const) {
    const { status, json } = await open(sandbox, changes)
    expect([says, status, json.code]).toEqual([says, 400, 'validation_error'])
    expect(json.message).toContain(says)
  }
  expect((await sandbox.call({ path: '/brokerage' })).json.cases).toEqual([])
})

test('a domain with an active live site, by name or by an operator’s word, cannot be brokered', async () => {
  const sandbox = await startSandbox()
  const [listing] = await sandbox.forSale(1)
  expect(await eligibility(sandbox, listing!.domain)).toEqual({ domain: listing!.domain, eligible: true, reason: null })
  await sandbox.operate('PATCH', `/v1/worlds/default/domains/${listing!.domain}`, { live_site: true })
  for (const domain of [listing!.domain, 'live-site-3.test']) {
    expect(await eligibility(sandbox, domain)).toEqual({ domain, eligible: false, reason: 'active_site' })
    const { status, json } = await open(sandbox, { domain })
    expect([status, json.code]).toEqual([409, 'conflict'])
    expect(json.message).toContain('active live site')
  }
  await sandbox.operate('PATCH', `/v1/worlds/default/domains/${listing!.domain}`, { live_site: false })
  expect((await eligibility(sandbox, listing!.domain)).eligible).toBe(true)
})

test('a domain in a case, whosever, is in no other until that case is closed', async () => {
  const sandbox = await startSandbox()
  const domain = 'wanted.example'
  const { json } = await open(sandbox, { domain: 'WANTED.example.' }, 'other-partner')
  expect(json.domain).toBe(domain)
  for (const step of [null, 'negotiate']) {
    if (step) await sandbox.operate('POST', `/v1/worlds/default/brokerage/${json.case_id}/${step}`, {})
    expect(await eligibility(sandbox, domain)).toEqual({ domain, eligible: false, reason: 'in_case' })
    expect((await open(sandbox, { domain })).json).toMatchObject({ code: 'conflict' })
  }
  await sandbox.operate('POST', `/v1/worlds/default/brokerage/${json.case_id}/close-no-deal`, {})
  expect((await eligibility(sandbox, domain)).eligible).toBe(true)
  expect((await open(sandbox, { domain })).status).toBe(201)
})

test('in-a-case-N is in a case, and names that are sold or not in the shop can be brokered', async () => {
  const sandbox = await startSandbox()
  expect((await eligibility(sandbox, 'in-a-case-9.test')).reason).toBe('in_case')
  expect((await open(sandbox, { domain: 'in-a-case-9.test' })).status).toBe(409)
  for (const domain of ['sold-1.test', 'nobody.example', 'xn--caf-dma.test']) {
    expect(await eligibility(sandbox, domain)).toEqual({ domain, eligible: true, reason: null })
  }
  expect((await eligibility(sandbox, 'Café.TEST')).domain).toBe('xn--caf-dma.test')
  for (const query of ['', '?domain=', '?domain=no%20domain', '?domain=a.test&color=red']) {
    const { status, json } = await sandbox.call({ path: `/brokerage/eligibility${query}` })
    expect([query, status, json.code]).toEqual([query, 400, 'validation_error'])
  }
})

test('of 20 cases for one domain at once, exactly one is opened', async () => {
  const sandbox = await startSandbox()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => open(sandbox, { domain: 'one.test' }, n % 2 ? 'main' : 'other-partner')),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)])
  const { json } = await sandbox.operate('GET', '/v1/worlds/default/brokerage?domain=one.test')
  expect(json.cases).toHaveLength(1)
})

test('another partner’s case, an unknown one and text that is no id answer alike', async () => {
  const sandbox = await startSandbox()
  const { case_id: foreign } = (await open(sandbox, {}, 'other-partner')).json
  const answers = await Promise.all(
    [foreign, 'brk_0000000000000000', '%27%3B--', 'ord_1'].map((id) => sandbox.call({ path: `/brokerage/${id}` })),
  )
  for (const { status, json } of answers) expect([status, json.code]).toEqual([404, 'not_found'])
  expect(new Set(answers.map(({ text }) => without(text))).size).toBe(1)
})

test('the list holds the caller’s cases only, newest first, by status and date, page by page', async () => {
  const sandbox = await startSandbox({ frozen: true, clockMs: Date.UTC(2026, 2, 1) })
  const ids: string[] = []
  for (let n = 0; n < 5; n++) {
    ids.unshift((await open(sandbox)).json.case_id)
    await sandbox.operate('POST', '/v1/worlds/default/clock/advance', { by: '1d' })
  }
  const foreign = (await open(sandbox, {}, 'other-partner')).json.case_id
  await sandbox.operate('POST', `/v1/worlds/default/brokerage/${ids[1]}/close-deal`, { price_cents: 100 })
  const list = async (query: string) => {
    const { status, json } = await sandbox.call({ path: `/brokerage${query}`, as: 'only-report' })
    return status === 200 ? json.cases.map((found: { case_id: string }) => found.case_id) : json.message
  }
  expect(await list('')).toEqual(ids)
  expect(await list('?status=DEAL_CLOSED')).toEqual([ids[1]])
  expect(await list('?from=2026-03-02&to=2026-03-04')).toEqual([ids[2], ids[3]])
  expect(await list('?status=OPEN&from=2026-03-04')).toEqual([ids[0]])
  expect(await list('?limit=2')).toEqual(ids.slice(0, 2))
  expect(await list(`?limit=2&cursor=${ids[1]}`)).toEqual(ids.slice(2, 4))
  expect(await list(`?cursor=${foreign}`)).toBe(await list('?cursor=brk_0000000000000000'))
  expect(await list('?status=WON')).toContain('status must be one of OPEN, NEGOTIATING, DEAL_CLOSED, CLOSED_NO_DEAL')
  const { json } = await sandbox.call({ path: '/brokerage?status=DEAL_CLOSED' })
  expect([json.cases[0].deal_price_cents, json.cases[0].partner_cut_cents, json.next_cursor]).toEqual([100, 10, null])
})
