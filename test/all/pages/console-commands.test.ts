import { spawnSync } from 'node:child_process'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { cli } from '../../cli/run.ts'
import { copiedText } from '../../support/chromium.ts'
import { openConsole } from '../../support/console.ts'
import { register, SECRET, signatureOf } from '../../support/hooks.ts'
import { startReceiver } from '../../support/receiver.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { IS_FULL } from '../../support/size.ts'

const DEFAULT = '/v1/worlds/default'

/** The words of a line as a shell reads them. */
function wordsOf(line: string): string[] {
  const { stdout } = spawnSync('bash', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' })
  return stdout.trimEnd().split('\n')
}

/** The command of the message that begins with this text; the message is then closed. */
async function copiedLine(page: Page, said: string): Promise<string> {
  await page
    .getByRole('button', { name: `Copy as command: ${said}` })
    .last()
    .click()
  const told = page.getByRole('status').getByText('Copied: ')
  await told.waitFor()
  const line = await copiedText(page)
  const close = page.getByRole('button', { name: 'Close message' })
  while ((await close.count()) > 0) await close.first().click()
  return line
}

/** Pastes it: the command must be a whole one, and do what it says. */
async function paste(line: string): Promise<void> {
  const [npx, program, ...words] = wordsOf(line)
  const { code, err } = await cli(words)
  expect([line, npx, program, code, err]).toEqual([line, 'npx', 'partner-sandbox', 0, ''])
}

it('gives a command for a credential whose name looks like a flag', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  await sandbox.operate('POST', `${DEFAULT}/credentials`, { name: '--revoked', scopes: ['search'] })
  const page = await openConsole(sandbox, '/w/default/credentials')
  const named = page.getByRole('region', { name: '--revoked', exact: true })
  await page.getByRole('link', { name: '--revoked', exact: true }).click()
  for (const [verb, done] of [
    ['Revoke', 'revoked'],
    ['Restore', 'restored'],
  ] as const) {
    await named.getByRole('button', { name: `${verb} --revoked`, exact: true }).click()
    await paste(await copiedLine(page, `--revoked ${done}`))
  }
})

/** Many acts, one by one, which take long. */
const atFullSize = IS_FULL ? it : () => {}

const STEPS = [
  ['Hold', 'held for review'],
  ['Clear', 'cleared'],
  ['Start transfer', 'transfer started'],
  ['Complete transfer', 'transfer completed'],
  ['Refund', 'refunded'],
] as const

it('gives a command for each step of an order, which takes the same step with another order', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const [{ public_id: one, domain }, { public_id: other }] = [(await sandbox.sell()).json, (await sandbox.sell()).json]
  const page = await openConsole(sandbox, `/w/default/orders/${one}`)
  const name = (step: string) => step.toLowerCase().replace(' ', '-')
  for (const [step, done] of STEPS) {
    await page.getByRole('button', { name: step, exact: true }).click()
    const line = await copiedLine(page, `${domain}: ${done}`)
    expect(line).toBe(`npx partner-sandbox order ${name(step)} ${one} --sandbox ${sandbox.operator?.url}`)
    await paste(line.replace(one, other))
  }
  const { json } = await sandbox.operate('GET', `${DEFAULT}/orders/${other}`)
  expect(json.status).toBe('REFUNDED')
})

it('gives a command for each jump of the clock, beside the receipt too', async () => {
  const sandbox = await startSandbox({ inventory: 0, frozen: true })
  const page = await openConsole(sandbox, '/w/default')
  const clock = page.getByRole('region', { name: 'Clock' })
  const at = async () => Date.parse((await sandbox.operate('GET', `${DEFAULT}/clock`)).json.now)
  const jumps = [
    ['Advance 10 minutes', '10 min', 'clock advance 10m', 600_000],
    ['Advance 7 days', '7 d', 'clock advance 7d', 604_800_000],
  ] as const
  for (const [name, span, command, ms] of jumps) {
    await clock.getByRole('button', { name, exact: true }).click()
    await page.getByRole('status').getByText(`Clock advanced by ${span} to 20`).getByText(': nothing was due').waitFor()
    const line = await copiedLine(page, `Clock advanced by ${span} to`)
    expect(line).toBe(`npx partner-sandbox ${command} --sandbox ${sandbox.operator?.url}`)
    const before = await at()
    await paste(line)
    expect((await at()) - before).toBe(ms)
  }
  const toNext = clock.getByRole('button', { name: 'Advance to next', exact: true })
  expect(await toNext.getAttribute('aria-disabled')).toBe('true')
  await toNext.hover()
  await clock.getByRole('tooltip').getByText('Nothing is scheduled').waitFor()
  const quote = () => sandbox.call({ path: '/quotes', body: { domain: 'stalls-1.test' } })
  await quote()
  await clock.getByText('Next: a quote expires in 10 min').waitFor()
  await toNext.click()
  await page.getByRole('status').getByText('1 quote expired').waitFor()
  const line = await copiedLine(page, 'Clock advanced by 10 min to')
  expect(line).toBe(`npx partner-sandbox clock advance --until next --sandbox ${sandbox.operator?.url}`)
  await quote()
  const before = await at()
  await paste(line)
  expect(Math.round(((await at()) - before) / 1_000)).toBe(600)
  await page
    .getByRole('region', { name: 'Receipt' })
    .getByRole('button', { name: 'Copy as command: the jump' })
    .waitFor()
  for (const [name, said, command] of [
    ['Run', 'The clock runs', 'clock run'],
    ['Freeze', 'The clock is frozen', 'clock freeze'],
  ] as const) {
    await clock.getByRole('button', { name, exact: true }).click()
    const line = await copiedLine(page, said)
    expect(line).toContain(`npx partner-sandbox ${command} `)
    await paste(line)
  }
})

atFullSize(
  'gives a command for every fault of the form and for its removal, in a world of its own',
  async () => {
    const sandbox = await startSandbox({ inventory: 0 })
    await sandbox.operate('POST', '/v1/worlds', { name: 'other', inventory: 0 })
    const page = await openConsole(sandbox, '/w/other/faults')
    const faults = async () => (await sandbox.operate('GET', '/v1/worlds/other/faults')).json.faults
    const effects = await page.getByLabel('then').locator('option').allTextContents()
    expect(effects.length).toBeGreaterThan(8)
    for (const [at, effect] of effects.entries()) {
      await page.getByLabel('then').selectOption(effect)
      await page.getByLabel('how often').selectOption(at % 2 === 0 ? 'once' : 'every time')
      await page.getByRole('button', { name: 'Add fault' }).click()
      await paste(await copiedLine(page, 'Fault added'))
      const [made, pasted] = (await faults()).map(({ match, effect: does, times }: Record<string, unknown>) => ({
        match,
        does,
        times,
      }))
      expect(pasted).toEqual(made)
      await page.getByRole('button', { name: 'Remove all' }).click()
      await paste(await copiedLine(page, 'All faults removed'))
    }
  },
  120_000,
)

atFullSize('gives a command for switches of the network, credentials, domains and money', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const page = await openConsole(sandbox, '/w/default/deliveries')
  const profile = async () => (await sandbox.operate('GET', `${DEFAULT}/delivery-profile`)).json
  for (const [name, now] of [
    ['Send nothing', 'on'],
    ['Send out of order', 'on'],
    ['Send nothing', 'off'],
    ['Send out of order', 'off'],
  ] as const) {
    await page.getByRole('switch', { name }).click()
    const line = await copiedLine(page, `${name}: ${now}`)
    const wanted = await profile()
    await paste(line)
    expect(await profile()).toEqual(wanted)
  }
  await page.getByRole('link', { name: 'Credentials', exact: true }).click()
  await page.getByRole('link', { name: 'main', exact: true }).click()
  const main = page.getByRole('region', { name: 'main', exact: true })
  for (const [name, done] of [
    ['search', 'main no longer has the scope search'],
    ['affiliate', 'main is no longer an affiliate'],
    ['merchant of record', 'main is no longer merchant of record'],
    ['affiliate', 'main is an affiliate'],
    ['search', 'main has the scope search'],
  ] as const) {
    await main.getByRole('switch', { name, exact: true }).click()
    await paste(await copiedLine(page, done))
  }
  for (const [name, done] of [
    ['Revoke main', 'main revoked'],
    ['Restore main', 'main restored'],
  ] as const) {
    await main.getByRole('button', { name, exact: true }).click()
    await paste(await copiedLine(page, done))
  }
  await page.getByRole('link', { name: 'Inventory', exact: true }).click()
  await page.getByLabel('Domain', { exact: true }).fill('my-shop.test')
  await page.getByLabel('Price', { exact: true }).fill('1200')
  await page.getByRole('button', { name: 'Add domain' }).click()
  await paste((await copiedLine(page, 'Added my-shop.test')).replace('my-shop', 'other-shop'))
  await page.getByRole('link', { name: 'my-shop.test' }).click()
  await page.getByRole('switch', { name: 'Listed' }).click()
  await paste(await copiedLine(page, 'my-shop.test is not listed'))
  await page.getByRole('button', { name: 'Save prices' }).click()
  await paste(await copiedLine(page, 'my-shop.test costs USD 1,200.00'))
  await page.getByRole('button', { name: 'Remove domain' }).click()
  await paste((await copiedLine(page, 'Removed my-shop.test')).replace('my-shop', 'other-shop'))
  await page.getByRole('link', { name: 'Money', exact: true }).click()
  await page.getByRole('button', { name: 'Run settlement' }).click()
  await paste(await copiedLine(page, 'Settlement run: there was nothing to settle'))
  await page.getByRole('link', { name: 'Money', exact: true }).click()
  await page.getByRole('button', { name: 'Run payout' }).click()
  await paste(await copiedLine(page, 'Payout run: no partner was due a payout'))
})

atFullSize('gives a command for acts with deliveries, sessions, cases and worlds', async () => {
  const sandbox = await startSandbox({ inventory: 2 })
  const receiver = await startReceiver(
    (response, { body, headers }) =>
      void response.writeHead(headers['x-partner-signature'] === signatureOf(body, SECRET) ? 200 : 401).end(),
    { anything: true },
  )
  await register(sandbox, receiver.url)
  await sandbox.sell()
  await receiver.has(1)
  const page = await openConsole(sandbox, '/w/default/deliveries')
  await page.getByRole('link', { name: /^dlv_/ }).click()
  await page.getByRole('button', { name: 'Redeliver' }).click()
  await paste(await copiedLine(page, 'Sent again: answered 200'))
  await page.getByRole('button', { name: 'Send tampered' }).click()
  await paste(await copiedLine(page, 'Tampered deliveries sent: all refused, as they should be'))
  const urls = { return_url: 'https://shop.example.test/back', cancel_url: 'https://shop.example.test/no' }
  const open = async (n: number): Promise<string> =>
    (await sandbox.call({ path: '/checkout-session', body: { domain: `stalls-${n}.test`, ...urls } })).json.session_id
  const acts = [
    ['Decline', 'The bank declined the payment'],
    ['Cancel', 'The buyer canceled'],
    ['Pay', 'The buyer paid'],
  ] as const
  for (const [at, [name, said]] of acts.entries()) {
    const [one, other] = [await open(70 + at), await open(80 + at)]
    await page.goto(`${sandbox.operator?.url}/w/default/checkout/${one}`)
    await page.getByRole('button', { name, exact: true }).click()
    await paste((await copiedLine(page, said)).replace(one, other))
  }
  await page.goto(`${sandbox.operator?.url}/worlds`)
  await page.getByLabel('Name (optional)').fill('ci-42')
  await page.getByRole('button', { name: 'Create world' }).click()
  await paste((await copiedLine(page, 'ci-42 created')).replace('ci-42', 'ci-43'))
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'ci-42', exact: true }) })
  await row.getByRole('button', { name: 'Fork', exact: true }).click()
  await page.getByLabel('Name of the copy').fill('ci-44')
  await page.getByRole('button', { name: 'Fork this world' }).click()
  await paste((await copiedLine(page, 'ci-42 forked as ci-44')).replace('ci-44', 'ci-45'))
  await row.getByRole('button', { name: 'Reset', exact: true }).click()
  await page.getByRole('button', { name: 'Reset this world' }).click()
  await paste(await copiedLine(page, 'ci-42 reset: 0 orders, 0 events and 0 calls removed'))
  await row.getByRole('button', { name: 'Seed', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Orders').fill('8')
  await page.getByRole('button', { name: 'Add a month of sales' }).click()
  await paste(await copiedLine(page, 'ci-42 seeded: 8 orders'))
})
