import { expect, it } from 'vitest'
import { barriersOf, openWindow } from '../support/chromium.ts'
import { startSandbox } from '../support/sandbox.ts'
import { sampleOf } from '../support/size.ts'

it('fits every width, and has no barrier to anybody in either colors', async () => {
  const { url } = await startSandbox()
  const page = await openWindow()
  await page.goto(`${url}/docs`)
  for (const width of sampleOf([320, 375, 1280], 2)) {
    await page.setViewportSize({ width, height: 800 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  }
  await page.setViewportSize({ width: 375, height: 800 })
  for (const colorScheme of sampleOf(['light', 'dark'] as const, 2)) {
    await page.emulateMedia({ colorScheme })
    expect(await barriersOf(page), colorScheme).toEqual([])
  }
})

it('leads from the contents to an operation', async () => {
  const { url } = await startSandbox()
  const page = await openWindow({ javaScriptEnabled: false })
  await page.goto(`${url}/docs`)
  await page.getByRole('navigation').getByRole('link', { name: 'Record a sale' }).click()
  expect(page.url()).toBe(`${url}/docs#orders.create`)
  await page.locator('[id="orders.create"]:target').waitFor()
})
