import { expect, test } from 'vitest'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { type Visited, visitor } from '../../support/visitor.ts'

const HTML = '<img src=x onerror=alert(1)>"\'</h1><script>alert(2)</script>'

async function shopOf(sandbox: TestSandbox, body: Record<string, unknown>, as = 'main') {
  const { json } = await sandbox.call({ path: '/links', body, as })
  return { ...json, shop: json.url.replace('/go/', '/shop/') } as { link_id: string; url: string; shop: string }
}

const offersIn = ({ text }: Visited) => [...text.matchAll(/name="domain" value="([^"]*)"/g)].map(([, domain]) => domain)

/** The hosted page's form, sent as a buyer without script would. */
async function payAt(browser: ReturnType<typeof visitor>, url: string, email = 'buyer@example.test') {
  const { text } = await browser.get(url)
  const price = /name="price_cents" value="(\d+)"/.exec(text)?.[1] as string
  return browser.post(url, { action: 'pay', price_cents: price, name: 'B. Buyer', email, country: 'DE' })
}

test('the shop of a domain link offers that domain at its price and no other', async () => {
  const sandbox = await startSandbox()
  const [listing, other] = await sandbox.forSale(2)
  const { shop } = await shopOf(sandbox, { kind: 'domain', domain: listing!.domain })
  const page = await visitor().get(shop)
  expect([page.status, offersIn(page)]).toEqual([200, [listing!.domain]])
  const dollars = (listing!.price_cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })
  expect(page.text).toContain(`USD ${dollars}`)
  expect((await visitor().post(shop, { domain: other!.domain })).status).toBe(400)
})

test('other shops find what the API’s search finds, five at most', async () => {
  const sandbox = await startSandbox()
  for (const [body, query] of [
    [{ kind: 'generic' }, 'coffee'],
    [{ kind: 'product', product: 'solar roof' }, null],
  ] as const) {
    const { shop } = await shopOf(sandbox, body)
    if (query) expect(offersIn(await visitor().get(shop))).toEqual([])
    const q = query ?? 'solar roof'
    const page = await visitor().get(query ? `${shop}?q=${query}` : shop)
    const { json } = await sandbox.call({ path: `/domains/search?q=${encodeURIComponent(q)}` })
    const found = json.domains.map(({ domain }: { domain: string }) => domain)
    expect(found.length).toBeGreaterThan(0)
    expect(offersIn(page)).toEqual(found)
  }
  const { shop } = await shopOf(sandbox, { kind: 'generic' })
  const nothing = await visitor().get(`${shop}?q=qqqqzzzzxx&limit=100`)
  expect(nothing.text).toContain('No domains found')
  const examples = [...nothing.text.matchAll(/href="(\?q=[^"]+)"/g)].map(([, query]) => query)
  expect(examples).toHaveLength(4)
  for (const query of examples) expect(offersIn(await visitor().get(`${shop}${query}`))).not.toEqual([])
  expect((await visitor().get(`${shop}?q=${'x'.repeat(5_000)}`)).status).toBe(200)
})

test('link, shop, checkout, pay: the link shows the click and the sale, and the visitor comes back to thanks', async () => {
  const sandbox = await startSandbox()
  const { url, link_id: linkId } = await shopOf(sandbox, { kind: 'generic' })
  const browser = visitor()
  const landed = await browser.get(url)
  const offers = offersIn(await browser.get(`${landed.location}?q=coffee`))
  const bought = await browser.post(landed.location as string, { domain: offers[0] as string })
  expect([bought.status, bought.location]).toEqual([303, expect.stringMatching(`^${sandbox.url}/checkout\\?pt=`)])
  const paid = await payAt(browser, bought.location as string)
  expect([paid.status, paid.location]).toEqual([303, expect.stringMatching(`^${landed.location}\\?session_id=cs_`)])
  expect((await browser.get(paid.location as string)).text).toContain(`Thank you. ${offers[0]} is yours.`)
  expect((await sandbox.call({ path: '/links' })).json.links).toMatchObject([{ link_id: linkId, clicks: 1, sales: 1 }])
  const { json } = await sandbox.call({ path: '/orders' })
  expect(json.orders).toMatchObject([{ domain: offers[0], payment_model: 'hosted_checkout' }])
})

test('a domain that was sold meanwhile is not offered any more, and buying it says so', async () => {
  const sandbox = await startSandbox()
  const [listing] = await sandbox.forSale(1)
  const { shop } = await shopOf(sandbox, { kind: 'domain', domain: listing!.domain })
  await sandbox.sell({ as: 'other-partner', order: { domain: listing!.domain, expected_price: listing!.price_cents } })
  const page = await visitor().get(shop)
  expect([page.status, offersIn(page)]).toEqual([200, []])
  expect(page.text).toContain('not for sale')
  const { status, text } = await visitor().post(shop, { domain: listing!.domain })
  expect([status, text.includes('cannot be bought')]).toEqual([409, true])
})

test('what a partner or visitor writes is shown as text, and no page has a script', async () => {
  const sandbox = await startSandbox()
  const { shop } = await shopOf(sandbox, { kind: 'product', product: HTML })
  for (const page of [
    await visitor().get(shop),
    await visitor().get(`${shop}?q=${encodeURIComponent(HTML)}`),
    await visitor().get(`${shop}?session_id=${encodeURIComponent(HTML)}`),
  ]) {
    expect(page.status).toBe(200)
    expect(page.text).toContain('&lt;img')
    for (const raw of ['<img', '<script', '</script']) expect(page.text).not.toContain(raw)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  }
})

test('a form with nothing, too much or no domain in it is 400 and opens no session', async () => {
  const sandbox = await startSandbox()
  const { shop } = await shopOf(sandbox, { kind: 'generic' })
  const forms = [{}, { domain: '' }, { domain: 'no domain' }, { domain: 'stalls-1.test', price_cents: '1' }]
  for (const form of forms) expect((await visitor().post(shop, form)).status).toBe(400)
  expect((await visitor().post(shop, { domain: 'nobody.example' })).status).toBe(409)
  const { json } = await sandbox.operate('GET', '/v1/worlds/default/checkout-sessions')
  expect(json.checkout_sessions).toEqual([])
})

test('Buy pressed again in one browser leads to the checkout there is, and not in another browser', async () => {
  const sandbox = await startSandbox({ frozen: true })
  const [listing, second] = await sandbox.forSale(2)
  const { shop, url } = await shopOf(sandbox, { kind: 'generic' })
  const another = await shopOf(sandbox, { kind: 'generic' })
  const [browser, stranger] = [visitor(), visitor()]
  for (const one of [browser, stranger]) await one.get(url)
  const buy = async (one: typeof browser, domain = listing!.domain, at = shop) =>
    (await one.post(at, { domain })).location
  const first = await buy(browser)
  const other = await buy(browser, second!.domain)
  for (let n = 0; n < 3; n++) expect([await buy(browser), await buy(browser, second!.domain)]).toEqual([first, other])
  const addresses = [first, other, await buy(stranger), await buy(browser, listing!.domain, another.shop)]
  expect(new Set(addresses).size).toBe(4)
  const { json } = await sandbox.operate('GET', '/v1/worlds/default/checkout-sessions')
  expect(json.checkout_sessions).toHaveLength(4)
})

test('a checkout that was cancelled or has expired is not led to again', async () => {
  const sandbox = await startSandbox({ frozen: true })
  const [listing] = await sandbox.forSale(1)
  const { shop } = await shopOf(sandbox, { kind: 'domain', domain: listing!.domain })
  const browser = visitor()
  const buy = async () => (await browser.post(shop, { domain: listing!.domain })).location as string
  const first = await buy()
  await browser.post(first, { action: 'cancel' })
  const second = await buy()
  expect(second).not.toBe(first)
  await sandbox.operate('POST', '/v1/worlds/default/clock/advance', { by: '8d' })
  const third = await buy()
  expect(third).not.toBe(second)
  expect((await browser.get(third)).status).toBe(200)
})

test('what a browser remembers of its checkouts is for this shop alone, and altered or of another link is nothing', async () => {
  const sandbox = await startSandbox()
  const [listing] = await sandbox.forSale(1)
  const one = await shopOf(sandbox, { kind: 'generic' })
  const two = await shopOf(sandbox, { kind: 'generic' })
  const browser = visitor()
  const bought = await browser.post(one.shop, { domain: listing!.domain })
  expect(bought.headers.getSetCookie()).toEqual([
    expect.stringMatching(
      new RegExp(`^checkouts_${one.link_id}=[\\w.-]+; Path=/shop/default/${one.link_id}; HttpOnly; SameSite=Lax$`),
    ),
  ])
  const token = browser.cookies.get(`checkouts_${one.link_id}`) as string
  for (const [shop, name, value] of [
    [two.shop, `checkouts_${two.link_id}`, token],
    [one.shop, `checkouts_${one.link_id}`, `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`],
  ] as const) {
    const forger = visitor()
    forger.cookies.set(name, value)
    const { status, location } = await forger.post(shop, { domain: listing!.domain })
    expect([status, location === bought.location]).toEqual([303, false])
  }
})

test('an unknown link or world has no shop', async () => {
  const sandbox = await startSandbox()
  const { shop } = await shopOf(sandbox, { kind: 'generic' })
  for (const url of [`${shop}x`, shop.replace('/default/', '/nowhere/'), shop.replace('lnk_', 'LNK_')]) {
    expect((await visitor().get(url)).status).toBe(404)
    expect((await visitor().post(url, { domain: 'stalls-1.test' })).status).toBe(404)
  }
})

test('the session of another link says nothing here', async () => {
  const sandbox = await startSandbox()
  const [listing] = await sandbox.forSale(1)
  const first = await shopOf(sandbox, { kind: 'generic' })
  const second = await shopOf(sandbox, { kind: 'generic' })
  const browser = visitor()
  const { location } = await browser.post(first.shop, { domain: listing!.domain })
  const paid = await payAt(browser, location as string)
  const sessionId = new URL(paid.location as string).searchParams.get('session_id')
  expect((await visitor().get(`${second.shop}?session_id=${sessionId}`)).text).not.toContain(listing!.domain)
})
