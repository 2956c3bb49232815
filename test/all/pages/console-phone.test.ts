import { expect, it } from 'vitest'
import { barriersOf } from '../../support/chromium.ts'
import { openConsole } from '../../support/console.ts'
import { startSandbox } from '../../support/sandbox.ts'

const PHONE = { width: 390, height: 844 }

it('closes the menu of a phone by its button, by Escape, by a tap outside and by a link', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox, '/w/default/orders', { viewport: PHONE })
  const button = page.getByRole('button', { name: 'Menu', exact: true })
  const menu = page.getByRole('navigation', { name: 'Console' })
  await button.click()
  await menu.waitFor()
  expect(await barriersOf(page)).toEqual([])
  await button.click()
  await menu.waitFor({ state: 'hidden' })
  await button.click()
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'hidden' })
  expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Menu')
  await button.click()
  await page.mouse.click(PHONE.width - 20, PHONE.height / 2)
  await menu.waitFor({ state: 'hidden' })
  await button.click()
  await page.getByLabel('World').focus()
  await menu.waitFor({ state: 'hidden' })
  await button.click()
  await menu.getByRole('link', { name: 'Events' }).click()
  await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor()
  await menu.waitFor({ state: 'hidden' })
})

it('shows the title of a receipt in two lines at most, beside the button that closes it', async () => {
  const sandbox = await startSandbox({ inventory: 0, frozen: true })
  const page = await openConsole(sandbox, '/w/default/orders', { viewport: PHONE })
  await page.getByRole('button', { name: 'Advance 1 day' }).click()
  const receipt = page.getByRole('region', { name: 'Receipt' })
  const title = await receipt.getByRole('heading').boundingBox()
  expect(title?.height).toBeLessThanOrEqual(40)
  await receipt.getByRole('button', { name: 'Close receipt' }).click()
  await receipt.waitFor({ state: 'detached' })
})
