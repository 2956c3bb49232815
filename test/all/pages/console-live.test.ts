import { expect, it } from 'vitest'
import { openWindow } from '../../support/chromium.ts'
import { openConsole, orderLink } from '../../support/console.ts'
import { cuttableLine } from '../../support/cuttable.ts'
import { startSandbox } from '../../support/sandbox.ts'

it('shows what happens while it looks, and what an operator does elsewhere', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox, '/w/default/orders')
  await page.getByText('No orders here').waitFor()
  const { json: order } = await sandbox.sell()
  await orderLink(page, order.public_id).waitFor()
  await sandbox.operate('POST', `/v1/worlds/default/orders/${order.public_id}/hold`, {})
  await page.getByRole('cell').getByText('Manual review').waitFor()
})

it('lets new rows wait while the pointer is over the list', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { json: first } = await sandbox.sell()
  const page = await openConsole(sandbox, '/w/default/orders')
  await orderLink(page, first.public_id).hover()
  const { json: second } = await sandbox.sell()
  await page.getByRole('button', { name: '1 new' }).waitFor()
  expect(await orderLink(page, second.public_id).count()).toBe(0)
  await page.getByRole('button', { name: '1 new' }).click()
  await orderLink(page, second.public_id).waitFor()
})

it('says that the sandbox was started again, which took what it had in memory', async () => {
  const first = await startSandbox({ inventory: 0 })
  const page = await openConsole(first, '/w/default/orders')
  await page.getByRole('status').getByText('Live').waitFor()
  await first.close()
  await page.getByRole('status').getByText('Connection lost').waitFor()
  await startSandbox({ inventory: 0, operatorPort: Number(new URL(first.operator?.url ?? '').port) })
  await page.getByRole('status').getByText('The sandbox was started again.').waitFor()
})

it('says that the stream broke, and catches up without losing or doubling a row', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const calls = 120
  const line = await cuttableLine(sandbox.operator?.url ?? '')
  const page = await openWindow()
  await page.goto(`${line.url}/w/default/requests`)
  await page.getByRole('status').getByText('Live').waitFor()
  await sandbox.forSale(3)
  await page.getByRole('link', { name: /^req_/ }).nth(2).waitFor()
  await line.cut()
  await page.getByRole('status').getByText('Connection lost').waitFor()
  await sandbox.forSale(calls)
  await line.mend()
  await page.getByRole('status').getByText('Live').waitFor()
  const { json } = await sandbox.operate('GET', '/v1/worlds/default/requests?limit=1000')
  const wanted = json.requests.map(({ request_id }: { request_id: string }) => request_id)
  expect(wanted.length).toBeGreaterThan(calls)
  await page.getByRole('link', { name: wanted[0] }).waitFor()
  const older = page.getByRole('button', { name: 'Show older' })
  const links = page.getByRole('link', { name: /^req_/ })
  while ((await links.count()) < wanted.length && (await older.count()) > 0) {
    const before = await links.count()
    await older.click()
    await links.nth(before).waitFor()
  }
  expect(await links.allTextContents()).toEqual(wanted)
})

it('keeps two tabs in two worlds apart', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  await sandbox.operate('POST', '/v1/worlds', { name: 'other', inventory: 0 })
  const { json: order } = await sandbox.sell()
  const one = await openConsole(sandbox, '/w/default/orders')
  const other = await openConsole(sandbox, '/w/other/orders')
  await orderLink(one, order.public_id).waitFor()
  await other.getByText('No orders here').waitFor()
  expect(await orderLink(other, order.public_id).count()).toBe(0)
  await other.getByLabel('World').selectOption('default')
  await orderLink(other, order.public_id).waitFor()
  expect(new URL(other.url()).pathname).toBe('/w/default/orders')
})
