import { expect, it } from 'vitest'
import { cli } from '../../cli/run.ts'
import { barriersOf, copiedText } from '../../support/chromium.ts'
import { copyFromMenu, openConsole, orderLink } from '../../support/console.ts'
import { startSandbox } from '../../support/sandbox.ts'

it('holds and clears an order by its buttons, and says why a step is not allowed', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { json: order } = await sandbox.sell()
  const page = await openConsole(sandbox)
  await page.getByRole('link', { name: 'Orders', exact: true }).click()
  await orderLink(page, order.public_id).click()
  expect(new URL(page.url()).pathname).toBe(`/w/default/orders/${order.public_id}`)
  const state = page.getByRole('region', { name: 'State', exact: true })
  await state.getByRole('button', { name: 'Hold', exact: true }).click()
  await state.getByText('MANUAL_REVIEW').waitFor()
  await page.getByRole('status').getByText(`${order.domain}: held for review`).waitFor()
  const start = state.getByRole('button', { name: 'Start transfer' })
  expect(await start.getAttribute('aria-disabled')).toBe('true')
  await start.hover()
  await state
    .getByRole('tooltip')
    .getByText('Only from Externally paid. This order is in the state Manual review.')
    .first()
    .waitFor()
  await state.getByRole('button', { name: 'Clear', exact: true }).click()
  await page.getByRole('status').getByText(`${order.domain}: cleared`).waitFor()
  const { json } = await sandbox.operate('GET', `/v1/worlds/default/orders/${order.public_id}`)
  expect(json.timeline.map(({ status }: { status: string }) => status)).toEqual([
    'EXTERNALLY_PAID',
    'MANUAL_REVIEW',
    'EXTERNALLY_PAID',
  ])
})

it('shows the name and the country of the buyer of an order', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { json: order } = await sandbox.sell({
    order: { buyer: { email: 'ada@example.test', name: 'Ada Byron', country: 'GB' } },
  })
  const page = await openConsole(sandbox, `/w/default/orders/${order.public_id}`)
  const facts = page.getByRole('region', { name: 'Money' })
  for (const text of ['ada@example.test', 'Ada Byron', 'GB']) await facts.getByText(text, { exact: true }).waitFor()
})

it('advances the clock past the expiry of a quote and lists it in the receipt', async () => {
  const sandbox = await startSandbox({ inventory: 0, frozen: true })
  await sandbox.call({ path: '/quotes', key: 'quote-1', body: { domain: 'stalls-1.test' } })
  const page = await openConsole(sandbox)
  const clock = page.getByRole('region', { name: 'Clock' })
  await clock.getByText('Next: a quote expires in 10 min').waitFor()
  await clock.getByRole('button', { name: 'Advance 10 minutes' }).click()
  const receipt = page.getByRole('region', { name: 'Receipt' })
  await receipt.getByText('Advanced 10 min').waitFor()
  // A quote holds at the very end of its ten minutes.
  await receipt.getByText('Nothing fell due.').waitFor()
  await clock.getByRole('textbox', { name: 'Advance by' }).fill('2h30m')
  await clock.getByRole('button', { name: 'Advance', exact: true }).click()
  await receipt.getByText('Advanced 2 h 30 min').waitFor()
  await receipt.getByRole('listitem').getByText('Quote expired', { exact: true }).waitFor()
  await clock.getByRole('textbox', { name: 'Advance by' }).fill('two hours')
  await clock.getByRole('button', { name: 'Advance', exact: true }).click()
  await page.getByRole('alert').getByText('two hours').waitFor()
  await clock.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('status').getByText('The clock runs').waitFor()
  expect((await sandbox.operate('GET', '/v1/worlds/default/clock')).json.mode).toBe('running')
})

it('shows why the last call was refused, and the header that would have been right', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { json: refusal } = await sandbox.call({
    path: '/domains/search?q=solar&limit=2',
    signs: { target: '/api/partner/v1/domains/search' },
  })
  const page = await openConsole(sandbox)
  await page.getByRole('link', { name: 'Requests', exact: true }).click()
  await page.getByRole('switch', { name: 'Refused only' }).click()
  expect(new URL(page.url()).search).toBe('?refused=true')
  await page.getByRole('link', { name: refusal.request_id }).click()
  const diagnosis = page.getByRole('region', { name: 'Diagnosis' })
  const { json: call } = await sandbox.operate('GET', `/v1/requests/${refusal.request_id}`)
  await diagnosis.getByText(call.diagnosis.sentence).waitFor()
  expect(await diagnosis.locator('tr.differs').getByRole('rowheader').allTextContents()).toEqual(['Query'])
  expect(await diagnosis.locator('mark.good').textContent()).toBe('limit=2&q=solar')
  await diagnosis.getByText(call.diagnosis.expected_signature_header).waitFor()
  const checks = page.getByRole('region', { name: 'Checks' }).getByRole('listitem')
  expect(await checks.getByText('Refused').count()).toBe(1)
  expect(await checks.count()).toBe(call.checks.length)
  const unsigned = await fetch(`${sandbox.url}/api/partner/v1/orders`)
  await page.goto(`${sandbox.operator?.url}/w/default/requests/${unsigned.headers.get('x-request-id')}`)
  await diagnosis.getByText(/^Send instead: each of X-Partner-Key-Id, /).waitFor()
})

it('takes a step on many orders, and says which refused it', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const orders = [await sandbox.sell(), await sandbox.sell(), await sandbox.sell()].map(({ json }) => json.public_id)
  await sandbox.operate('POST', `/v1/worlds/default/orders/${orders[0]}/hold`, {})
  const page = await openConsole(sandbox, '/w/default/orders')
  for (const id of orders) await page.getByRole('checkbox', { name: `Select ${id}` }).check()
  await page.getByRole('button', { name: 'Start transfer' }).click()
  await page.getByRole('status').getByText('2 orders: transfer started').waitFor()
  await page.getByRole('alert').waitFor()
  await page.getByRole('button', { name: 'Copy as command: 2 orders: transfer started', exact: true }).click()
  await page.getByRole('status').getByText('Copied: ').waitFor()
  const lines = (await copiedText(page)).split('\n')
  expect(lines.map((line) => line.split(' ').slice(0, 5).join(' ')).sort()).toEqual(
    orders
      .slice(1)
      .sort()
      .map((id) => `npx partner-sandbox order start-transfer ${id}`),
  )
  const { json } = await sandbox.operate('GET', '/v1/worlds/default/orders?status=TRANSFER_IN_PROGRESS')
  expect(json.orders.map(({ public_id }: { public_id: string }) => public_id).sort()).toEqual(orders.slice(1).sort())
})

it('asks once, with their number, before it refunds several orders, and not before it refunds one', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const [first, ...others] = [await sandbox.sell(), await sandbox.sell(), await sandbox.sell()].map(
    ({ json }) => json.public_id,
  )
  const refunded = async () => (await sandbox.operate('GET', '/v1/worlds/default/orders?status=REFUNDED')).json.orders
  const page = await openConsole(sandbox, '/w/default/orders')
  await page.getByRole('checkbox', { name: `Select ${first}` }).check()
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  await page.getByRole('status').getByText('1 order: refunded').waitFor()
  for (const id of others) await page.getByRole('checkbox', { name: `Select ${id}` }).check()
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Refund 2 orders?' })
  await dialog.getByText('1 selected order does not allow it now.').waitFor()
  expect(await barriersOf(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Keep them' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await refunded()).toHaveLength(1)
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  await dialog.getByRole('button', { name: 'Refund 2 orders' }).click()
  await page.getByRole('status').getByText('2 orders: refunded').waitFor()
  expect(await refunded()).toHaveLength(3)
})

it('goes by keys: shortcuts, the search, and a palette that finds an order by its domain', async () => {
  const sandbox = await startSandbox({ inventory: 0, frozen: true })
  const { json: order } = await sandbox.sell()
  const page = await openConsole(sandbox)
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type(order.domain.toUpperCase())
  await page.waitForURL(/q=/)
  await orderLink(page, order.public_id).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type(order.domain)
  await page.getByRole('option', { name: order.public_id }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Money' }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('.')
  await page.getByRole('region', { name: 'Receipt' }).waitFor()
})

it('keeps what is typed into a search while the address follows, a space at the end too', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox, '/w/default/orders')
  const search = page.getByRole('searchbox').first()
  await search.pressSequentially('ada ')
  await page.waitForURL(/q=ada$/)
  await search.pressSequentially('byron')
  await page.waitForURL(/q=ada\+byron|q=ada%20byron/)
  expect(await search.inputValue()).toBe('ada byron')
})

it('shows an empty world three steps, with a line to paste that works', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox)
  const steps = page.getByRole('region', { name: 'Three steps to the first signed call' })
  const main = sandbox.credentials.find(({ name }) => name === 'main')
  const line = await steps.getByRole('region', { name: 'A signed call' }).textContent()
  expect(line).toBe(
    `npx partner-sandbox sign GET '${sandbox.url}/api/partner/v1/domains/search?q=solar' --key-id ${main?.key_id} --curl --sandbox ${sandbox.operator?.url} | sh`,
  )
  await sandbox.sell()
  await page.getByRole('link', { name: 'Externally paid 1' }).waitFor()
  expect(await steps.count()).toBe(0)
})

it('copies commands that do what is on screen', async () => {
  const sandbox = await startSandbox({ inventory: 0, frozen: true })
  await sandbox.operate('POST', '/v1/worlds', { name: 'other', inventory: 0 })
  const { json: order } = await sandbox.sell()
  const { json: refusal } = await sandbox.call({ path: '/balance', signs: { secret: 'wrong' } })
  const page = await openConsole(sandbox)
  const copied = async (path: string, entry = 'Copy as command') => {
    await page.goto(`${sandbox.operator?.url}${path}`)
    await copyFromMenu(page, entry)
    await page.getByRole('status').getByText('Copied').waitFor()
    return copiedText(page)
  }
  const lines = [
    ['/w/default', 'npx partner-sandbox world summary default', 'EXTERNALLY_PAID'],
    [
      '/w/default/orders?status=EXTERNALLY_PAID',
      'npx partner-sandbox order list --status EXTERNALLY_PAID',
      order.public_id,
    ],
    [`/w/default/orders/${order.public_id}`, `npx partner-sandbox order show ${order.public_id}`, 'EXTERNALLY_PAID'],
    ['/w/default/requests?refused=true', 'npx partner-sandbox request list --refused', refusal.request_id],
    [`/w/default/requests/${refusal.request_id}`, `npx partner-sandbox request show ${refusal.request_id}`, 'wrong'],
    ['/w/other/orders?q=a%20b', "npx partner-sandbox order list --search 'a b' --world other", 'no orders'],
  ] as const
  for (const [path, line, shows] of lines) {
    expect(await copied(path)).toBe(`${line} --sandbox ${sandbox.operator?.url}`)
    const words = line.split(' ').slice(2).join(' ').replace("'a b'", 'a_b').split(' ')
    const { code, out } = await cli([...words, '--sandbox', sandbox.operator?.url ?? ''])
    expect([line, code, out.includes(shows)]).toEqual([line, 0, true])
  }
  const curl = await copied('/w/default/orders', 'Copy as curl')
  expect(curl).toBe(`curl -s ${sandbox.operator?.url}/v1/worlds/default/orders`)
})
