import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
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

export type WindowOptions = Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'javaScriptEnabled'>

/** One line to it for all tests of a process. */
let connected: Promise<Browser> | undefined

/** Windows that no test has at the moment: a page in a new one takes three times as long as in one that has shown some. */
const idle: Page[] = []

/**
 * A window in the Chromium of the run, for a test alone. A page that says anything on the console, be it of what its policy
 * has stopped, fails the test.
 */
export async function openWindow({ viewport, colorScheme, javaScriptEnabled }: WindowOptions = {}): Promise<Page> {
  const isPlain = javaScriptEnabled !== false
  const page = (isPlain ? idle.pop() : undefined) ?? (await newWindow({ javaScriptEnabled: isPlain }))
  await page.setViewportSize(viewport ?? { width: 1280, height: 720 })
  await page.emulateMedia({ colorScheme: colorScheme ?? 'light' })
  const complaints: string[] = []
  page.on('console', (message) => {
    // The browser notes each answer of 4xx by itself.
    if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`))
  onTestFinished(async ({ task }) => {
    const isEmptied = isPlain && task.result?.state !== 'fail' && (await emptied(page))
    if (isEmptied) idle.push(page)
    else await page.context().close()
    if (complaints.length > 0) throw new Error(`the browser complained: ${complaints.join('\n')}`)
  })
  return page
}

async function newWindow(options: WindowOptions): Promise<Page> {
  connected ??= chromium.connect(inject('chromium'))
  const context = await (await connected).newContext(options)
  await context.addInitScript(KEEP_COPIES)
  return context.newPage()
}

/** Takes from a window whatever a test may have left in it, or says that this cannot be done. */
async function emptied(page: Page): Promise<boolean> {
  const context = page.context()
  for (const event of ['console', 'pageerror', 'dialog', 'request', 'response']) page.removeAllListeners(event)
  try {
    for (const other of context.pages()) if (other !== page) await other.close()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.setOffline(false)
    await context.clearCookies()
    if (page.url().startsWith('http')) await page.evaluate('localStorage.clear(), sessionStorage.clear()')
    await page.goto('about:blank')
    await page.emulateMedia({ media: null })
    return true
  } catch {
    return false
  }
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
  await debug.detach()
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
