import { expect, it } from 'vitest'
import { barriersOf, overflowOf } from '../support/chromium.ts'
import { openConsole, orderLink } from '../support/console.ts'
import { startSandbox } from '../support/sandbox.ts'

it('leads from the overview to an order, holds it, and to a refused call with its reason, without a barrier to anybody', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { json: order } = await sandbox.sell()
  const { json: refusal } = await sandbox.call({
    path: '/domains/search?q=solar&limit=2',
    signs: { target: '/api/partner/v1/domains/search' },
  })
  const page = await openConsole(sandbox)
  const look = async () => ({ overflow: await overflowOf(page), barriers: await barriersOf(page) })
  const flawless = { overflow: 0, barriers: [] }

  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await look()).toEqual(flawless)

  await page.getByRole('link', { name: 'Orders', exact: true }).click()
  await orderLink(page, order.public_id).click()
  const state = page.getByRole('region', { name: 'State', exact: true })
  await state.getByRole('button', { name: 'Hold', exact: true }).click()
  await state.getByText('Manual review', { exact: true }).filter({ visible: true }).first().waitFor()
  expect(await look()).toEqual(flawless)
  const { json: held } = await sandbox.operate('GET', `/v1/worlds/default/orders/${order.public_id}`)
  expect(held.status).toBe('MANUAL_REVIEW')

  await page.getByRole('link', { name: 'Requests', exact: true }).click()
  await page.getByRole('link', { name: refusal.request_id }).click()
  const { json: call } = await sandbox.operate('GET', `/v1/requests/${refusal.request_id}`)
  await page.getByRole('region', { name: 'Diagnosis' }).getByText(call.diagnosis.sentence).waitFor()
  expect(await look()).toEqual(flawless)
})
