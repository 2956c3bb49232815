import { expect, it } from 'vitest'
import { barriersOf, overflowOf } from '../../support/chromium.ts'
import { openConsole } from '../../support/console.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { IS_FULL, sampleOf } from '../../support/size.ts'

const DEFAULT = '/v1/worlds/default'

/** A world with something in every view, and the ids of what it has. */
async function livedIn(): Promise<{ sandbox: TestSandbox; ids: Record<string, string> }> {
  const sandbox = await startSandbox({ inventory: 3, frozen: true })
  const { json: order } = await sandbox.sell()
  const { json: sold } = await sandbox.sell()
  await sandbox.operate('POST', `${DEFAULT}/orders/${order.public_id}/hold`, { reason: 'looks odd' })
  for (const step of ['start-transfer', 'complete-transfer']) {
    await sandbox.operate('POST', `${DEFAULT}/orders/${sold.public_id}/${step}`, {})
  }
  await sandbox.operate('POST', `${DEFAULT}/settlement-runs`, {})
  const urls = { return_url: 'https://shop.example.test/back', cancel_url: 'https://shop.example.test/no' }
  const { json: opened } = await sandbox.call({
    path: '/checkout-session',
    body: { domain: 'stalls-40.test', ...urls },
  })
  await sandbox.call({ path: '/links', body: { kind: 'product', product: '<b>bold</b><script>alert(1)</script>' } })
  const { json: refusal } = await sandbox.call({
    path: '/domains/search?q=solar&limit=2',
    signs: { target: '/api/partner/v1/domains/search' },
  })
  await sandbox.operate('POST', `${DEFAULT}/faults`, { effect: { status: 503 } })
  return { sandbox, ids: { order: order.public_id, request: refusal.request_id, session: opened.session_id } }
}

const LISTS = ['orders', 'requests', 'events', 'deliveries', 'checkout', 'brokerage', 'links', 'inventory', 'money']
const DETAILS = ['orders/{order}', 'requests/{request}', 'checkout/{session}']
const VIEWS = [...LISTS, ...DETAILS, 'faults', 'coverage', 'credentials'].map((view) => `/w/default/${view}`)

const LOOKS = [
  { width: 1280, height: 800, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
] as const

it('has nothing in any view that axe complains of, in light on a laptop and in dark on a phone, and does not scroll sideways', async () => {
  const { sandbox, ids } = await livedIn()
  const page = await openConsole(sandbox)
  for (const [at, view] of sampleOf(['/w/default', ...VIEWS, '/worlds'], 3).entries()) {
    const path = view.replace(/\{(\w+)\}/, (_mark, name: string) => ids[name] ?? '')
    await page.goto(`${sandbox.operator?.url}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    // Every other view in every other look, but for a whole run.
    for (const { colorScheme, ...viewport } of IS_FULL ? LOOKS : LOOKS.slice(at % 2, (at % 2) + 1)) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await page.getByRole('status').first().waitFor()
      expect([path, colorScheme, await overflowOf(page)]).toEqual([path, colorScheme, 0])
      expect([path, colorScheme, await barriersOf(page)]).toEqual([path, colorScheme, []])
    }
  }
}, 300_000)

it('shows 25 orders on a laptop, and has a switch for dark and light that lasts', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  for (let n = 0; n < 30; n++) await sandbox.sell()
  const page = await openConsole(sandbox, '/w/default/orders', { viewport: { width: 1440, height: 900 } })
  const row = page.getByRole('row').nth(25)
  await row.waitFor()
  expect((await row.boundingBox())?.y).toBeLessThan(900 - 24)
  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
  const light = await ground()
  await page.getByRole('button', { name: 'Theme: system' }).click()
  await page.getByRole('button', { name: 'Theme: light' }).click()
  await page.reload()
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor()
  expect(await ground()).not.toBe(light)
})

it('has nothing that axe complains of in the copy menu, the bar of selected orders and the dialog of a fork', async () => {
  const { sandbox } = await livedIn()
  const page = await openConsole(sandbox, '/w/default/orders')
  await page.getByRole('checkbox', { name: 'Select all shown orders' }).check()
  await page.getByRole('main').getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Copy as curl' }).waitFor()
  expect(await barriersOf(page)).toEqual([])
  await page.goto(`${sandbox.operator?.url}/worlds`)
  await page.getByRole('button', { name: 'Fork', exact: true }).click()
  await page.getByRole('dialog', { name: 'Fork default' }).waitFor()
  expect(await barriersOf(page)).toEqual([])
})

it('shows the settings of the flaky network whole', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox, '/w/default/deliveries', { viewport: { width: 1440, height: 900 } })
  const setting = page.getByLabel('First attempt')
  const width = async () => (await setting.boundingBox())?.width
  const shown = await width()
  await setting.evaluate('(select) => { select.style.maxWidth = "none" }')
  expect(shown).toBe(await width())
})

it('shows the statements of a settlement run whole on a laptop', async () => {
  const { sandbox } = await livedIn()
  const { json } = await sandbox.operate('GET', `${DEFAULT}/settlement-runs`)
  const path = `/w/default/money/settlements/${json.settlement_runs[0].run_id}`
  const page = await openConsole(sandbox, path, { viewport: { width: 1280, height: 800 } })
  const panel = page.getByRole('region', { name: 'Statements' })
  await panel.getByText('stm_').first().waitFor()
  const card = await panel.boundingBox()
  const table = await panel.getByRole('table').boundingBox()
  expect((table?.x ?? 0) + (table?.width ?? 0)).toBeLessThanOrEqual((card?.x ?? 0) + (card?.width ?? 0))
})
