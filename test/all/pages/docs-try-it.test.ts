import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { DOCS_SCRIPT_FILE } from '../../../src/package-files.ts'
import { barriersOf, copiedText, openWindow, overflowOf } from '../../support/chromium.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { sampleOf } from '../../support/size.ts'
import { lacks } from '../../support/tools.ts'

const MARKUP = '<img src=x onerror=alert(1)><script>alert(2)</script>'

/** Opens the reference where an operation stands, with the form to try it. */
async function openForm(page: Page, origin: string, operation: string): Promise<Locator> {
  await page.goto(`${origin}/docs#${operation}`)
  const form = page.locator(`[id="${operation}"] .try`)
  await form.locator('summary').click()
  return form
}

async function send(form: Locator): Promise<Locator> {
  await form.getByRole('button', { name: 'Send' }).click()
  const answer = form.locator('.answer')
  await answer.waitFor()
  return answer
}

/** The origin of the sandbox under a name that leads to loopback and is not one of its names. */
function foreignOrigin({ url }: TestSandbox): string {
  return url.replace('127.0.0.1', 'foreign.localhost')
}

it('signs a read with the credential of the sandbox, and shows what was signed', async () => {
  const sandbox = await startSandbox()
  const page = await openWindow()
  const form = await openForm(page, sandbox.url, 'availability')
  await form.getByLabel('domain').fill('münchen & co.test')
  const refused = await send(form)
  await refused.getByText('400', { exact: true }).waitFor()
  await form.getByLabel('domain').fill('stalls-1.test')
  const answer = await send(form)
  await answer.getByText('200', { exact: true }).waitFor()
  await answer.getByText('"domain": "stalls-1.test"').waitFor()
  await answer.getByText('domain=stalls-1.test', { exact: true }).waitFor()
  const headers = await form.getByRole('region', { name: 'Headers of GET /api/partner/v1/availability' }).innerText()
  const signature = /v1=([0-9a-f]{64})/.exec(headers)?.[1]
  const { json } = await sandbox.operate('GET', '/v1/worlds/default/requests')
  const sent = await sandbox.operate('GET', `/v1/worlds/default/requests/${json.requests[0].request_id}`)
  expect(sent.text).toContain(signature ?? 'no signature')
})

it('records an order; the same body again is a retry, another body a new order; later forms ask for its id', async () => {
  const sandbox = await startSandbox()
  const page = await openWindow()
  const form = await openForm(page, sandbox.url, 'orders.create')
  const body = form.getByLabel('Body')
  await (await send(form)).getByText('201', { exact: true }).waitFor()
  const { json } = await sandbox.operate('GET', '/v1/worlds/default/orders')
  expect(json.orders).toHaveLength(1)
  await send(form)
  await form.getByText('Idempotent-Replayed').waitFor()
  const [, other] = await sandbox.forSale(2)
  const text = (await body.inputValue()).replace('stalls-1.test', other?.domain ?? '')
  await body.fill(text.replace('30000', String(other?.price_cents)))
  await send(form)
  await form.locator('.answer').getByText('"domain": "stalls-2.test"').first().waitFor()
  const [latest] = (await sandbox.operate('GET', '/v1/worlds/default/orders')).json.orders
  const read = page.locator('[id="orders.detail"] .try')
  expect(await read.getByLabel('public_id').inputValue()).toBe(latest.public_id)
})

it.skipIf(lacks('curl'))('shows a curl line that makes the same call', async () => {
  const sandbox = await startSandbox()
  const page = await openWindow()
  const form = await openForm(page, sandbox.url, 'orders.create')
  const body = form.getByLabel('Body')
  await body.fill((await body.inputValue()).replace('Ada Buyer', "Ada O'Buyer"))
  await (await send(form)).getByText('201', { exact: true }).waitFor()
  const line = await form.getByRole('region', { name: 'curl line' }).innerText()
  const { stdout } = await promisify(execFile)('sh', ['-c', line])
  const { json } = await sandbox.operate('GET', '/v1/worlds/default/orders')
  expect(json.orders.map((order: { public_id: string }) => order.public_id)).toEqual([JSON.parse(stdout).public_id])
})

it('shows why a call with a wrong secret was refused, and keeps what was entered in the tab', async () => {
  const sandbox = await startSandbox({ hints: true })
  const page = await openWindow()
  const form = await openForm(page, sandbox.url, 'orders.create')
  await page.getByLabel('Secret').fill('sk_sandbox_tampered')
  const answer = await send(form)
  await answer.getByText('401', { exact: true }).waitFor()
  await answer.getByText('"code": "invalid_signature"').waitFor()
  const command = await answer.locator('.notice code').textContent()
  expect(command).toMatch(new RegExp(`^npx partner-sandbox request show req_\\S+ --sandbox ${sandbox.operator?.url}$`))
  await page.reload()
  expect(await page.getByLabel('Secret').inputValue()).toBe('sk_sandbox_tampered')
  expect(await page.evaluate('localStorage.length')).toBe(0)
})

it('offers no credential under a foreign name, and signs with one that is entered there', async () => {
  const sandbox = await startSandbox()
  const page = await openWindow()
  const form = await openForm(page, foreignOrigin(sandbox), 'availability')
  expect(await page.getByLabel('Key id').inputValue()).toBe('')
  expect(await page.getByLabel('Secret').inputValue()).toBe('')
  await form.getByRole('button', { name: 'Send' }).click()
  await form.getByRole('alert').getByText('Enter a key id').waitFor()
  const [main] = sandbox.credentials
  await page.getByLabel('Key id').fill(main?.key_id ?? '')
  await page.getByLabel('Secret').fill(main?.secret ?? '')
  await (await send(form)).getByText('200', { exact: true }).waitFor()
})

it('shows an answer that is not JSON as it came, and says if none came', async () => {
  const sandbox = await startSandbox()
  const fault = { match: { endpoint: 'availability' }, effect: { garbage: 'html' } }
  await sandbox.operate('POST', '/v1/worlds/default/faults', fault)
  const page = await openWindow()
  const form = await openForm(page, sandbox.url, 'availability')
  await (await send(form)).getByText('<html').first().waitFor()
  await page.context().setOffline(true)
  await form.getByRole('button', { name: 'Send' }).click()
  await form.getByRole('alert').getByText('The call got no answer').waitFor()
})

it('shows markup of fields and answers as text, and asks nobody but its own port', async () => {
  const sandbox = await startSandbox()
  const page = await openWindow()
  const asked = new Set<string>()
  page.on('request', (request) => asked.add(new URL(request.url()).origin))
  const form = await openForm(page, sandbox.url, 'domains.search')
  await form.getByLabel('q', { exact: true }).fill(MARKUP)
  await send(form)
  const order = await openForm(page, sandbox.url, 'orders.create')
  const body = order.getByLabel('Body')
  await body.fill((await body.inputValue()).replace('Ada Buyer', MARKUP))
  await (await send(order)).getByText(MARKUP).first().waitFor()
  expect(await page.locator('img, main script').count()).toBe(0)
  expect([...asked]).toEqual([sandbox.url])
})

it('finds operations by words, by the keyboard alone, copies an example, and has no barrier to anybody with everything open', async () => {
  const { url } = await startSandbox()
  const page = await openWindow()
  await page.goto(`${url}/docs`)
  await page.getByRole('searchbox').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('post expected_price')
  await page.getByText(/^1 of \d+ match$/).waitFor()
  await page.keyboard.press('Enter')
  await page.locator('[id="orders.create"]').waitFor()
  await page.getByRole('link', { name: 'Error codes' }).click()
  await page.locator('[id="codes"]').waitFor()
  expect(await page.getByRole('searchbox').inputValue()).toBe('')
  await page.locator('#quick-start').getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await copiedText(page)).toMatch(/^import \{ createHash/)
  await send(await openForm(page, url, 'orders.create'))
  await send(await openForm(page, url, 'availability'))
  await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true')
  for (const colorScheme of sampleOf(['light', 'dark'] as const, 2)) {
    await page.emulateMedia({ colorScheme })
    expect(await barriersOf(page), colorScheme).toEqual([])
  }
  for (const width of sampleOf([390, 768, 1440], 3)) {
    await page.setViewportSize({ width, height: 800 })
    expect(await overflowOf(page), `${width}`).toBe(0)
  }
})

it('reads and opens without script', async () => {
  const { url } = await startSandbox({ inventory: 0 })
  const page = await openWindow({ javaScriptEnabled: false })
  await page.goto(`${url}/docs`)
  await page.getByRole('heading', { name: 'POST /api/partner/v1/orders' }).click()
  await page.locator('[id="orders.create"]').getByText('Idempotency-Key').first().waitFor()
  expect(await page.getByRole('button').count()).toBe(0)
  expect(await page.getByRole('searchbox').count()).toBe(0)
  await page.goto(`${url}/docs#code-conflict`)
  await page.locator('[id="code-conflict"]:target').waitFor()
})

it('has at most 30 KB of script, compressed', () => {
  expect(gzipSync(readFileSync(DOCS_SCRIPT_FILE)).length).toBeLessThan(30_000)
})
