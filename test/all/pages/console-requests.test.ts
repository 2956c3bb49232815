import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { rawAnswer } from '../../operator/raw-answer.ts'
import { copiedText } from '../../support/chromium.ts'
import { copyFromMenu, openConsole } from '../../support/console.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const run = promisify(execFile)

/** Sends a call that no client would send by itself. @returns its request id. */
async function sendRaw({ url }: TestSandbox, method: string, target: string, body = ''): Promise<string> {
  const lines = [`${method} ${target} HTTP/1.1`, `Host: ${new URL(url).host}`, 'Content-Type: application/json']
  const { head } = await rawAnswer(url, [...lines, `Content-Length: ${body.length}`, 'Connection: close'], body)
  return /^x-request-id: (\S+)/im.exec(head)?.[1] ?? 'none'
}

const PLANTED = [
  ['GET', '//evil.invalid/x', ''],
  ['GET', '/\\evil.invalid', ''],
  ['GET', '/api/partner/v1/availability?domain=[1-3]&q={a,b}', ''],
  ['GET', '/api/partner/v1/a/../orders', ''],
  ['POST', '/api/partner/v1/orders', '@/etc/hostname'],
  ['POST', '/api/partner/v1/orders', '{"a":"\';touch RAN;\'"}'],
] as const

it('copies a call as a curl line that calls this sandbox alone, once, with the same target and body', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox)
  for (const [method, target, body] of PLANTED) {
    const id = await sendRaw(sandbox, method, target, body)
    await page.goto(`${sandbox.operator?.url}/w/default/requests/${id}`)
    await copyFromMenu(page, 'Copy the call as curl')
    await page.getByRole('status').getByText('Copied: curl').waitFor()
    const line = await copiedText(page)
    expect(line).toContain(`${sandbox.url}/`)
    const { stdout } = await run('bash', ['-c', `${line} --include`], { timeout: 10_000 })
    const again = /^x-request-id: (\S+)/im.exec(stdout)?.[1]
    const { json } = await sandbox.operate('GET', '/v1/worlds/default/requests?limit=1')
    expect([target, json.requests[0].request_id]).toEqual([target, again])
    const { json: call } = await sandbox.operate('GET', `/v1/requests/${again}`)
    expect([call.method, call.target, call.request.body]).toEqual([method, target, body])
    expect(call.position - (await sandbox.operate('GET', `/v1/requests/${id}`)).json.position).toBe(1)
  }
})

it('says of a call that curl cannot send that this is not possible, and why', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox)
  // A target such as user@host is refused before it is logged.
  for (const target of ['http://evil.invalid/x', '/a#b']) {
    const id = await sendRaw(sandbox, 'GET', target)
    await page.goto(`${sandbox.operator?.url}/w/default/requests/${id}`)
    await page.getByRole('main').getByRole('button', { name: 'Copy', exact: true }).click()
    const entry = page.getByRole('menuitem', { name: 'Copy the call as curl' })
    await entry.getByText('Not possible: curl cannot send its target as it is.').waitFor()
    expect(await entry.getAttribute('aria-disabled')).toBe('true')
  }
})

it('explains a call that all checks passed and the request itself did not', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const body = { domain: 'stalls-1.test', expected_price: 5, currency: 'USD', buyer: { email: 'a@b.test' } }
  const { json: refusal } = await sandbox.call({ path: '/orders', key: 'k-1', body })
  const page = await openConsole(sandbox, '/w/default')
  const { json: call } = await sandbox.operate('GET', `/v1/requests/${refusal.request_id}`)
  await page.getByRole('region', { name: 'Refused calls' }).getByText(call.reason).waitFor()
  await page.getByRole('link', { name: 'Requests', exact: true }).click()
  await page.getByRole('switch', { name: 'Refused only' }).click()
  await page.getByRole('row').filter({ hasText: call.reason }).getByRole('link').click()
  const diagnosis = page.getByRole('region', { name: 'Diagnosis' })
  await diagnosis.getByText(call.diagnosis.sentence).waitFor()
  const [compared] = call.diagnosis.compared
  const row = diagnosis.getByRole('table', { name: 'Compared values' }).getByRole('row').nth(1)
  expect(await row.textContent()).toBe(`${compared.name}${compared.sent}${compared.expected}`)
  await diagnosis.getByText(call.diagnosis.help[0].command).waitFor()
  const checks = page.getByRole('region', { name: 'Checks' }).getByRole('listitem')
  expect(await checks.last().textContent()).toBe('The request itself Refused')
})

it('tells what a check of authentication refused from all other refusals', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { json: unsigned } = await sandbox.call({ path: '/orders', signs: { secret: 'wrong' } })
  const { json: unknown } = await sandbox.call({ path: '/orders/ord_nowhere' })
  const page = await openConsole(sandbox, '/w/default/requests?refused=true')
  await page.getByRole('link', { name: unknown.request_id }).waitFor()
  await page.getByRole('link', { name: unsigned.request_id }).waitFor()
  await page.getByRole('switch', { name: 'Authentication' }).click()
  await page.getByRole('link', { name: unknown.request_id }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: unsigned.request_id }).waitFor()
})

it('moves in the copy menu by arrow keys, and closes it with Escape', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox, '/w/default/orders')
  const button = page.getByRole('main').getByRole('button', { name: 'Copy', exact: true })
  await button.focus()
  await page.keyboard.press('Enter')
  const focused = () => page.evaluate<string>('document.activeElement.querySelector("span")?.textContent')
  await expect.poll(focused).toBe('Copy as command')
  await page.keyboard.press('ArrowDown')
  expect(await focused()).toBe('Copy as curl')
  await page.keyboard.press('ArrowDown')
  expect(await focused()).toBe('Copy as command')
  await page.keyboard.press('Escape')
  expect(await page.getByRole('menu').count()).toBe(0)
  expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('Copy')
})

it('shows world time alone, and real time in the tooltip', async () => {
  const sandbox = await startSandbox({ inventory: 0, frozen: true, clockMs: Date.parse('2030-01-02T03:04:05Z') })
  const { json: unknown } = await sandbox.call({ path: '/orders/ord_nowhere' })
  const page = await openConsole(sandbox, '/w/default/requests')
  const time = page.getByRole('row').filter({ hasText: unknown.request_id }).locator('time')
  const { json: call } = await sandbox.operate('GET', `/v1/requests/${unknown.request_id}`)
  expect(await time.textContent()).toContain('2030-01-02 03:04:05')
  expect(await time.getAttribute('title')).toBe(`World time ${call.world_time}, real time ${call.at}`)
})

it('says of an id that the world does not have where it may be', async () => {
  const page = await openConsole(await startSandbox({ inventory: 0 }), '/w/default/orders/ord_of_yesterday')
  await page.getByRole('alert').getByText('no such order in this world').waitFor()
  await page.getByText('It may be in another world, or from before a reset.').waitFor()
})

it('says in the list of a call that was dropped on purpose that its client got no answer', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  await sandbox.operate('POST', '/v1/worlds/default/faults', { effect: { drop: 'before-commit' }, times: 1 })
  await sandbox.operate('POST', '/v1/worlds/default/faults', { effect: { status: 503 }, times: 1 })
  await sandbox.call({ path: '/orders' }).catch(() => null)
  await sandbox.call({ path: '/domains/search?q=solar', undocumented: true })
  const page = await openConsole(sandbox, '/w/default/requests')
  const row = page.getByRole('row').filter({ hasText: 'GET /orders' })
  await row.getByText('Dropped on purpose by a fault: the client got no answer').waitFor()
  await row.getByText('dropped', { exact: true }).waitFor()
  await page
    .getByRole('row')
    .filter({ hasText: 'GET /domains/search' })
    .getByText('Refused on purpose by a fault')
    .waitFor()
  await row.getByRole('link').click()
  await page.getByRole('region', { name: 'Call' }).getByText('Dropped on purpose by a fault').waitFor()
})

it('filters by each status that the API refuses with', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox, '/w/default/requests')
  const offered = await page.getByLabel('Status', { exact: true }).getByRole('option').allTextContents()
  const { paths } = (await (await fetch(`${sandbox.url}/openapi.json`)).json()) as { paths: object }
  const statuses = [...JSON.stringify(paths).matchAll(/"(4\d\d)":\{/g)].map(([, status]) => status)
  expect(offered).toEqual(expect.arrayContaining([...new Set(statuses)]))
})
