import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openConsole } from '../../support/console.ts'
import { register } from '../../support/hooks.ts'
import { startReceiver } from '../../support/receiver.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const DEFAULT = '/v1/worlds/default'

/** An order whose transfer is complete. */
async function completedOrder(sandbox: TestSandbox): Promise<string> {
  const { json } = await sandbox.sell()
  for (const step of ['start-transfer', 'complete-transfer']) {
    await sandbox.operate('POST', `${DEFAULT}/orders/${json.public_id}/${step}`, {})
  }
  return json.public_id
}

function inDollars(cents: number): string {
  return `USD ${(cents / 100).toLocaleString('en', { minimumFractionDigits: 2 })}`
}

async function openSession(sandbox: TestSandbox, domain: string): Promise<string> {
  const urls = { return_url: 'https://shop.example.test/back', cancel_url: 'https://shop.example.test/no' }
  return (await sandbox.call({ path: '/checkout-session', body: { domain, ...urls } })).json.session_id
}

it('runs a settlement, whose statement says what the partner owes, and a payout', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const id = await completedOrder(sandbox)
  const page = await openConsole(sandbox, '/w/default/money')
  await page.getByText('No settlement run yet').waitFor()
  await page.getByRole('button', { name: 'Run settlement' }).click()
  await page.getByRole('status').getByText('Settlement run: 1 order settled, USD').waitFor()
  await page.getByRole('link', { name: id }).waitFor()
  const { json } = await sandbox.operate('GET', `${DEFAULT}/orders/${id}`)
  expect(json.status).toBe('SETTLED')
  await page.getByRole('link', { name: 'Money', exact: true }).click()
  await page.getByRole('link', { name: /^run_/ }).waitFor()
  await page.getByRole('button', { name: 'Run payout' }).click()
  await page.getByRole('status').getByText('Payout run: no partner was due a payout').waitFor()
  await page.getByRole('link', { name: 'Money', exact: true }).click()
  await page.getByRole('region', { name: 'Audit' }).getByText('Everything adds up').waitFor()
})

it('pays a session as the buyer, whose commission is then in the ledger with its running balance', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const earlier = await openSession(sandbox, 'stalls-2.test')
  await sandbox.operate('POST', `${DEFAULT}/checkout-sessions/${earlier}/pay`, {})
  const session = await openSession(sandbox, 'stalls-1.test')
  const page = await openConsole(sandbox, '/w/default/checkout')
  await page.getByRole('link', { name: session }).click()
  await page.getByRole('button', { name: 'Decline' }).click()
  await page.getByRole('status').getByText('The bank declined the payment').waitFor()
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await page.getByRole('status').getByText('The buyer paid').waitFor()
  const order = await page.getByRole('link', { name: /^ord_/ }).textContent()
  expect(await page.getByRole('button', { name: 'Pay', exact: true }).getAttribute('aria-disabled')).toBe('true')
  await page.getByRole('link', { name: 'Money', exact: true }).click()
  const ledger = page.getByRole('region', { name: 'Ledger', exact: true })
  await ledger.getByRole('link', { name: order ?? '' }).waitFor()
  await ledger.getByRole('img', { name: 'Balance over the last 2 entries' }).waitFor()
  const { json } = await sandbox.operate('GET', `${DEFAULT}/ledger?partner_id=${sandbox.credentials[0]?.partner_id}`)
  const [highest, lowest] = json.entries.map(({ balance_cents: cents }: { balance_cents: number }) => inDollars(cents))
  await ledger.getByText(`lowest ${lowest}, highest ${highest}`).waitFor()
})

it('says what came of paying as a buyer whose address decides it, who then pays', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const session = await openSession(sandbox, 'stalls-1.test')
  const page = await openConsole(sandbox, `/w/default/checkout/${session}`)
  const state = page.getByRole('region', { name: 'Act as the buyer' }).getByText('Open', { exact: true })
  for (const [email, says] of [
    ['ada+declines@example.test', 'The bank declined the payment: the session stays open'],
    ['ada+abandons@example.test', 'The buyer left without paying: the session stays open'],
  ] as const) {
    await page.getByLabel('Email of the buyer (optional)').fill(email)
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    await page.getByRole('status').getByText(says).waitFor()
    await state.waitFor()
  }
  expect(await page.getByText('The buyer paid').count()).toBe(0)
  await page.getByLabel('Email of the buyer (optional)').fill('ada@example.test')
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await page.getByRole('status').getByText('The buyer paid').waitFor()
})

it('closes a case as the broker at the price that was typed', async () => {
  const sandbox = await startSandbox({ inventory: 1 })
  const { json: listed } = await sandbox.operate('GET', `${DEFAULT}/domains?limit=1`)
  const wanted = { tier: 'managed', buyer_email: 'b@example.test', budget: 500_000, domain: listed.domains[0].domain }
  const { json: opened } = await sandbox.call({ path: '/brokerage', body: wanted })
  const page = await openConsole(sandbox, `/w/default/brokerage/${opened.case_id}`)
  await page.getByRole('button', { name: 'Negotiate' }).click()
  await page.getByRole('status').getByText(`${wanted.domain}: negotiation started`).waitFor()
  const price = page.getByLabel('Price of the deal')
  await price.fill('much')
  expect(await page.getByRole('button', { name: 'Close deal', exact: true }).getAttribute('aria-disabled')).toBe('true')
  await price.fill('4,500.50')
  await page.getByRole('button', { name: 'Close deal', exact: true }).click()
  await page.getByRole('status').getByText(`${wanted.domain}: closed with a deal`).waitFor()
  const { json } = await sandbox.operate('GET', `${DEFAULT}/brokerage/${opened.case_id}`)
  expect([json.status, json.deal_price_cents]).toEqual(['DEAL_CLOSED', 450_050])
})

it('redelivers a webhook, finds out that a receiver does not verify, and makes the network flaky', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const receiver = await startReceiver()
  await register(sandbox, receiver.url)
  await sandbox.sell()
  const page = await openConsole(sandbox, '/w/default/events')
  await page.getByRole('link', { name: /^evt_/ }).click()
  await page.getByRole('link', { name: /^dlv_/ }).click()
  await page
    .getByText('2.')
    .or(page.getByRole('button', { name: 'Redeliver' }))
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Redeliver' }).click()
  await page.getByRole('status').getByText('Sent again: answered 200').waitFor()
  await page.getByRole('button', { name: 'Send tampered' }).click()
  await page.getByRole('table', { name: 'Probes' }).getByText('Accepted: it does not verify').nth(2).waitFor()
  await page.getByRole('alert').getByText('Tampered deliveries sent: 3 of 3 accepted').waitFor()
  expect(await page.getByText('probe: secret', { exact: true }).isVisible()).toBe(true)
  await page.getByRole('tab', { name: 'Python' }).click()
  await page.getByText('def is_signed_webhook').waitFor()
  await page.getByRole('link', { name: 'Deliveries', exact: true }).click()
  await page.getByRole('switch', { name: 'Send nothing' }).click()
  await page.getByRole('status').getByText('Send nothing: on').waitFor()
  expect((await sandbox.operate('GET', `${DEFAULT}/delivery-profile`)).json).toMatchObject({ drop: true })
})

it('adds a fault as a sentence, counts its hits while it happens, and removes it', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox, '/w/default/faults')
  await page.getByLabel('When').selectOption('availability')
  await page.getByLabel('then').selectOption('answer 503')
  await page.getByLabel('how often').selectOption('every time')
  await page.getByRole('button', { name: 'Add fault' }).click()
  await page.getByRole('cell', { name: 'availability is called by anyone', exact: true }).waitFor()
  expect((await sandbox.call({ path: '/availability?domain=stalls-1.test', undocumented: true })).status).toBe(503)
  await page
    .getByRole('row', { name: /availability/ })
    .getByRole('cell', { name: '1', exact: true })
    .waitFor()
  await page.getByRole('row').nth(1).getByRole('link', { name: /^req_/ }).waitFor()
  await page.getByRole('button', { name: /^Remove: availability/ }).click()
  await page.getByText('No faults: every call').waitFor()
  expect((await sandbox.call({ path: '/availability?domain=stalls-1.test' })).status).toBe(200)
})

it('adds a domain, changes its price and takes it off the list', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox, '/w/default/inventory')
  await page.getByLabel('Domain', { exact: true }).fill('my-shop.test')
  await page.getByLabel('Price', { exact: true }).fill('1200')
  await page.getByRole('button', { name: 'Add domain' }).click()
  await page.getByRole('link', { name: 'my-shop.test' }).click()
  await page.getByLabel('Price in USD').fill('1300.50')
  await page.getByRole('button', { name: 'Save prices' }).click()
  await page.getByRole('status').getByText('my-shop.test costs USD 1,300.50').waitFor()
  expect((await sandbox.call({ path: '/availability?domain=my-shop.test' })).json.price_cents).toBe(130_050)
  await page.getByRole('switch', { name: 'Listed' }).click()
  await page.getByText('Unlisted').waitFor()
  await page.getByRole('link', { name: 'Inventory', exact: true }).click()
  const csv = Buffer.from('domain,price_cents\na.test,1000\nb.test,2000\n')
  await page.getByLabel('CSV file').setInputFiles({ name: 'all.csv', mimeType: 'text/csv', buffer: csv })
  await page.getByRole('link', { name: 'b.test' }).waitFor()
})

it('adds a month of sales to a world, and refuses a number of orders that cannot be', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox, '/worlds')
  await page.getByRole('button', { name: 'Seed', exact: true }).click()
  const ask = page.getByRole('dialog', { name: 'Seed default' })
  const add = ask.getByRole('button', { name: 'Add a month of sales' })
  await ask.getByLabel('Orders').fill('1.5')
  expect(await add.getAttribute('aria-disabled')).toBe('true')
  await ask.getByLabel('Orders').fill('8')
  await add.click()
  await page.getByRole('status').getByText('default seeded: 8 orders').waitFor()
  expect((await sandbox.operate('GET', '/v1/worlds/default/orders')).json.orders).toHaveLength(8)
})

it('forks a world, shows its secrets only when asked, and deletes it once its name is typed', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox, '/worlds')
  await page.getByLabel('Name (optional)').fill('ci-42')
  await page.getByRole('button', { name: 'Create world' }).click()
  await page.getByRole('heading', { name: 'Credentials of ci-42' }).waitFor()
  expect(await page.getByText('sk_sandbox_').count()).toBe(0)
  await page.getByRole('button', { name: 'Show secret of main' }).click()
  await page.getByText('sk_sandbox_').waitFor()
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'ci-42', exact: true }) })
  await row.getByRole('button', { name: 'Fork', exact: true }).click()
  await page.getByLabel('Name of the copy').fill('ci-42-copy')
  await page.getByRole('button', { name: 'Fork this world' }).click()
  await page.getByRole('status').getByText('ci-42 forked as ci-42-copy').waitFor()
  await row.getByRole('button', { name: 'Delete', exact: true }).click()
  const ask = page.getByRole('dialog', { name: 'Delete ci-42?' })
  const remove = ask.getByRole('button', { name: 'Delete this world' })
  expect(await remove.getAttribute('aria-disabled')).toBe('true')
  await ask.getByLabel('Name of the world').fill('ci-42')
  await remove.click()
  await page.getByRole('status').getByText('ci-42 deleted').waitFor()
  expect((await sandbox.operate('GET', '/v1/worlds/ci-42')).status).toBe(404)
})

it('saves a snapshot of a world and restores it after a reset', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { json: order } = await sandbox.sell()
  const page = await openConsole(sandbox, '/worlds')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Snapshot', exact: true }).click(),
  ])
  const file = join(tempFolder(), 'default.sqlite')
  await download.saveAs(file)
  await page.getByRole('button', { name: 'Reset', exact: true }).click()
  await page.getByRole('button', { name: 'Reset this world' }).click()
  await page.getByRole('status').getByText('default reset: 1 order').waitFor()
  expect((await sandbox.operate('GET', `${DEFAULT}/orders/${order.public_id}`)).status).toBe(404)
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.getByLabel('Snapshot file').setInputFiles(file)
  await page.getByRole('status').getByText('default restored from default.sqlite').waitFor()
  expect((await sandbox.operate('GET', `${DEFAULT}/orders/${order.public_id}`)).status).toBe(200)
})

it('takes a scope away from a credential, and gives it a new secret that is hidden until asked for', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox, '/w/default/credentials')
  await page.getByRole('link', { name: 'main', exact: true }).click()
  const main = page.getByRole('region', { name: 'main', exact: true })
  await main.getByRole('switch', { name: 'search' }).click()
  await page.getByRole('status').getByText('main no longer has the scope search').waitFor()
  expect((await sandbox.call({ path: '/domains/search?q=solar' })).status).toBe(403)
  await main.getByRole('button', { name: 'New secret for main' }).click()
  await page
    .getByRole('region', { name: 'Secret of main' })
    .getByRole('button', { name: 'Show secret of main' })
    .click()
  await page.getByText('sk_sandbox_').waitFor()
  expect((await sandbox.call({ path: '/orders' })).json.code).toBe('invalid_signature')
})

it('opens a referral link as a visitor, which counts, and shows what is not covered yet with the way to it', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { json: link } = await sandbox.call({ path: '/links', body: { kind: 'generic' } })
  await fetch(link.url)
  const page = await openConsole(sandbox, '/w/default/links')
  await page.getByRole('row', { name: link.link_id }).getByRole('cell', { name: '1', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Coverage', exact: true }).click()
  await page.getByRole('switch', { name: 'Only what is missing or wrong' }).click()
  const endpoints = page.getByRole('table', { name: 'Endpoints' })
  await endpoints.getByText('POST /api/partner/v1/quotes').waitFor()
  expect(await endpoints.getByText('POST /api/partner/v1/links').count()).toBe(0)
  await page.getByRole('button', { name: 'Reset counts' }).click()
  await endpoints.getByText('POST /api/partner/v1/links').waitFor()
})

it('switches on that answers to refused calls say why they were refused', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox, '/worlds')
  const refused = () => sandbox.call({ path: '/orders', signs: { target: '/orders' } })
  expect((await refused()).json.hint).toBeUndefined()
  await page.getByRole('switch', { name: 'Answers to refused calls say why they were refused' }).click()
  await page.getByRole('switch', { name: 'Answers to refused calls', checked: true }).waitFor()
  expect((await refused()).json.hint).toContain('request show')
})

it('creates a world with other values of open points, which is then judged by them', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox, '/worlds')
  await page.getByLabel('Search').fill('missing-headers-status')
  const point = page.getByRole('group', { name: 'missing-headers-status' })
  await point.getByRole('radio', { name: '403' }).check()
  const changed = page.getByRole('region', { name: 'Changed open points' })
  await changed.getByText('1 value changed').waitFor()
  await changed.getByLabel('Name of the new world').fill('ci-403')
  await changed.getByRole('button', { name: 'Create world with these values' }).click()
  await page.getByRole('status').getByText('ci-403 created').waitFor()
  await changed.waitFor({ state: 'detached' })
  const { json } = await sandbox.operate('GET', '/v1/worlds/ci-403')
  expect(json.gaps).toEqual({ 'missing-headers-status': 403 })
  expect((await sandbox.operate('GET', '/v1/worlds/default')).json.gaps).toEqual({})
})

it('gives an empty world a new secret in the steps to the first call', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  await sandbox.operate('POST', '/v1/worlds', { name: 'other', inventory: 0 })
  const page = await openConsole(sandbox, '/w/other')
  const steps = page.getByRole('region', { name: 'Three steps to the first signed call' })
  await steps.getByText('The secret was shown when other was created.').waitFor()
  await steps.getByRole('button', { name: 'New secret for main' }).click()
  await steps.getByRole('button', { name: 'Show secret of main' }).click()
  await steps.getByText('sk_sandbox_').waitFor()
})
