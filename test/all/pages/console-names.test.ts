import { expect, it } from 'vitest'
import { openConsole } from '../../support/console.ts'
import { startSandbox } from '../../support/sandbox.ts'

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

/** The buttons of a view, none of which may go or be called otherwise. */
const BUTTONS: Record<string, readonly string[]> = {
  '/w/default': [
    ...['Advance 10 minutes', 'Advance 1 day', 'Advance 7 days', 'Advance to next', 'Freeze', 'Run', 'Advance'],
  ],
  '/w/default/orders/{order}': ['Hold', 'Clear', 'Start transfer', 'Complete transfer', 'Refund', 'Cancel'],
  '/w/default/money': ['Run settlement', 'Run payout'],
  '/w/default/faults': ['Add fault'],
  '/worlds': ['Create world', 'Fork', 'Snapshot', 'Restore', 'Reset', 'Delete'],
}

it('has every view behind a link with its name, at the address that is fixed for it, and its buttons there', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { json: order } = await sandbox.sell()
  const page = await openConsole(sandbox)
  for (const [name, path] of NAVIGATION) {
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe(path)
  }
  for (const [path, names] of Object.entries(BUTTONS)) {
    await page.goto(sandbox.operator?.url + path.replace('{order}', order.public_id))
    for (const name of names) await page.getByRole('button', { name, exact: true }).waitFor()
  }
  await page.goto(`${sandbox.operator?.url}/w/default`)
  await page.getByRole('textbox', { name: 'Advance by', exact: true }).waitFor()
  await page.goto(`${sandbox.operator?.url}/w/default/orders/ord_nowhere`)
  const { json } = await sandbox.operate('GET', '/v1/worlds/default/orders/ord_nowhere')
  await page.getByRole('alert').getByText(json.detail).waitFor()
})
