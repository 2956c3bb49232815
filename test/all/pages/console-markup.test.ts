import { expect, it } from 'vitest'
import { openWindow } from '../../support/chromium.ts'
import { register } from '../../support/hooks.ts'
import { startReceiver } from '../../support/receiver.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { visitor } from '../../support/visitor.ts'

const MARKUP = '<img src=x onerror="ran=1"><script>ran=1</script><svg onload=ran=1></svg>'
const DEFAULT = '/v1/worlds/default'

/** Markup wherever a partner, a buyer or a receiver may write a text. */
async function fillAll(sandbox: TestSandbox): Promise<void> {
  const receiver = await startReceiver((response) => void response.writeHead(500, { 'x-note': MARKUP }).end(MARKUP))
  await register(sandbox, `${receiver.url}?${encodeURIComponent(MARKUP)}`)
  const buyer = { email: 'b@example.test', name: MARKUP, country: 'SE' }
  const { json: order } = await sandbox.sell({
    order: { buyer, external_payment_ref: MARKUP },
    headers: { 'user-agent': MARKUP, 'x-note': MARKUP },
  })
  expect(order.public_id).toMatch(/^ord_/)
  await sandbox.operate('POST', `${DEFAULT}/orders/${order.public_id}/hold`, { reason: MARKUP })
  await receiver.has(1)
  const urls = {
    return_url: `https://shop.example.test/?${MARKUP}`,
    cancel_url: `https://shop.example.test/?${MARKUP}`,
  }
  for (const body of [
    { domain: 'stalls-70.test', ...urls },
    { domain: `${MARKUP}.test`, ...urls },
  ]) {
    await sandbox.call({ path: '/checkout-session', body })
  }
  const { json: session } = await sandbox.call({
    path: '/checkout-session',
    body: {
      domain: 'stalls-71.test',
      return_url: 'https://shop.example.test',
      cancel_url: 'https://shop.example.test',
    },
  })
  await sandbox.operate('POST', `${DEFAULT}/checkout-sessions/${session.session_id}/pay`, { buyer })
  for (const link of [{ kind: 'product', product: MARKUP }, { kind: 'generic' }]) {
    const { json } = await sandbox.call({ path: '/links', body: link })
    if (json.url) await visitor().get(json.url)
  }
  const { json: listed } = await sandbox.operate('GET', `${DEFAULT}/domains?limit=1`)
  const wanted = { tier: 'managed', buyer_email: 'b@example.test', budget: 500_000, domain: listed.domains[0].domain }
  const { json: opened } = await sandbox.call({ path: '/brokerage', body: wanted })
  await sandbox.operate('POST', `${DEFAULT}/brokerage/${opened.case_id}/negotiate`, { reason: MARKUP })
  await sandbox.call({ path: `/domains/search?q=${encodeURIComponent(MARKUP)}` })
  await sandbox.call({
    path: '/orders',
    after: ({ headers }) => {
      headers['X-Partner-Key-Id'] = MARKUP
    },
  })
  await sandbox.call({
    path: '/balance',
    after: ({ headers }) => {
      headers['X-Partner-Nonce'] = MARKUP
    },
  })
  await sandbox.call({ path: `/${encodeURIComponent(MARKUP)}`, undocumented: true })
  await sandbox.call({ path: '/orders', body: `{"domain":"${MARKUP}",\n\t"buyer":1}`, key: 'a' })
  await sandbox.operate('POST', `${DEFAULT}/credentials`, { name: MARKUP, scopes: [] })
  await sandbox.operate('POST', `${DEFAULT}/domains`, {
    domain: 'marked.test',
    price_cents: 1_000,
  })
}

/** The addresses of everything that has a view of its own. */
async function everyDetail(sandbox: TestSandbox): Promise<string[]> {
  const lists = [
    ['orders', 'orders', 'public_id'],
    ['requests', 'requests', 'request_id'],
    ['events', 'events', 'id'],
    ['deliveries', 'deliveries', 'delivery_id'],
    ['checkout-sessions', 'checkout', 'session_id'],
    ['brokerage', 'brokerage', 'case_id'],
  ] as const
  const found = await Promise.all(
    lists.map(async ([list, view, id]) => {
      const { json } = await sandbox.operate('GET', `${DEFAULT}/${list}`)
      const rows = Object.values(json).find(Array.isArray) ?? []
      return rows.map((row: Record<string, string>) => `${view}/${row[id]}`)
    }),
  )
  return found.flat()
}

/** The address of every page that a buyer may open. */
async function buyersPages(sandbox: TestSandbox): Promise<string[]> {
  const { json: sessions } = await sandbox.operate('GET', `${DEFAULT}/checkout-sessions`)
  const { json: cases } = await sandbox.operate('GET', `${DEFAULT}/brokerage`)
  const { json: links } = await sandbox.operate('GET', `${DEFAULT}/links`)
  const addresses = [
    ...sessions.checkout_sessions.map(({ checkout_url: url }: { checkout_url: string }) => url),
    ...cases.cases.map(({ progress_url: url }: { progress_url: string }) => url),
    ...links.links.map(({ url }: { url: string }) => url),
  ]
  expect(addresses.length).toBeGreaterThan(3)
  return addresses
}

const LISTS = [
  ...['', 'orders', 'requests', 'events', 'deliveries', 'checkout', 'brokerage', 'links', 'inventory'],
  ...['money', 'faults', 'coverage', 'credentials', 'inventory/marked.test'],
  `orders?q=${encodeURIComponent(MARKUP)}`,
]

const MADE_OF_MARKUP = 'img[src=x], main script, [onerror], [onload]'

it('shows markup and script in whatever a partner, a buyer or a receiver wrote as text, in every view', async () => {
  const sandbox = await startSandbox({ inventory: 2, frozen: true })
  await fillAll(sandbox)
  const page = await openWindow()
  const details = await everyDetail(sandbox)
  expect(details.length).toBeGreaterThan(15)
  let seen = 0
  for (const view of [...LISTS, ...details]) {
    await page.goto(`${sandbox.operator?.url}/w/default/${view}`)
    await page.getByRole('heading', { level: 1 }).waitFor({ timeout: 10_000 })
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
    expect([view, await page.evaluate('typeof ran')]).toEqual([view, 'undefined'])
    expect([view, await page.locator(MADE_OF_MARKUP).count()]).toEqual([view, 0])
    seen += await page.getByText('<script>ran=1</script>').count()
  }
  expect(seen).toBeGreaterThan(10)
  await page.goto(`${sandbox.operator?.url}/w/${encodeURIComponent(MARKUP)}`)
  await page.getByRole('alert').first().waitFor()
  expect(await page.locator(MADE_OF_MARKUP).count()).toBe(0)
  for (const address of await buyersPages(sandbox)) {
    const answer = await page.goto(address)
    expect([address, answer?.status()]).toEqual([address, 200])
    expect([address, await page.locator(MADE_OF_MARKUP).count()]).toEqual([address, 0])
    expect([address, await page.evaluate('typeof ran')]).toEqual([address, 'undefined'])
  }
}, 120_000)
