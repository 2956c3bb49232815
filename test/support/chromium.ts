import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { inject, onTestFinished } from 'vitest'
import { tempFolder } from './temp-folder.ts'

export const PHONE = { width: 360, height: 740 }
const WIDE = { width: 1280, height: 900 }

/** How a page is looked at. */
export const WINDOWS = [
  { name: 'light', colorScheme: 'light', viewport: WIDE },
  { name: 'dark', colorScheme: 'dark', viewport: WIDE },
  { name: 'light on a phone', colorScheme: 'light', viewport: PHONE },
  { name: 'dark on a phone', colorScheme: 'dark', viewport: PHONE },
] as const

/** There is one clipboard for all windows of the browser, and other files copy at the same time; so a page keeps its own. */
const KEEP_COPIES = `{
  const writeText = async (text) => { globalThis.copiedText = String(text) }
  Object.defineProperty(navigator, 'clipboard', { value: { writeText } })
}`

/** What the page has copied last. */
export async function copiedText(page: Page): Promise<string> {
  return String(await page.evaluate('copiedText'))
}

/**
 * A window of its own in the Chromium of the run, closed when the test ends. A page that says anything on the console fails
 * the test.
 */
export async function openWindow(options: BrowserContextOptions = {}): Promise<Page> {
  const browser = await chromium.connect(inject('chromium'))
  const context = await browser.newContext(options)
  await context.addInitScript(KEEP_COPIES)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    // The browser notes each answer of 4xx by itself.
    if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`))
  onTestFinished(async () => {
    await browser.close()
    if (complaints.length > 0) throw new Error(`the browser complained: ${complaints.join('\n')}`)
  })
  return page
}

export interface OpenedFile {
  /** Its address. */
  address: string
  /** Every address that was asked for. */
  asked: string[]
}

/** Opens a page that is a file, as somebody does to whom it was sent. */
export async function openFile(page: Page, html: string): Promise<OpenedFile> {
  const folder = tempFolder()
  const file = join(folder, 'page.html')
  writeFileSync(file, html)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const address = pathToFileURL(file).href
  await page.goto(address)
  return { address, asked }
}

/** How many pixels the page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - innerWidth')
}

/** What axe finds wrong, every rule of it. It comes in by the debugger, whatever the policy of the page says. */
export async function barriersOf(page: Page): Promise<unknown> {
  const debug = await page.context().newCDPSession(page)
  await debug.send('Runtime.evaluate', { expression: axe.source })
  const expression =
    'axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => [id, nodes[0].html])))'
  const { result } = await debug.send('Runtime.evaluate', { expression, awaitPromise: true })
  return JSON.parse(result.value as string)
}

export interface Shop {
  /** Its origin. */
  url: string
  /** What buyers asked for, path and query. */
  readonly visits: string[]
}

/**
 * A partner's shop, to which buyers come back.
 *
 * @param sendsOnTo where it sends whoever asks for /moved.
 */
export async function openShop({ host = '127.0.0.1', sendsOnTo = '' } = {}): Promise<Shop> {
  const visits: string[] = []
  const server = createServer((request, response) => {
    if (request.url !== '/favicon.ico') visits.push(request.url ?? '')
    if (request.url?.startsWith('/moved')) response.writeHead(302, { location: sendsOnTo }).end()
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Shop</title><h1>Shop</h1>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://${host}:${(server.address() as AddressInfo).port}`, visits }
}
