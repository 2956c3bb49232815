import { expect, it } from 'vitest'
import { openWindow } from '../../support/chromium.ts'
import { openConsole } from '../../support/console.ts'
import { cuttableLine } from '../../support/cuttable.ts'
import { register } from '../../support/hooks.ts'
import { startReceiver } from '../../support/receiver.ts'
import { startSandbox } from '../../support/sandbox.ts'

it('takes an error back when the same is done again, and shows no more than the last one of it', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox)
  const clock = page.getByRole('region', { name: 'Clock' })
  const advance = async (by: string) => {
    await clock.getByRole('textbox', { name: 'Advance by' }).fill(by)
    await clock.getByRole('button', { name: 'Advance', exact: true }).click()
  }
  await advance('two hours')
  await page.getByRole('alert').getByText('two hours').waitFor()
  await advance('three hours')
  await page.getByRole('alert').getByText('three hours').waitFor()
  expect(await page.getByRole('alert').count()).toBe(1)
  await advance('2h')
  await page.getByRole('status').getByText('Clock advanced by 2 h').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

it('takes an error away after half a minute, and keeps it while the pointer is on it', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openWindow()
  await page.clock.install()
  await page.goto(`${sandbox.operator?.url}/w/default/faults`)
  await page.getByLabel('for the domain').fill('no domain')
  await page.getByRole('button', { name: 'Add fault' }).click()
  const error = page.getByRole('alert')
  await error.hover()
  await page.clock.fastForward(60_000)
  expect(await error.count()).toBe(1)
  await page.getByRole('heading', { level: 1 }).hover()
  await page.clock.fastForward(25_000)
  expect(await error.count()).toBe(1)
  await page.clock.fastForward(10_000)
  await error.waitFor({ state: 'detached' })
})

it('takes back that the sandbox does not answer once its stream is live again', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const line = await cuttableLine(sandbox.operator?.url ?? '')
  const page = await openWindow()
  await page.goto(`${line.url}/w/default/orders`)
  await page.getByRole('status').getByText('Live').waitFor()
  await line.cut()
  await page.getByRole('status').getByText('Connection lost').waitFor()
  await page.getByRole('button', { name: 'Advance 1 day' }).click()
  await page.getByRole('alert').getByText('The sandbox does not answer').waitFor()
  await line.mend()
  await page.getByRole('status').getByText('Live').waitFor()
  await page.getByRole('alert').waitFor({ state: 'detached' })
})

it('says of a receiver that fails that sending again failed, and nothing good of probes without an answer', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  let isUp = false
  const receiver = await startReceiver((response) => void response.writeHead(isUp ? 200 : 503).end(), {
    anything: true,
  })
  await register(sandbox, receiver.url)
  await sandbox.sell()
  const page = await openConsole(sandbox, '/w/default/deliveries')
  await page.getByRole('link', { name: /^dlv_/ }).click()
  await page.getByRole('button', { name: 'Redeliver' }).click()
  await page.getByRole('alert').getByText('Sent again: ').waitFor()
  await page.getByRole('button', { name: 'Send tampered' }).click()
  await page.getByRole('status').getByText('Tampered deliveries sent: 3 of 3 without a clear answer').waitFor()
  isUp = true
  await page.getByRole('button', { name: 'Redeliver' }).click()
  await page.getByRole('status').getByText('Sent again: answered 200').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

it('names a field by its label where the operator API refuses what is in it, and says which prices there are', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox, '/w/default/inventory')
  const refusal = page.getByRole('alert')
  await page.getByRole('textbox', { name: 'Advance by' }).fill('5')
  await page.getByRole('button', { name: 'Advance', exact: true }).click()
  await refusal.getByText(/^“Advance by” must be a duration/).waitFor()
  expect(await refusal.getByText('validation_error').count()).toBe(0)
  await page.getByLabel('Domain', { exact: true }).fill('no domain')
  const add = page.getByRole('button', { name: 'Add domain' })
  for (const price of ['0', '12.345', '99999999999999']) {
    await page.getByLabel('Price', { exact: true }).fill(price)
    expect([price, await add.getAttribute('aria-disabled')]).toEqual([price, 'true'])
  }
  await add.hover()
  await page.getByRole('tooltip').getByText('Give a price from 0.01 to 9,999,999,999.99').waitFor()
  await page.getByLabel('Price', { exact: true }).fill('1200')
  await add.click()
  await refusal.getByText(/^“Domain” must be/).waitFor()
})
