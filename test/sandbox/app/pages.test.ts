import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import { openSession, payment, submit, visit } from '../../support/checkout.ts'
import { sandboxOfFile, startSandbox } from '../../support/sandbox.ts'

it('sends every page with headers that keep it to itself (J6)', async () => {
  const sandbox = await startSandbox()
  const session = await openSession(sandbox)
  const answers = [
    await visit(session.checkout_url),
    await visit(`${sandbox.url}/checkout?pt=x`),
    await submit(session.checkout_url, payment(session, { email: 'no' })),
    await submit(session.checkout_url, payment(session)),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 422, 303])
  for (const { headers } of answers) {
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('set-cookie')).toBeNull()
    const policy = headers.get('content-security-policy')
    for (const part of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"]) {
      expect(policy).toContain(part)
    }
    expect(policy).not.toMatch(/unsafe|script-src|\*/)
  }
})

it('allows the style sheet that is in the page, and forms that end at the partner’s', async () => {
  const sandbox = await startSandbox()
  const session = await openSession(sandbox, {
    return_url: 'https://shop.example/thanks;x',
    cancel_url: 'http://[::1]:8080/',
  })
  const { text, headers } = await visit(session.checkout_url)
  const sheet = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] as string
  const policy = headers.get('content-security-policy')
  expect(policy).toContain(`style-src 'sha256-${hash('sha256', sheet, 'base64')}'`)
  // By scheme, for browsers hold redirects of the partner's own site against the policy too (test/pages).
  expect(policy).toContain("form-action 'self' http: https:;")
  const nowhere = await visit(`${sandbox.url}/checkout?pt=x`)
  expect(nowhere.headers.get('content-security-policy')).toContain("form-action 'self';")
})

it('answers HEAD like GET, without a body, and changes nothing by it', async () => {
  const sandbox = await startSandbox()
  const session = await openSession(sandbox)
  const got = await visit(session.checkout_url)
  const asked = await visit(session.checkout_url, { method: 'HEAD' })
  expect([asked.status, asked.text]).toEqual([200, ''])
  const ofConnection = new Set(['date', 'connection', 'keep-alive'])
  const lasting = (headers: Headers) => [...headers].filter(([name]) => !ofConnection.has(name))
  expect(lasting(asked.headers)).toEqual(lasting(got.headers))

  const { json: link } = await sandbox.call({ path: '/links', body: { kind: 'generic' } })
  const followed = await visit(link.url, { method: 'HEAD' })
  expect(followed.headers.get('set-cookie')).toBeNull()
  expect((await sandbox.call({ path: '/me/clicks' })).json.total).toBe(0)
})

it('logs neither pages nor their tokens', async () => {
  const sandbox = await startSandbox()
  const session = await openSession(sandbox)
  await visit(session.checkout_url)
  await submit(session.checkout_url, payment(session))
  const { json } = await sandbox.operate('GET', '/v1/worlds/default/requests')
  expect(JSON.stringify(json)).not.toContain('/checkout?')
})

it('leaves verbs that a page does not have to the API', async () => {
  const sandbox = await startSandbox()
  for (const method of ['PUT', 'DELETE', 'PATCH']) {
    const { status, text } = await visit(`${sandbox.url}/checkout`, { method })
    expect([status, JSON.parse(text).code]).toEqual([401, 'missing_credentials'])
  }
})

it('answers an address that is almost a page’s with a page, as a browser is there', async () => {
  const sandbox = await startSandbox()
  for (const [path, status] of [
    ['/go/%zz/x', 400],
    ['/checkout/', 404],
    ['/checkout/more?pt=x', 404],
    ['/go', 404],
    [`/go/default/${'x'.repeat(2_000)}`, 404],
  ] as const) {
    const answer = await visit(sandbox.url + path)
    expect([answer.status, answer.headers.get('content-type')], path).toEqual([status, 'text/html; charset=utf-8'])
  }
  const { status, text } = await visit(`${sandbox.url}/checkouts`)
  expect([status, JSON.parse(text).code]).toEqual([401, 'missing_credentials'])
})

it('shows the pages of a world only so often, however they are asked for, and says when it goes on', async () => {
  const sandbox = await startSandbox({ rateLimit: { requests: 3, seconds: 1 } })
  const { json: link } = await sandbox.call({ path: '/links', body: { kind: 'generic' } })
  const shop = link.url.replace('/go/', '/shop/')
  const once = () =>
    Promise.all([visit(link.url), visit(shop, { method: 'HEAD' }), submit(shop, {}), visit(shop), visit(link.url)])
  const answers = await once()
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(2)
  for (const { headers } of refused) {
    expect([headers.get('content-type'), headers.get('retry-after')]).toEqual(['text/html; charset=utf-8', '1'])
    expect(headers.get('set-cookie')).toBeNull()
    expect(headers.get('location')).toBeNull()
  }
  expect((await visit(shop)).text).toContain('Too many visits at once')
})

it('counts visits apart from calls and from the pages of other worlds, and not at all where there is no limit', async () => {
  const sandbox = await startSandbox({ rateLimit: { requests: 2, seconds: 3_600 } })
  const { json: link } = await sandbox.call({ path: '/links', body: { kind: 'generic' } })
  await sandbox.operate('POST', '/v1/worlds/default/fork', { name: 'second' })
  await sandbox.operate('PUT', '/v1/worlds/second/rate-limit', { requests: 1, seconds: 3_600 })
  const at = (world: string) => link.url.replace('/go/default/', `/shop/${world}/`)
  const statuses = async (world: string, count: number) => {
    const seen = []
    for (let n = 0; n < count; n++) seen.push((await visit(at(world))).status)
    return seen
  }
  expect(await statuses('default', 3)).toEqual([200, 200, 429])
  expect(await statuses('second', 2)).toEqual([200, 429])
  expect((await sandbox.call({ path: '/availability?domain=stalls-1.test' })).status).toBe(200)
  expect((await visit(`${sandbox.url}/docs`)).status).toBe(200)
  await sandbox.operate('PUT', '/v1/worlds/default/rate-limit', { requests: 0, seconds: 1 })
  expect(await statuses('default', 5)).toEqual([200, 200, 200, 200, 200])
})

it('made-up tokens and links do not use up the window of those who have valid ones', async () => {
  const sandbox = await startSandbox({ rateLimit: { requests: 30, seconds: 600 } })
  const session = await openSession(sandbox)
  const madeUp = `${Buffer.from('checkout default cs_x 9').toString('base64url')}.${'A'.repeat(43)}`
  for (let i = 0; i < 40; i++) {
    expect((await visit(`${sandbox.url}/checkout?pt=${madeUp}`)).status).toBe(404)
    expect((await visit(`${sandbox.url}/go/default/lnk_x`)).status).toBe(404)
  }
  const statuses = new Set<number>()
  for (let i = 0; i < 31; i++) statuses.add((await visit(session.checkout_url)).status)
  expect([...statuses]).toEqual([200, 429])
})

const shared = sandboxOfFile()

/** As browsers send it. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

it('tells a browser at the root what answers here, with links that lead somewhere', async () => {
  const { status, text, headers } = await visit(`${shared.url}/?from=mail`, { headers: BROWSER })
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/html/)])
  const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, target]) => target)
  expect(links).toEqual(['/docs', '/openapi.json'])
  for (const target of links) expect((await visit(shared.url + target)).status).toBe(200)
  const head = await visit(`${shared.url}/`, { method: 'HEAD', headers: BROWSER })
  expect([head.status, head.text]).toEqual([200, ''])
})

it('answers a program at the root as at any other unknown path', async () => {
  const both = await Promise.all([
    visit(`${shared.url}/`),
    visit(`${shared.url}/nowhere`),
    visit(`${shared.url}/`, { method: 'POST', headers: BROWSER }),
    visit(`${shared.url}//`, { headers: BROWSER }),
    visit(`${shared.url}/`, { headers: { ...BROWSER, 'X-Partner-Nonce': 'n' } }),
  ])
  const codes = both.map(({ status, text }) => [status, JSON.parse(text).code])
  expect(codes).toEqual(Array(5).fill([401, 'missing_credentials']))
})

it('answers a signed call at the root 404, whatever it accepts', async () => {
  const { status, json } = await shared.call({
    path: '/api',
    headers: BROWSER,
    signs: { target: '/' },
    undocumented: true,
    after: (sent) => {
      sent.target = '/'
    },
  })
  expect([status, json.code]).toEqual([404, 'not_found'])
})
