import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openWindow } from '../support/chromium.ts'
import { register } from '../support/hooks.ts'
import { startReceiver } from '../support/receiver.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

// This file knows the console by roles, names and addresses alone, as a script of somebody else does.

const NAVIGATION = [
  ['Overview', '/w/default'],
  ['Orders', '/w/default/orders'],
  ['Requests', '/w/default/requests'],
  ['Events', '/w/default/events'],
  ['Deliveries', '/w/default/deliveries'],
  ['Checkout', '/w/default/checkout'],
  ['Brokerage', '/w/default/brokerage'],
  ['Links', '/w/default/links'],
  ['Inventory', '/w/default/inventory'],
  ['Money', '/w/default/money'],
  ['Faults', '/w/default/faults'],
  ['Coverage', '/w/default/coverage'],
  ['Credentials', '/w/default/credentials'],
  ['Worlds', '/worlds'],
] as const

async function openAt({ operator }: TestSandbox, path = '/'): Promise<Page> {
  const page = await openWindow()
  await page.goto(`${operator?.url}${path}`)
  return page
}

function button(page: Page, name: string) {
  return page.getByRole('button', { name, exact: true })
}

function go(page: Page, name: string): Promise<void> {
  return page.getByRole('link', { name, exact: true }).click()
}

it('has every view behind a link with its name, at the address that is fixed for it', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openAt(sandbox)
  for (const [name, path] of NAVIGATION) {
    await go(page, name)
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe(path)
  }
})

it('holds an order and clears it', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { json: order } = await sandbox.sell()
  const page = await openAt(sandbox)
  await go(page, 'Orders')
  await page.getByRole('table').getByRole('link', { name: order.public_id, exact: true }).click()
  for (const name of ['Hold', 'Clear', 'Start transfer', 'Complete transfer', 'Refund', 'Cancel']) {
    await button(page, name).waitFor()
  }
  for (const [step, state] of [
    ['Hold', 'MANUAL_REVIEW'],
    ['Clear', 'EXTERNALLY_PAID'],
  ] as const) {
    await button(page, step).click()
    await page.getByRole('status').getByText(step).waitFor()
    const { json } = await sandbox.operate('GET', `/v1/worlds/default/orders/${order.public_id}`)
    expect(json.status).toBe(state)
  }
})

it('jumps past the expiry of a quote and names it in the receipt', async () => {
  const sandbox = await startSandbox({ inventory: 0, frozen: true })
  const { json: quote } = await sandbox.call({ path: '/quotes', key: 'k', body: { domain: 'stalls-1.test' } })
  const page = await openAt(sandbox)
  const clock = page.getByRole('region', { name: 'Clock', exact: true })
  const jumps = ['Advance 10 minutes', 'Advance 1 day', 'Advance 7 days', 'Advance to next', 'Freeze', 'Run', 'Advance']
  for (const name of jumps) await clock.getByRole('button', { name, exact: true }).waitFor()
  await clock.getByRole('textbox', { name: 'Advance by', exact: true }).fill('11m')
  await clock.getByRole('button', { name: 'Advance', exact: true }).click()
  const receipt = page.getByRole('region', { name: 'Receipt', exact: true })
  await receipt.getByRole('listitem').getByText('quote.expired', { exact: true }).waitFor()
  const { domain, price_cents: price, currency, quote_id: id } = quote
  const { json: call } = await sandbox.sell({ order: { domain, expected_price: price, currency, quote_id: id } })
  expect(call.code).toBe('quote_expired')
})

it('finds why the last call was refused', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { json: refusal } = await sandbox.call({ path: '/balance', signs: { method: 'PUT' } })
  const page = await openAt(sandbox)
  await go(page, 'Requests')
  await page.getByRole('table').getByRole('link', { name: refusal.request_id, exact: true }).click()
  const diagnosis = page.getByRole('region', { name: 'Diagnosis', exact: true })
  const { json } = await sandbox.operate('GET', `/v1/requests/${refusal.request_id}`)
  await diagnosis.getByText(json.diagnosis.sentence).waitFor()
})

it('redelivers a webhook', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const receiver = await startReceiver()
  await register(sandbox, receiver.url)
  await sandbox.sell()
  const [{ headers: first }] = (await receiver.has(1)) as [(typeof receiver.received)[number]]
  const page = await openAt(sandbox)
  await go(page, 'Deliveries')
  await page.getByRole('table').getByRole('link').first().click()
  await button(page, 'Redeliver').click()
  const [, { headers: again }] = (await receiver.has(2)) as [unknown, (typeof receiver.received)[number]]
  await page.getByRole('status').getByText('Sent again').waitFor()
  expect(again['x-event-id']).toBe(first['x-event-id'])
})

it('forks a world, goes there and comes back', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openAt(sandbox, '/worlds')
  for (const name of ['Create world', 'Fork', 'Snapshot', 'Restore', 'Reset', 'Delete']) {
    await button(page, name).waitFor()
  }
  await button(page, 'Fork').click()
  await page.getByRole('status').getByText('Forked').waitFor()
  const { json } = await sandbox.operate('GET', '/v1/worlds')
  const names: string[] = json.worlds.map(({ world }: { world: string }) => world)
  const fork = names.find((name) => name !== 'default') ?? ''
  await go(page, 'Orders')
  await page.getByLabel('World', { exact: true }).selectOption(fork)
  await page.waitForURL(`**/w/${fork}/orders`)
  await page.getByLabel('World', { exact: true }).selectOption('default')
  await page.waitForURL('**/w/default/orders')
})

it('runs a settlement and a payout', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { json: order } = await sandbox.sell()
  const page = await openAt(sandbox, `/w/default/orders/${order.public_id}`)
  await button(page, 'Start transfer').click()
  await page.getByRole('status').getByText('Start transfer').waitFor()
  await button(page, 'Complete transfer').click()
  await page.getByRole('status').getByText('Complete transfer').waitFor()
  await go(page, 'Money')
  await button(page, 'Run settlement').click()
  await page.getByRole('table').getByRole('link', { name: order.public_id, exact: true }).waitFor()
  await go(page, 'Money')
  await button(page, 'Run payout').click()
  await page.getByRole('status').getByText('Payout').waitFor()
})

it('adds a fault and sees its hit counted', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openAt(sandbox, '/w/default/faults')
  await button(page, 'Add fault').click()
  await page.getByRole('status').getByText('Fault added').waitFor()
  const at = (await page.getByRole('columnheader').allTextContents()).indexOf('Hits')
  const hits = page.getByRole('row').nth(1).getByRole('cell').nth(at)
  expect(await hits.textContent()).toBe('0')
  await expect(sandbox.sell({ undocumented: true })).rejects.toThrow('socket hang up')
  await hits.getByText('1', { exact: true }).waitFor()
  await page.getByRole('row').nth(1).getByRole('link', { name: /^req_/ }).waitFor()
})

it('says what it is refused in an alert with the message of the operator API', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openAt(sandbox, '/w/default/orders/ord_nowhere')
  const { json } = await sandbox.operate('GET', '/v1/worlds/default/orders/ord_nowhere')
  await page.getByRole('alert').getByText(json.detail).waitFor()
})
