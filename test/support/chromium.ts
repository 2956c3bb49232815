import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { CHROMIUM } from './tools.ts'

/** What Chromium needs to run as root in a container, and to leave the network alone. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A real Chromium. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS })
}

/** A window of its own, closed when the test ends. A page that says anything on the console fails the test. */
export async function openWindow(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    // The browser notes each answer of 4xx by itself.
    if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`))
  onTestFinished(async () => {
    await context.close()
    if (complaints.length > 0) throw new Error(`the browser complained: ${complaints.join('\n')}`)
  })
  return page
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
