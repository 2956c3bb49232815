import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { launchChromium, openWindow } from '../support/chromium.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { sampleOf } from '../support/size.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser?.close())

const WIDE = { width: 1280, height: 900 }
const PHONE = { width: 360, height: 740 }

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

const overflowOf = (page: Page) => page.evaluate('document.documentElement.scrollWidth - innerWidth') as Promise<number>

const WINDOWS = [
  ['light', 'light', WIDE],
  ['dark', 'dark', WIDE],
  ['light on a phone', 'light', PHONE],
  ['dark on a phone', 'dark', PHONE],
] as const

describe.each(sampleOf(WINDOWS, 3))('the sheet of coverage in %s', (_, colorScheme, viewport) => {
  it('fits, can be read by everybody, and shows every state in words', async () => {
    const page = await openWindow(browser, { colorScheme, viewport })
    await page.goto(sheetOf(await metSome()))
    expect(await overflowOf(page)).toBeLessThanOrEqual(0)
    for (const state of ['met', 'partly', 'wrong', 'not met', 'not counted']) {
      expect(await page.locator('.mark').getByText(state, { exact: true }).count(), state).toBeGreaterThan(0)
    }
    expect(await page.evaluate('getComputedStyle(document.querySelector(".total")).borderTopWidth')).toBe('1px')
    // The page runs no script, so the judge comes in by the debugger, whatever its policy says.
    const judge = await page.context().newCDPSession(page)
    await judge.send('Runtime.evaluate', { expression: axe.source })
    const { result } = await judge.send('Runtime.evaluate', {
      expression:
        'axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => [id, nodes[0].html])))',
      awaitPromise: true,
    })
    expect(JSON.parse(result.value as string)).toEqual([])
  })
})

it('is the same as a file that was sent, without asking anybody for anything', async () => {
  const text = await (await fetch(sheetOf(await metSome()))).text()
  const folder = mkdtempSync(join(tmpdir(), 'sheet-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'coverage.html'), text)
  const page = await openWindow(browser)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const address = pathToFileURL(join(folder, 'coverage.html')).href
  await page.goto(address)
  expect(asked).toEqual([address])
  expect(await page.evaluate('getComputedStyle(document.querySelector(".total")).borderTopWidth')).toBe('1px')
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Coverage of default')
})

it('runs nothing of what somebody made a seed of', async () => {
  const seed = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
  const page = await openWindow(browser)
  await page.goto(sheetOf(await metSome(seed)))
  expect(await page.locator('script, img').count()).toBe(0)
  expect(await page.locator('.lead code').textContent()).toBe(seed)
})
