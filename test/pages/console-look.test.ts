import { expect, it } from 'vitest'
import { barriersOf, overflowOf } from '../support/chromium.ts'
import { openConsole } from '../support/console.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const PHONE = { width: 390, height: 844 }
const LAPTOP = { width: 1280, height: 800 }

/** A world with something in every view. */
async function livedIn(): Promise<{ sandbox: TestSandbox; paths: string[] }> {
  const sandbox = await startSandbox({ inventory: 3, frozen: true })
  const { json: order } = await sandbox.sell()
  await sandbox.sell()
  await sandbox.operate('POST', `/v1/worlds/default/orders/${order.public_id}/hold`, { reason: 'looks odd' })
  const { json: refusal } = await sandbox.call({
    path: '/domains/search?q=solar&limit=2',
    signs: { target: '/api/partner/v1/domains/search' },
  })
  const details = [`orders/${order.public_id}`, `requests/${refusal.request_id}`]
  return { sandbox, paths: ['', 'orders', 'requests', ...details].map((path) => `/w/default/${path}`) }
}

it('has nothing that axe complains of, in both themes and at two widths, and does not scroll sideways', async () => {
  const { sandbox, paths } = await livedIn()
  const page = await openConsole(sandbox)
  for (const path of paths) {
    await page.goto(`${sandbox.operator?.url}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    for (const viewport of [LAPTOP, PHONE]) {
      await page.setViewportSize(viewport)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.getByRole('status').first().waitFor()
        const where = `${path} ${viewport.width} ${colorScheme}`
        expect([where, await overflowOf(page)]).toEqual([where, 0])
        expect([where, await barriersOf(page)]).toEqual([where, []])
      }
    }
  }
})

it('shows 25 orders on a laptop, and has a switch for dark and light that lasts', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  for (let n = 0; n < 30; n++) await sandbox.sell()
  const page = await openConsole(sandbox, '/w/default/orders', { viewport: { width: 1440, height: 900 } })
  const row = page.getByRole('row').nth(25)
  await row.waitFor()
  expect((await row.boundingBox())?.y).toBeLessThan(900 - 24)
  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
  const light = await ground()
  await page.getByRole('button', { name: 'Theme: system' }).click()
  await page.getByRole('button', { name: 'Theme: light' }).click()
  await page.reload()
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor()
  expect(await ground()).not.toBe(light)
})
