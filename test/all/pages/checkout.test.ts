import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { BUYER, type OpenSession, openSession } from '../../support/checkout.ts'
import { barriersOf, openShop, openWindow, overflowOf, PHONE, type Shop } from '../../support/chromium.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { sampleOf } from '../../support/size.ts'

async function ordersOf(sandbox: TestSandbox, { domain }: OpenSession) {
  return (await sandbox.call({ path: `/orders?domain=${domain}` })).json.orders
}

async function sessionFor(sandbox: TestSandbox, shop: Shop, body: Record<string, unknown> = {}) {
  const addresses = { return_url: `${shop.url}/thanks?cart=7#top`, cancel_url: `${shop.url}/cart` }
  return openSession(sandbox, { ...addresses, ...body })
}

async function enter(page: Page, { name, email, country } = BUYER): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Country').selectOption(country)
}

const press = (page: Page, button: RegExp) => page.getByRole('button', { name: button }).click()

/** The page has no script of its own; referral.test.ts buys without any in a short run, too. */
const BROWSERS = [
  { name: 'with script', javaScriptEnabled: true },
  { name: 'without script', javaScriptEnabled: false },
]

describe.each(sampleOf(BROWSERS, 2))('in Chromium $name', ({ javaScriptEnabled }) => {
  it('a buyer whose card is declined tries again with what was entered, pays and arrives at return_url with the session’s id', async () => {
    const [sandbox, shop] = [await startSandbox(), await openShop()]
    const session = await sessionFor(sandbox, shop)
    const page = await openWindow({ javaScriptEnabled })
    await page.goto(session.checkout_url)
    await enter(page)
    await press(page, /^Decline/)
    await page.getByRole('alert').filter({ hasText: 'declined' }).waitFor()
    expect(await page.getByLabel('E-mail').inputValue()).toBe(BUYER.email)
    await press(page, /^Pay USD/)
    await page.waitForURL(`${shop.url}/**`)
    expect(page.url()).toBe(`${shop.url}/thanks?cart=7&session_id=${session.session_id}#top`)
    expect(await ordersOf(sandbox, session)).toMatchObject([{ buyer: BUYER, payment_model: 'hosted_checkout' }])
    await page.goto(session.checkout_url)
    await page.getByRole('link', { name: /^Go back to/ }).click()
    await page.waitForURL(`${shop.url}/**`)
  })

  it('a buyer cancels without entering anything and arrives at cancel_url', async () => {
    const [sandbox, shop] = [await startSandbox(), await openShop()]
    const session = await sessionFor(sandbox, shop)
    const page = await openWindow({ javaScriptEnabled })
    await page.goto(session.checkout_url)
    await press(page, /^Cancel/)
    await page.waitForURL(`${shop.url}/**`)
    expect(page.url()).toBe(`${shop.url}/cart?session_id=${session.session_id}`)
    expect(await ordersOf(sandbox, session)).toEqual([])
  })

  it('a buyer arrives although the partner’s own site goes on to another one', async () => {
    const [sandbox, landing] = [await startSandbox(), await openShop({ host: 'localhost' })]
    const shop = await openShop({ sendsOnTo: `${landing.url}/landed` })
    const session = await sessionFor(sandbox, shop, { return_url: `${shop.url}/moved` })
    const page = await openWindow({ javaScriptEnabled })
    await page.goto(session.checkout_url)
    await enter(page)
    await press(page, /^Pay USD/)
    await page.waitForURL(`${landing.url}/landed`)
  })

  it('pays with the keyboard alone, and shows plainly where it is', async () => {
    const [sandbox, shop] = [await startSandbox(), await openShop()]
    const session = await sessionFor(sandbox, shop)
    const page = await openWindow({ javaScriptEnabled })
    await page.goto(session.checkout_url)
    const goOn = async (key = 'Tab') => {
      await page.keyboard.press(key)
      expect(await page.locator(':focus').evaluate((at) => getComputedStyle(at).outline)).toMatch(/solid 3px/)
    }
    for (const typed of [BUYER.name, BUYER.email, 'Austria']) {
      await goOn()
      await page.keyboard.type(typed)
    }
    for (const key of ['Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab']) await goOn(key)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${shop.url}/thanks**`)
    expect(await ordersOf(sandbox, session)).toMatchObject([{ buyer: BUYER }])
  })

  it('runs nothing of what a buyer or partner wrote, and fetches nothing', async () => {
    const [sandbox, shop] = [await startSandbox(), await openShop()]
    const hostile = `"><img src="${shop.url}/stolen" onerror=alert(1)><script src="${shop.url}/stolen"></script>`
    const session = await sessionFor(sandbox, shop, { buyer: { name: hostile } })
    const page = await openWindow({ javaScriptEnabled })
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(session.checkout_url)
    expect(await page.getByLabel('Name').inputValue()).toBe(hostile)
    await press(page, /^Decline/)
    await page.getByRole('alert').waitFor()
    expect(await page.locator('img, script').count()).toBe(0)
    expect(new Set(asked)).toEqual(new Set([session.checkout_url]))
    expect(shop.visits).toEqual([])
  })
})

/** Every face of the page, by how to get there. */
const FACES: Record<string, (page: Page, sandbox: TestSandbox, session: OpenSession) => Promise<unknown>> = {
  form: async () => {},
  declined: (page) => press(page, /^Decline/),
  'entries to correct': async (page) => {
    await page.getByLabel('Name').fill(' ')
    await page.locator('form').evaluate((form: HTMLFormElement) => {
      form.noValidate = true
    })
    await press(page, /^Pay/)
    await page.getByText('Enter your name.').waitFor()
  },
  'another price': async (page, sandbox, session) => {
    await operate(sandbox, 'PATCH', `domains/${session.domain}`, { price_cents: 123_456_789 })
    await enter(page)
    await press(page, /^Pay/)
    await page.getByText('The price has changed').waitFor()
  },
  paid: (page, sandbox, session) => after(page, sandbox, session, 'pay', 'Payment complete'),
  'under way': async (page, sandbox, session) => {
    const buyer = { email: 'jo+pays-late@x.example' }
    await operate(sandbox, 'POST', `checkout-sessions/${session.session_id}/pay`, { buyer })
    await page.reload()
    await page.getByText('in progress').waitFor()
  },
  cancelled: (page, sandbox, session) => after(page, sandbox, session, 'cancel', 'was canceled'),
  'no longer available': async (page, sandbox, session) => {
    await operate(sandbox, 'PATCH', `domains/${session.domain}`, { listed: false })
    await page.reload()
    await page.getByText('no longer available').waitFor()
  },
  'no valid link': async (page, sandbox) => {
    await page.goto(`${sandbox.url}/checkout?pt=x`)
    await page.getByText('The link is not valid').waitFor()
  },
}

async function operate(sandbox: TestSandbox, method: string, path: string, body: unknown): Promise<void> {
  const { status, text } = await sandbox.operate(method, `/v1/worlds/default/${path}`, body)
  if (status !== 200) throw new Error(text)
}

async function after(page: Page, sandbox: TestSandbox, { session_id }: OpenSession, action: string, text: string) {
  await operate(sandbox, 'POST', `checkout-sessions/${session_id}/${action}`, {})
  await page.reload()
  await page.getByText(text).first().waitFor()
}

it('is accessible in each of its faces and fits a phone of 360 pixels, in either colors', async () => {
  const [sandbox, shop] = [await startSandbox(), await openShop()]
  const page = await openWindow({ viewport: PHONE })
  for (const [face, reach] of sampleOf(Object.entries(FACES), 3)) {
    const session = await sessionFor(sandbox, shop)
    await page.goto(session.checkout_url)
    await reach(page, sandbox, session)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect([face, await overflowOf(page)]).toEqual([face, 0])
      expect([face, colorScheme, await barriersOf(page)]).toEqual([face, colorScheme, []])
    }
  }
  const domain = `${'w'.repeat(63)}.${'m'.repeat(63)}.${'w'.repeat(63)}.${'m'.repeat(50)}.test`
  await sandbox.operate('POST', '/v1/worlds/default/domains', { domain, price_cents: 1_000_000_000_000 })
  const returnUrl = `https://${'w'.repeat(63)}.${'m'.repeat(63)}.example/`
  await page.goto((await sessionFor(sandbox, shop, { domain, return_url: returnUrl })).checkout_url)
  expect(await overflowOf(page)).toBe(0)
})
