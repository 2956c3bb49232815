import { describe, expect, it, onTestFinished } from 'vitest'
import type { Expectation } from '../../src/conformance/format/expectations/expectation.ts'
import type { Step } from '../../src/conformance/format/scenario.ts'
import type { CheckResult } from '../../src/conformance/result/result.ts'
import { SHOP_FIXTURES, type Shop, type ShopOptions, startShop } from '../support/fake-shop.ts'
import { judge, scenario, targetOf } from '../support/referee.ts'

const SESSION: Step = { id: 'session', call: { op: 'checkout.create' } }
const URL_OF_SESSION = '${session.checkout.url}'
const PAGE: Step = { id: 'page', page: { open: URL_OF_SESSION } }

async function run(
  options: ShopOptions,
  proves: string[],
  steps: Step[],
  actions: Record<string, { request: string; json: object }> = {},
): Promise<{ checks: CheckResult[]; shop: Shop }> {
  const shop = await startShop(options)
  onTestFinished(() => shop.close())
  const credential = {
    name: 'main',
    key_id: shop.keyId,
    secret: shop.secret,
    scopes: ['search', 'embed', 'refer', 'report'],
  }
  const { scenarios } = await judge(
    targetOf(shop, { credentials: [credential], fixtures: SHOP_FIXTURES, operator: { actions: at(shop, actions) } }),
    [scenario({ proves, needs: ['fixture.sellable'], effects: { checkout_sessions: 1 }, steps })],
  )
  return { checks: scenarios[0]?.checks ?? [], shop }
}

/** The operator's side of the shop. */
function at({ url }: Shop, actions: Record<string, { request: string; json: object }>): object {
  return Object.fromEntries(
    Object.entries(actions).map(([name, { request, json }]) => [name, { request: `POST ${url}${request}`, json }]),
  )
}

/** What a check is where the target file has to tell something. */
const ASKED = { verdict: 'not_run', reason: 'needs-dialect' }

async function verdictOf(options: ShopOptions, proves: string, steps: Step[]): Promise<CheckResult | undefined> {
  return (await run(options, [proves], steps)).checks.at(-1)
}

function opened(expectation: Expectation): Step {
  return { ...PAGE, expect: { ...expectation, shows: 'CHK-01' } }
}

describe('a page', () => {
  it('is opened without any header of ours, and shows that it sells', async () => {
    const facts = { 'page.sells': true, 'page.title': 'Pay for "a.test"', 'page.forms': 1 }
    const { checks, shop } = await run({}, ['CHK-01'], [SESSION, opened({ accepted: true, roles: facts })])
    expect(checks[0]).toMatchObject({ verdict: 'pass', actual: '200 "Pay for "a.test""' })
    const asked = shop.requests.find(({ line }) => line === 'GET /pay')
    expect(Object.keys(asked?.headers ?? {}).sort()).toEqual(['accept', 'connection', 'host', 'user-agent'])
    expect(asked?.headers['user-agent'], 'as a browser, for the visits of robots may not count').toMatch(/^Mozilla/)
  })

  it('may have another host than the API', async () => {
    const pages = await startShop()
    onTestFinished(() => pages.close())
    const { checks, shop } = await run({ pagesAt: pages.url }, ['CHK-01'], [SESSION, opened({ accepted: true })])
    expect(checks[0]).toMatchObject({ verdict: 'pass' })
    expect(shop.requests.some(({ line }) => line === 'GET /pay')).toBe(false)
    expect(pages.requests.map(({ line }) => line)).toEqual(['GET /pay'])
  })

  it.each(['file:///etc/passwd', 'ftp://shop.test', 'javascript:alert(1)'])('is not opened at %s', async (pagesAt) => {
    const check = await verdictOf({ pagesAt }, 'CHK-01', [SESSION, opened({ accepted: true })])
    expect(check?.verdict).toBe('inconclusive')
  })

  it('that wants a login fails', async () => {
    expect(await verdictOf({ page: 'needs-login' }, 'CHK-01', [SESSION, opened({ accepted: true })])).toMatchObject({
      verdict: 'fail',
      actual: '401 "Log in"',
    })
  })

  it('with a link or a frame for a button is a question', async () => {
    const sells = [SESSION, opened({ roles: { 'page.sells': true } })]
    expect(await verdictOf({ page: 'link-only' }, 'CHK-01', sells)).toMatchObject({
      ...ASKED,
      note: 'no button to pay was recognized on this page',
    })
  })

  it('that is made by script is not judged by what its HTML lacks', async () => {
    const sells = [SESSION, opened({ roles: { 'page.sells': true } })]
    const paid: Step = { id: 'paid', page: { press: 'pay' }, expect: { accepted: true, shows: 'CHK-03' } }
    expect(await verdictOf({ page: 'script-only' }, 'CHK-01', sells)).toMatchObject(ASKED)
    expect(await verdictOf({ page: 'script-only' }, 'CHK-03', [SESSION, PAGE, paid])).toMatchObject(ASKED)
  })
})

describe('a token that is altered', () => {
  const altered = (at: 'each' | number[]): Step[] => [
    SESSION,
    {
      id: 'altered',
      page: { open: URL_OF_SESSION, alter: { query: 'pt', at } },
      expect: { refused: true, shows: 'CHK-02' },
    },
  ]

  it('is refused at every place, by status or by a page without a button', async () => {
    expect(await verdictOf({}, 'CHK-02', altered('each'))).toMatchObject({
      verdict: 'pass',
      actual: '12 pages, the first with character 1 of pt changed: 403 "Expired"',
    })
    expect(await verdictOf({ page: 'shows-expired-page' }, 'CHK-02', altered([0, 5, -1]))).toMatchObject({
      verdict: 'pass',
    })
  })

  it('fails where one of them is let through', async () => {
    expect(await verdictOf({ page: 'tail-unchecked' }, 'CHK-02', altered('each'))).toMatchObject({
      verdict: 'fail',
      actual: 'with character 12 of pt changed: 200 "Pay for "a.test"", with a button to pay',
    })
    expect(await verdictOf({ page: 'token-unchecked' }, 'CHK-02', altered([0]))).toMatchObject({ verdict: 'fail' })
  })

  it('proves nothing where the valid page does not open either, or cannot be read', async () => {
    expect(await verdictOf({ page: 'needs-login' }, 'CHK-02', altered([0]))).toMatchObject({ verdict: 'inconclusive' })
    expect(await verdictOf({ page: 'script-only' }, 'CHK-02', altered([0]))).toMatchObject({ verdict: 'not_run' })
  })
})

describe('a form with an altered token', () => {
  const sent = (query: string): Step[] => [
    SESSION,
    PAGE,
    {
      id: 'altered',
      page: { press: 'pay', alter: { query, at: [0, -1] } },
      expect: { refused: true, shows: 'CHK-02' },
    },
  ]

  it('is sent once for each place, with that character changed', async () => {
    const { checks, shop } = await run({}, ['CHK-02'], sent('pt'))
    expect(checks[0]).toMatchObject({ verdict: 'pass', actual: expect.stringMatching(/^2 pages/) })
    const forms = shop.requests.filter(({ line }) => line === 'POST /pay')
    expect(forms).toHaveLength(2)
  })

  it('is not judged where the form has no such token', async () => {
    expect(await verdictOf({}, 'CHK-02', sent('token'))).toMatchObject(ASKED)
  })
})

describe('a button', () => {
  it('pays, with the required fields filled in, and the buyer is sent to return_url without going there', async () => {
    const paid: Step = {
      id: 'paid',
      page: { press: 'pay', fill: { email: 'a@b.example' } },
      expect: {
        roles: { 'page.location': 'https://partner.example.com/return?session_id=cs_1' },
        shows: 'CHK-03',
      },
    }
    const { checks, shop } = await run({}, ['CHK-03'], [SESSION, PAGE, paid])
    expect(checks[0]).toMatchObject({ verdict: 'pass', actual: '303 to https://partner.example.com/return' })
    const sent = new URLSearchParams(shop.requests.find(({ line }) => line === 'POST /pay')?.body)
    expect([...sent]).toEqual([
      ['pt', 'Zx81tokenAb9'],
      ['buyer[email]', 'a@b.example'],
      ['buyer[country]', 'DE'],
      ['note', '<none>'],
      ['terms', 'on'],
      ['do', 'pay'],
    ])
  })

  it('is pressed again on a page that asks for something new, and never on one that asks the same again', async () => {
    const paid: Step = { id: 'paid', page: { press: 'pay' }, expect: { accepted: true, shows: 'CHK-03' } }
    const pressed = async (purchase: NonNullable<ShopOptions['purchase']>) => {
      const { checks, shop } = await run({ purchase }, ['CHK-03'], [SESSION, PAGE, paid])
      return [checks[0]?.actual, shop.requests.filter(({ line }) => line === 'POST /pay').length]
    }
    const bought = '303 to https://partner.example.com/return'
    expect(await pressed('sold')).toEqual([bought, 1])
    expect(await pressed('sent-in-parts')).toEqual([bought, 1])
    expect(await pressed('asked-to-confirm')).toEqual([bought, 2])
    expect(await pressed('declined')).toEqual(['200 "Pay for "a.test""', 1])
    // Refused as incomplete, it is sent once more with every field filled in.
    expect(await pressed('wants-an-unmarked-field')).toEqual([bought, 2])
  })

  it('that leads to a form without a button to pay has bought nothing, and what should follow is not judged', async () => {
    const steps: Step[] = [
      SESSION,
      PAGE,
      { id: 'paid', page: { press: 'pay' } },
      { id: 'after', page: { open: URL_OF_SESSION }, expect: { roles: { 'page.title': 'Sold' }, shows: 'CHK-03' } },
    ]
    expect(await verdictOf({ purchase: 'asked-for-more' }, 'CHK-03', steps)).toMatchObject(ASKED)
    expect(await verdictOf({ purchase: 'declined' }, 'CHK-03', steps)).toMatchObject({ verdict: 'fail' })
    expect(await verdictOf({}, 'CHK-03', steps)).toMatchObject({ verdict: 'pass' })
    // A form that every page has, such as one for a newsletter, asks for nothing more.
    expect(await verdictOf({ purchase: 'thanked' }, 'CHK-03', steps)).toMatchObject({ verdict: 'pass' })
  })

  it('that nobody makes out is done without where the target file tells how to pay', async () => {
    const steps: Step[] = [
      SESSION,
      { ...PAGE, expect: { roles: { 'page.sells': true } } },
      { id: 'paid', page: { press: 'pay' }, expect: { accepted: true } },
      { id: 'after', page: { open: URL_OF_SESSION }, expect: { roles: { 'page.title': 'Sold' }, shows: 'CHK-03' } },
    ]
    const paying = async (json: object) =>
      (await run({ page: 'link-only' }, ['CHK-03'], steps, { pay_checkout: { request: '/ops/pay', json } })).checks[0]
    expect(await paying({ session: '${session_id}' })).toMatchObject({ verdict: 'pass' })
    // What has the operator pay another session has not paid this one.
    expect(await paying({ session: 'another' })).toMatchObject({ verdict: 'fail' })
    expect(await verdictOf({ page: 'link-only' }, 'CHK-03', steps)).toMatchObject(ASKED)
    const { checks } = await run({ purchase: 'asked-for-more' }, ['CHK-03'], steps, {
      pay_checkout: { request: '/ops/pay', json: { session: '${session_id}' } },
    })
    expect(checks[0]).toMatchObject({ verdict: 'pass' })
  })

  it('cancels and declines, found by its words, inside its form or beside it', async () => {
    const pressed = (button: string, expectation: Expectation): Step => ({
      id: 'pressed',
      page: { press: button },
      expect: { ...expectation, shows: 'CHK-03' },
    })
    const cancelled = pressed('cancel', { roles: { 'page.location': { contains: '/cancel' } } })
    expect(await verdictOf({}, 'CHK-03', [SESSION, PAGE, cancelled])).toMatchObject({ verdict: 'pass' })
    const declined = pressed('decline', { status: 402 })
    expect(await verdictOf({}, 'CHK-03', [SESSION, PAGE, declined])).toMatchObject({ verdict: 'pass' })
    const literally = pressed('Simulate a declined', { status: 402 })
    expect(await verdictOf({}, 'CHK-03', [SESSION, PAGE, literally])).toMatchObject({ verdict: 'pass' })
  })
})
