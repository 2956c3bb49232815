import type { Page } from 'playwright-core'
import { openWindow, type WindowOptions } from './chromium.ts'
import type { TestSandbox } from './sandbox.ts'

/** Opens an address of the console in a window of its own; the default world's overview unless given. */
export async function openConsole(
  { operator }: Pick<TestSandbox, 'operator'>,
  path = '/',
  options: WindowOptions = {},
): Promise<Page> {
  const page = await openWindow(options)
  await page.goto(`${operator?.url}${path}`)
  return page
}

/** Chooses an entry of the menu with all that the view offers to copy. */
export async function copyFromMenu(page: Page, entry: string): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByRole('menuitem', { name: entry, exact: true }).click()
}

/** An order by its id, on the operator's list. */
export function orderLink(page: Page, publicId: string) {
  return page.getByRole('link', { name: publicId })
}
