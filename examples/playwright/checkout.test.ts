import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from '@playwright/test'
import { test } from 'partner-sandbox/playwright'

test.use({ worldOptions: { seed: 'playwright' } })

test('a buyer pays on the hosted page, and the shop gets an order', async ({ page, world }) => {
  const shop = createServer((_request, response) => response.end('Thank you')).listen(0, '127.0.0.1')
  await once(shop, 'listening')
  const { port } = shop.address() as AddressInfo
  const [return_url, cancel_url] = [`http://127.0.0.1:${port}/thanks`, `http://127.0.0.1:${port}/cart`]
  const session = { domain: 'stalls-1.test', return_url, cancel_url }
  const { json } = await world.call<{ checkout_url: string }>('POST', '/checkout-session', session)
  await page.goto(json.checkout_url)
  await page.getByLabel('Name').fill('Ada Lovelace')
  await page.getByLabel('E-mail').fill('ada@example.test')
  await page.getByLabel('Country').selectOption('SE')
  await page.getByRole('button', { name: 'Pay' }).click()
  await expect(page.getByText('Thank you')).toBeVisible()
  expect(page.url()).toContain(return_url)
  expect(await world.orders.all()).toMatchObject([{ domain: 'stalls-1.test', payment_model: 'hosted_checkout' }])
  shop.close()
})

test('a quote expires after ten minutes', async ({ world }) => {
  const { json } = await world.call<{ quote_id: string }>('POST', '/quotes', { domain: 'stalls-2.test' })
  const { happened } = await world.clock.advance('10m30s')
  expect(happened).toContainEqual(expect.objectContaining({ kind: 'quote.expired', id: json.quote_id }))
})
