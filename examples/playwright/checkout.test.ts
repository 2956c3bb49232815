import { expect } from '@playwright/test'
import { test } from 'partner-sandbox/playwright'

test.use({ worldOptions: { seed: 'playwright' } })

test('a buyer pays on the hosted page, and the shop gets an order', async ({ page, world }) => {
  const session = {
    domain: 'stalls-1.test',
    return_url: 'https://shop.example.test/thanks',
    cancel_url: 'https://shop.example.test/cart',
  }
  const { json } = await world.call<{ checkout_url: string }>('POST', '/checkout-session', session)
  // The shop itself is not part of this test.
  await page.route('https://shop.example.test/**', (route) => route.fulfill({ body: 'Thank you' }))
  await page.goto(json.checkout_url)
  await page.getByLabel('Name').fill('Ada Lovelace')
  await page.getByLabel('E-mail').fill('ada@example.test')
  await page.getByLabel('Country').selectOption('SE')
  await page.getByRole('button', { name: 'Pay' }).click()
  await expect(page).toHaveURL(/shop\.example\.test\/thanks/)
  expect(await world.orders.all()).toMatchObject([{ domain: 'stalls-1.test', payment_model: 'hosted_checkout' }])
})

test('a quote expires after ten minutes', async ({ world }) => {
  const { json } = await world.call<{ quote_id: string }>('POST', '/quotes', { domain: 'stalls-2.test' })
  const { happened } = await world.clock.advance('10m30s')
  expect(happened).toContainEqual(expect.objectContaining({ kind: 'quote.expired', id: json.quote_id }))
})
