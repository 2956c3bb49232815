import { expect, test } from 'vitest'
import { barriersOf, openWindow, overflowOf } from '../../support/chromium.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const HTML = '<img src=x onerror=alert(1)>"\'</h1><script>alert(2)</script>'
const NARROW_PHONE = { width: 320, height: 640 }

async function newLink(sandbox: TestSandbox, body: Record<string, unknown>) {
  const { json } = await sandbox.call({ path: '/links', body })
  return json as { link_id: string; url: string }
}

async function linkNow(sandbox: TestSandbox) {
  return (await sandbox.call({ path: '/links' })).json.links[0]
}

test.for([true, false])(
  'follow, search, buy, pay, thanks: one click and one sale (script %s)',
  async (javaScriptEnabled) => {
    const sandbox = await startSandbox()
    const link = await newLink(sandbox, { kind: 'generic' })
    const page = await openWindow({ javaScriptEnabled, viewport: NARROW_PHONE })
    await page.goto(link.url)
    expect(page.url()).toBe(`${sandbox.url}/shop/default/${link.link_id}`)
    await page.getByLabel('What is your domain for?').fill('coffee')
    await page.getByRole('button', { name: 'Search' }).click()
    const buy = page.getByRole('button', { name: /^Buy / })
    const domain = ((await buy.first().textContent()) ?? '').slice('Buy '.length)
    expect(await buy.count()).toBeLessThanOrEqual(5)
    await buy.first().click()
    expect(page.url()).toContain('/checkout?pt=')
    await page.getByLabel('Name').fill('Jo Doe')
    await page.getByLabel('E-mail').fill('jo@buyer.example')
    await page.getByLabel('Country').selectOption('AT')
    await page.getByRole('button', { name: /^Pay / }).click()
    expect(new URL(page.url()).pathname).toBe(`/shop/default/${link.link_id}`)
    expect(await page.getByRole('status').textContent()).toBe(`Thank you. ${domain} is yours.`)
    expect(await linkNow(sandbox)).toMatchObject({ link_id: link.link_id, clicks: 1, sales: 1 })
    const { json } = await sandbox.call({ path: '/me/sales' })
    expect(json.sales).toMatchObject([{ link_id: link.link_id, domain, buyer: { email: 'jo@buyer.example' } }])
  },
)

test('a browser that comes back soon is the same visit, and one that forgets its cookies another', async () => {
  const sandbox = await startSandbox()
  const link = await newLink(sandbox, { kind: 'domain', domain: 'stalls-9.test' })
  const page = await openWindow()
  for (let times = 0; times < 3; times++) await page.goto(link.url)
  expect((await linkNow(sandbox)).clicks).toBe(1)
  await page.context().clearCookies()
  await page.goto(link.url)
  expect((await linkNow(sandbox)).clicks).toBe(2)
})

test('canceling the checkout leads back to the shop, which says that nothing was paid', async () => {
  const sandbox = await startSandbox()
  const link = await newLink(sandbox, { kind: 'domain', domain: 'stalls-9.test' })
  const page = await openWindow()
  await page.goto(link.url)
  await page.getByRole('button', { name: 'Buy stalls-9.test' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect(await page.getByRole('status').textContent()).toBe('The checkout was canceled. Nothing was paid.')
  expect(await linkNow(sandbox)).toMatchObject({ clicks: 1, sales: 0 })
})

test('HTML in a product or in what is looked for stays text, and a phone needs no scrolling sideways', async () => {
  const sandbox = await startSandbox()
  const link = await newLink(sandbox, { kind: 'product', product: HTML })
  const page = await openWindow({ viewport: NARROW_PHONE })
  await page.goto(link.url)
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(`Domains for ${HTML}`)
  await page.getByLabel('What is your domain for?').fill(`${HTML}coffee${'x'.repeat(80)}`)
  await page.getByRole('button', { name: 'Search' }).click()
  expect(await page.getByLabel('What is your domain for?').inputValue()).toContain(HTML)
  expect(await page.locator('img, script').count()).toBe(0)
  expect(await overflowOf(page)).toBeLessThanOrEqual(0)
})

test('the progress page shows a case at phone width, with an operator’s HTML as text', async () => {
  const sandbox = await startSandbox()
  const body = {
    tier: 'managed',
    buyer_email: 'jane.doe@example.test',
    budget: 500,
    domain: `${'long-'.repeat(11)}name.example`,
  }
  const { json } = await sandbox.call({ path: '/brokerage', body })
  await sandbox.operate('POST', `/v1/worlds/default/brokerage/${json.case_id}/negotiate`, { reason: HTML })
  const page = await openWindow({ viewport: NARROW_PHONE, javaScriptEnabled: false })
  await page.goto(json.progress_url)
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain(body.domain)
  expect(await page.getByRole('listitem').last().textContent()).toContain(HTML)
  expect(await page.locator('img, script, form, a').count()).toBe(0)
  expect(await page.content()).not.toContain('jane.doe')
  const scripted = await openWindow({ viewport: NARROW_PHONE })
  await scripted.goto(json.progress_url)
  expect(await overflowOf(scripted)).toBeLessThanOrEqual(0)
})

test('axe finds nothing wrong with shop and progress in either colors', async () => {
  const sandbox = await startSandbox()
  const { url } = await newLink(sandbox, { kind: 'product', product: 'coffee' })
  const body = { tier: 'self_serve', buyer_email: 'b@example.test', budget: 500 }
  const { json } = await sandbox.call({ path: '/brokerage', body })
  await sandbox.operate('POST', `/v1/worlds/default/brokerage/${json.case_id}/close-deal`, { reason: 'done' })
  const page = await openWindow()
  for (const address of [url, json.progress_url]) {
    await page.goto(address)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect([address, colorScheme, await barriersOf(page)]).toEqual([address, colorScheme, []])
    }
  }
})
