import { expect, it } from 'vitest'
import { openWindow, overflowOf } from '../../support/chromium.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { sampleOf } from '../../support/size.ts'

/** Its colors and whatever else hinders a reader: docs-try-it.test.ts, with everything of it open. */
it('fits every width, and leads from the contents to an operation, without a script', async () => {
  const { url } = await startSandbox({ inventory: 0 })
  const page = await openWindow({ javaScriptEnabled: false })
  await page.goto(`${url}/docs`)
  for (const width of sampleOf([320, 375, 1280], 2)) {
    await page.setViewportSize({ width, height: 800 })
    expect(await overflowOf(page), `${width}`).toBe(0)
  }
  await page.getByRole('navigation').getByRole('link', { name: 'Record a sale' }).click()
  expect(page.url()).toBe(`${url}/docs#orders.create`)
  await page.locator('[id="orders.create"]:target').waitFor()
})
