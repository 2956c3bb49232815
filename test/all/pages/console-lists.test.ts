import { expect, it } from 'vitest'
import { copiedText } from '../../support/chromium.ts'
import { openConsole, orderLink } from '../../support/console.ts'
import { register } from '../../support/hooks.ts'
import { startReceiver } from '../../support/receiver.ts'
import { startSandbox } from '../../support/sandbox.ts'

it('tells a search without a match from an empty world, and clears the search', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { json: order } = await sandbox.sell()
  const page = await openConsole(sandbox, '/w/default/orders?q=zzzz')
  await page.getByText('No order matches “zzzz”').waitFor()
  expect(await page.getByText('No orders here').count()).toBe(0)
  await page.getByRole('button', { name: 'Clear search' }).click()
  await orderLink(page, order.public_id).waitFor()
  expect(new URL(page.url()).search).toBe('')
  expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('')
  await page.getByLabel('State').selectOption('REFUNDED')
  await page.getByText('No order matches these filters').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await orderLink(page, order.public_id).waitFor()
})

it('selects all shown orders at once, says how many of how many, and moves no row', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  for (let n = 0; n < 3; n++) await sandbox.sell()
  const page = await openConsole(sandbox, '/w/default/orders')
  await page.getByText('3 orders', { exact: true }).waitFor()
  const row = page.getByRole('row').nth(3)
  const before = await row.boundingBox()
  await page.getByRole('checkbox', { name: 'Select all shown orders' }).check()
  await page.getByText('3 selected').waitFor()
  expect(await row.boundingBox()).toEqual(before)
  await page
    .getByRole('checkbox', { name: /^Select ord_/ })
    .first()
    .uncheck()
  await page.getByText('2 selected').waitFor()
  await page.getByRole('button', { name: 'Clear selection' }).click()
  await page.getByText('2 selected').waitFor({ state: 'detached' })
})

it('goes through the rows of a list by j and k, and opens one with Enter', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { json: older } = await sandbox.sell()
  await sandbox.sell()
  const page = await openConsole(sandbox, '/w/default')
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  for (const key of ['g', 'o']) await page.keyboard.press(key)
  await orderLink(page, older.public_id).waitFor()
  for (const key of ['j', 'j', 'k', 'j', 'Enter']) await page.keyboard.press(key)
  await page.waitForURL(`**/orders/${older.public_id}`)
  for (const key of ['g', 'd']) await page.keyboard.press(key)
  await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
  for (const key of ['g', 'e']) await page.keyboard.press(key)
  await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor()
})

it('lists deliveries with their order and domain, finds them by either, and marks duplicates', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const receiver = await startReceiver()
  const page = await openConsole(sandbox, '/w/default/deliveries')
  await page.getByText('No webhook is registered: nothing is delivered.').waitFor()
  await register(sandbox, receiver.url)
  await page.getByRole('list', { name: 'Registered webhooks' }).getByText(receiver.url).waitFor()
  await sandbox.operate('PUT', '/v1/worlds/default/delivery-profile', { duplicate: 1 })
  const { json: order } = await sandbox.sell()
  const { json: other } = await sandbox.sell()
  const rows = page.getByRole('table', { name: 'Deliveries' }).getByRole('row')
  await rows.filter({ hasText: order.domain }).filter({ hasText: 'duplicate 1' }).waitFor()
  await page.getByRole('searchbox', { name: 'Search' }).fill(other.domain)
  await rows.filter({ hasText: order.domain }).first().waitFor({ state: 'detached' })
  await rows.getByRole('link', { name: other.public_id }).first().click()
  await page.waitForURL(`**/orders/${other.public_id}`)
})

it('has in the history of an order the calls that made and named it, and lists only on demand', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { json: order } = await sandbox.sell()
  await sandbox.call({ path: `/orders/${order.public_id}` })
  for (let n = 0; n < 3; n++) await sandbox.call({ path: '/orders' })
  const page = await openConsole(sandbox, `/w/default/orders/${order.public_id}`)
  const history = page.getByRole('region', { name: 'History' })
  const calls = history.getByText('Request', { exact: true })
  await history.getByText(`GET /orders/${order.public_id}`).waitFor()
  expect(await calls.count()).toBe(2)
  await history.getByRole('switch', { name: 'All calls' }).click()
  await history.getByText('GET /orders', { exact: true }).nth(2).waitFor()
  expect(await calls.count()).toBe(5)
})

it('says at the top that a world is unknown, and leads to those that exist', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox, '/w/nowhere/orders')
  await page.getByRole('alert').getByText('There is no world named nowhere.').waitFor()
  expect(await page.getByText('Connection lost').count()).toBe(0)
  await page.getByRole('main').getByRole('link', { name: 'Worlds' }).click()
  await page.getByRole('link', { name: 'default', exact: true }).waitFor()
})

it('leads to the API reference on the port of the API', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox)
  const link = page.getByRole('navigation').getByRole('link', { name: 'API reference' })
  expect(await link.getAttribute('href')).toBe(`${sandbox.url}/docs`)
})

it('finds a magic domain by the beginning of its name, and copies it', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox)
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('held')
  await page.getByRole('option', { name: 'held-1.test' }).click()
  await page.getByRole('status').getByText('Copied: held-1.test').waitFor()
  expect(await copiedText(page)).toBe('held-1.test')
})
