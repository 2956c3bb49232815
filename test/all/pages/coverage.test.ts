import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { barriersOf, openFile, openWindow, overflowOf, WINDOWS } from '../../support/chromium.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { sampleOf } from '../../support/size.ts'

/** A world with rows in every state. */
async function metSome(seed = 'sandbox'): Promise<TestSandbox> {
  const sandbox = await startSandbox({ inventory: 0, seed })
  const limited = { path: '/pricing?domain=rate-limited-1.test' }
  await sandbox.sell()
  for (const call of [limited, limited, { path: '/events' }, { path: '/pricing' }]) await sandbox.call(call)
  const { json } = await sandbox.operate('GET', '/v1/worlds/default/orders')
  await sandbox.operate('POST', `/v1/worlds/default/orders/${json.orders[0].public_id}/hold`, {})
  return sandbox
}

const sheetOf = (sandbox: TestSandbox) => `${sandbox.operator?.url}/v1/worlds/default/coverage?format=html`

/** Shows that the page's own style is in force. */
const borderOf = (page: Page) => page.evaluate('getComputedStyle(document.querySelector(".total")).borderTopWidth')

it('fits every window, can be read by everybody, and shows every state in words', async () => {
  const page = await openWindow()
  await page.goto(sheetOf(await metSome()))
  for (const state of ['exercised', 'partly', 'wrong', 'not exercised', 'not counted']) {
    expect(await page.locator('.mark').getByText(state, { exact: true }).count(), state).toBeGreaterThan(0)
  }
  for (const { name, colorScheme, viewport } of sampleOf(WINDOWS, 3)) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    expect(await overflowOf(page), name).toBeLessThanOrEqual(0)
    expect(await borderOf(page)).toBe('1px')
    expect(await barriersOf(page), name).toEqual([])
  }
})

it('is the same as a file that was sent, without asking anybody for anything', async () => {
  const page = await openWindow()
  const { address, asked } = await openFile(page, await (await fetch(sheetOf(await metSome()))).text())
  expect(asked).toEqual([address])
  expect(await borderOf(page)).toBe('1px')
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Coverage of default')
})

it('runs nothing of what somebody made a seed of', async () => {
  const seed = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
  const page = await openWindow()
  await page.goto(sheetOf(await metSome(seed)))
  expect(await page.locator('script, img').count()).toBe(0)
  expect(await page.locator('.lead code').textContent()).toBe(seed)
})
