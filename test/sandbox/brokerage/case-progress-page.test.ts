import { expect, test } from 'vitest'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { visitor } from '../../support/visitor.ts'

const HTML = '<img src=x onerror=alert(1)>"\'&</script><script>alert(2)</script>'

async function newCase(sandbox: TestSandbox, changes: Record<string, unknown> = {}) {
  const body = { tier: 'managed', buyer_email: 'jane.doe@example.test', budget: 777_700, ...changes }
  const { json } = await sandbox.call({ path: '/brokerage', body })
  return json as { case_id: string; progress_url: string }
}

test('the progress link opens without a login and follows the case, step by step', async () => {
  const sandbox = await startSandbox({ frozen: true, clockMs: Date.UTC(2026, 2, 1, 9, 30) })
  const { case_id: caseId, progress_url: url } = await newCase(sandbox, { domain: 'wanted.example' })
  const first = await visitor().get(url)
  expect(first.status).toBe(200)
  for (const text of ['wanted.example', 'Managed', 'Opened', '2026-03-01 09:30 UTC', caseId]) {
    expect(first.text).toContain(text)
  }
  await sandbox.operate('POST', `/v1/worlds/default/brokerage/${caseId}/negotiate`, { reason: 'first offer made' })
  const second = await visitor().get(url)
  expect(second.text).toContain('We are talking with the owner.')
  expect(second.text).toContain('first offer made')
  expect(second.text).toMatch(/aria-current="step".*?Negotiating.*?Closed.*?Not yet/)
  await sandbox.operate('POST', `/v1/worlds/default/brokerage/${caseId}/close-deal`, {})
  expect((await visitor().get(url)).text).toContain('Deal closed')
})

test('it shows as little of the buyer as will do, no money, no form and no script', async () => {
  const sandbox = await startSandbox()
  const { progress_url: url, case_id: caseId } = await newCase(sandbox)
  await sandbox.operate('POST', `/v1/worlds/default/brokerage/${caseId}/close-deal`, { price_cents: 654_321 })
  const { text, headers } = await visitor().get(url)
  expect(text).toContain('j•••@example.test')
  for (const hidden of ['jane.doe', '7,777', '777700', '6,543', '654321', 'ptr_', '<script', '<form', 'href=']) {
    expect(text).not.toContain(hidden)
  }
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('set-cookie')).toBeNull()
})

test('whatever an operator writes is shown as text', async () => {
  const sandbox = await startSandbox()
  const { progress_url: url, case_id: caseId } = await newCase(sandbox)
  await sandbox.operate('POST', `/v1/worlds/default/brokerage/${caseId}/negotiate`, { reason: HTML })
  const { text } = await visitor().get(url)
  expect(text).toContain('&lt;img src=x onerror=alert(1)>')
  for (const raw of ['<img', '<script', '</script']) expect(text).not.toContain(raw)
})

test('it only reads: no other verb does anything', async () => {
  const sandbox = await startSandbox()
  const { progress_url: url, case_id: caseId } = await newCase(sandbox)
  const posted = await visitor().post(url, { status: 'DEAL_CLOSED' })
  expect(posted.status).toBeGreaterThanOrEqual(400)
  expect((await visitor().head(url)).status).toBe(200)
  expect((await sandbox.call({ path: `/brokerage/${caseId}` })).json.timeline).toHaveLength(1)
})

test('a token altered in any character, of another purpose, cut, doubled or missing opens one and the same 404 page', async () => {
  const sandbox = await startSandbox()
  const { progress_url: url } = await newCase(sandbox)
  const [page, token] = url.split('?pt=') as [string, string]
  const bad = ['', 'x', token.slice(0, -1), `${token}A`, `${token}.${token}`, token.replace('.', '')]
  for (let at = 0; at < token.length; at++) {
    bad.push(token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1))
  }
  const link = (await sandbox.call({ path: '/links', body: { kind: 'generic' } })).json
  const browser = visitor()
  await browser.get(link.url)
  bad.push(browser.cookies.get('visits_default') as string)
  const answers = new Set<string>()
  for (const wrong of bad) {
    const { status, text } = await visitor().get(`${page}?pt=${wrong}`)
    expect([wrong, status]).toEqual([wrong, 404])
    answers.add(text)
  }
  answers.add((await visitor().get(page)).text)
  expect(answers.size).toBe(1)
  expect((await visitor().get(url)).status).toBe(200)
})

test('the link dies with the world and with its reset', async () => {
  const sandbox = await startSandbox()
  const { progress_url: url } = await newCase(sandbox)
  await sandbox.operate('POST', '/v1/worlds/default/reset', {})
  const { case_id: again, progress_url: now } = await newCase(sandbox)
  expect(again).toMatch(/^brk_/)
  expect((await visitor().get(url)).status).toBe(404)
  expect((await visitor().get(now)).status).toBe(200)
})
