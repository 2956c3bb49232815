import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { CONSOLE_FOLDER } from '../../../src/package-files.ts'
import { rawAnswer } from '../../operator/raw-answer.ts'
import { openShop, openWindow } from '../../support/chromium.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const TOKEN = 'operator-token-of-a-test'
const HTML = { accept: 'text/html,application/xhtml+xml' }

function operatorUrl({ operator }: TestSandbox): string {
  return operator?.url ?? ''
}

it('answers a browser at every address of the console, and JSON clients as before', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  for (const path of ['/', '/w/default', '/w/ci%2042/orders/ord_1', '/w/a/b/c', '/worlds', '/?x=1']) {
    const answer = await fetch(operatorUrl(sandbox) + path, { headers: HTML })
    expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8'])
    const json = await fetch(operatorUrl(sandbox) + path, { headers: { accept: '*/*' } })
    expect([path, json.status, (await json.json()).detail]).toEqual([
      path,
      404,
      expect.stringMatching(/^no such endpoint/),
    ])
  }
  for (const path of [
    '/v1/nowhere',
    '/nowhere',
    '/w',
    '/assets/',
    '/assets/../index.html',
    '/assets/%2e%2e/index.html',
  ]) {
    expect([path, (await fetch(operatorUrl(sandbox) + path, { headers: HTML })).status]).toEqual([path, 404])
  }
  expect((await fetch(operatorUrl(sandbox), { headers: HTML, method: 'POST' })).status).not.toBe(200)
})

it('sends a page without inline script or style under a policy that allows this port alone', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const answer = await fetch(operatorUrl(sandbox), { headers: HTML })
  expect(answer.headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  expect(answer.headers.get('x-frame-options')).toBe('DENY')
  const html = await answer.text()
  expect(html).not.toMatch(/<style|style=|<script(?![^>]* src=)|\son\w+=|https?:/)
  const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
  expect(files.length).toBeGreaterThan(2)
  for (const path of files) {
    const file = await fetch(operatorUrl(sandbox) + path)
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(file.headers.get('x-content-type-options')).toBe('nosniff')
  }
})

it('has at most 100 KB of script, compressed', async () => {
  const html = readFileSync(join(CONSOLE_FOLDER, 'index.html'), 'utf8')
  const scripts = [...html.matchAll(/[="](\/assets\/[^"]+\.js)"/g)].map(([, path = '']) => path)
  expect(scripts.length).toBeGreaterThan(0)
  const sizes = scripts.map((path) => gzipSync(readFileSync(CONSOLE_FOLDER + path)).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000)
})

it('refuses its page to a foreign Host, to a frame and to a script of another site; a link from one opens it', async () => {
  const sandbox = await startSandbox({ inventory: 0, operatorToken: TOKEN })
  const host = new URL(operatorUrl(sandbox)).host
  const ask = async (...headers: string[]) =>
    (await rawAnswer(operatorUrl(sandbox), ['GET / HTTP/1.1', 'Accept: text/html', ...headers, 'Connection: close']))
      .status
  const crossSite = 'Sec-Fetch-Site: cross-site'
  const navigates = ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document']
  expect(await ask(`Host: ${host}`)).toBe(200)
  expect(await ask('Host: evil.test')).toBe(403)
  expect(await ask(`Host: ${host}`, crossSite, ...navigates)).toBe(200)
  expect(await ask(`Host: ${host}`, crossSite)).toBe(403)
  expect(await ask(`Host: ${host}`, crossSite, 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe')).toBe(403)
  expect(await ask(`Host: ${host}`, crossSite, 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: script')).toBe(403)
  expect(await ask(`Host: ${host}`, crossSite, ...navigates, 'Origin: http://evil.test')).toBe(403)
  const shop = await openShop()
  const page = await openWindow()
  await page.goto(shop.url)
  await page.evaluate(`document.body.innerHTML = '<a href="${operatorUrl(sandbox)}/w/default/orders">orders</a>'`)
  await page.getByRole('link', { name: 'orders' }).click()
  await page.getByRole('heading', { name: 'Operator token' }).waitFor()
})

it('asks for the token once, keeps it in the tab, sends it in a header, never in an address, and to its own port alone', async () => {
  const sandbox = await startSandbox({ inventory: 0, operatorToken: TOKEN })
  const page = await openWindow()
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  await page.goto(`${operatorUrl(sandbox)}/w/default/orders`)
  await page.getByLabel('Token').fill('another-token')
  await page.getByRole('button', { name: 'Open the console' }).click()
  await page.getByRole('alert').getByText('This token was refused.').waitFor()
  await page.getByLabel('Token').fill(TOKEN)
  await page.getByRole('button', { name: 'Open the console' }).click()
  await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor()
  await page.getByRole('status').getByText('Live').waitFor()
  await page.reload()
  await page.getByText('No orders here').waitFor()
  await page.getByRole('link', { name: 'Requests', exact: true }).click()
  await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor()
  expect(addresses.filter((address) => decodeURIComponent(address).includes(TOKEN))).toEqual([])
  expect([...new Set(addresses.map((address) => new URL(address).origin))]).toEqual([operatorUrl(sandbox)])
  expect(await page.evaluate('localStorage.length')).toBe(0)
  const other = await page.context().newPage()
  onTestFinished(() => other.close())
  await other.goto(`${operatorUrl(sandbox)}/w/default/orders`)
  await other.getByRole('heading', { name: 'Operator token' }).waitFor()
})

it('says that a token is stale once the sandbox takes another one, and goes on with the new one', async () => {
  const first = await startSandbox({ inventory: 0, operatorToken: TOKEN })
  const page = await openWindow()
  await page.goto(`${operatorUrl(first)}/w/default/orders`)
  await page.getByLabel('Token').fill(TOKEN)
  await page.getByRole('button', { name: 'Open the console' }).click()
  await page.getByText('No orders here').waitFor()
  await first.close()
  await page.getByRole('status').getByText('Connection lost').waitFor()
  const operatorPort = Number(new URL(operatorUrl(first)).port)
  await startSandbox({ inventory: 0, operatorToken: 'another-token', operatorPort })
  await page.getByRole('alert').getByText('The token of this tab is no longer valid').waitFor()
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
  await page.getByLabel('Token').fill('another-token')
  await page.getByRole('button', { name: 'Open the console' }).click()
  await page.getByText('No orders here').waitFor()
})

it('is not framed, read or written by a page of another site, whatever that page tries', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const url = operatorUrl(sandbox)
  const shop = await openShop()
  // Of this page a browser has much to say.
  const browser = await (await openWindow()).context().newPage()
  await browser.goto(shop.url)
  const writes = ['text/plain', 'application/x-www-form-urlencoded', 'application/json']
  for (const credentials of ['omit', 'include']) {
    for (const path of ['/v1/worlds', '/w/default']) {
      const read = `fetch('${url}${path}', { credentials: '${credentials}' }).then(() => 'read', () => 'kept out')`
      expect([credentials, path, await browser.evaluate(read)]).toEqual([credentials, path, 'kept out'])
    }
    for (const type of writes) {
      const init = `{ method: 'POST', body: '{"name":"foreign"}', credentials: '${credentials}', mode: MODE, headers: { 'content-type': '${type}' } }`
      for (const mode of ['cors', 'no-cors']) {
        await browser.evaluate(`fetch('${url}/v1/worlds', ${init.replace('MODE', `'${mode}'`)}).then(() => 1, () => 0)`)
      }
    }
  }
  await browser.evaluate(`document.body.innerHTML = '<iframe src="${url}/w/default" name="inner"></iframe>'`)
  await browser.frameLocator('iframe').locator('body').waitFor({ state: 'attached' })
  expect(await browser.frames().at(-1)?.locator('#console').count()).toBe(0)
  const field = `<input name='{"name":"foreign","seed":"' value='"}'>`
  await browser.setContent(
    `<form method="post" enctype="text/plain" action="${url}/v1/worlds">${field}<button>Send</button></form>`,
  )
  await browser.getByRole('button', { name: 'Send' }).click()
  await browser.waitForURL(`${url}/v1/worlds`)
  await browser.getByText('pages of another origin may not use the operator API').waitFor()
  const { json } = await sandbox.operate('GET', '/v1/worlds')
  expect(json.worlds.map(({ world }: { world: string }) => world)).toEqual(['default'])
})
