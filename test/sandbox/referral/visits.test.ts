import { expect, test } from 'vitest'
import { advance } from '../../support/sales.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { visitor } from '../../support/visitor.ts'

async function newLink(sandbox: TestSandbox, body: unknown = { kind: 'generic' }, as = 'main') {
  const { json } = await sandbox.call({ path: '/links', body, as })
  return json as { link_id: string; url: string }
}

async function clicksOf(sandbox: TestSandbox, { link_id: linkId }: { link_id: string }, as = 'main'): Promise<number> {
  const { json } = await sandbox.call({ path: '/links?limit=100', as })
  return json.links.find((link: { link_id: string }) => link.link_id === linkId).clicks
}

test('following a link counts one click and leads to the shop, with a cookie that scripts and other sites cannot use', async () => {
  const sandbox = await startSandbox()
  const link = await newLink(sandbox)
  const visited = await visitor().get(link.url)
  expect([visited.status, visited.location]).toEqual([303, `${sandbox.url}/shop/default/${link.link_id}`])
  const cookie = visited.headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(/^visits_default=[\w.-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
  expect(await clicksOf(sandbox, link)).toBe(1)
  expect((await sandbox.call({ path: '/me/clicks' })).json).toEqual({
    total: 1,
    by_link: [{ link_id: link.link_id, clicks: 1 }],
  })
})

test.for(['prefetch', 'prefetch;prerender'])(
  'a browser that fetches a link in advance (Sec-Purpose or Purpose %s) counts nothing until somebody follows it',
  async (purpose) => {
    const sandbox = await startSandbox()
    const link = await newLink(sandbox)
    for (const name of ['sec-purpose', 'purpose']) {
      const { status, headers } = await fetch(link.url, { headers: { [name]: purpose }, redirect: 'manual' })
      expect([status, headers.get('set-cookie'), headers.get('location')]).toEqual([425, null, null])
    }
    expect(await clicksOf(sandbox, link)).toBe(0)
    expect((await fetch(link.url, { headers: { 'sec-purpose': 'navigate' }, redirect: 'manual' })).status).toBe(303)
    expect(await clicksOf(sandbox, link)).toBe(1)
  },
)

test('the same browser within 30 minutes is the same visit; after that it is another one', async () => {
  const sandbox = await startSandbox({ frozen: true })
  const link = await newLink(sandbox)
  const browser = visitor()
  for (const [wait, clicks] of [
    [null, 1],
    ['29m59s', 1],
    ['1s', 2],
    ['29m59s', 2],
    ['1s', 3],
  ] as const) {
    if (wait) await advance(sandbox, wait)
    await browser.get(link.url)
    expect([wait, await clicksOf(sandbox, link)]).toEqual([wait, clicks])
  }
  await visitor().get(link.url)
  expect(await clicksOf(sandbox, link)).toBe(4)
})

test('visits of several links in one browser do not disturb each other', async () => {
  const sandbox = await startSandbox({ frozen: true })
  const links = [await newLink(sandbox), await newLink(sandbox), await newLink(sandbox, undefined, 'other-partner')]
  const browser = visitor()
  for (let round = 0; round < 3; round++) for (const { url } of links) await browser.get(url)
  expect(await clicksOf(sandbox, links[0]!)).toBe(1)
  expect(await clicksOf(sandbox, links[1]!)).toBe(1)
  expect(await clicksOf(sandbox, links[2]!, 'other-partner')).toBe(1)
  expect(browser.cookies.get('visits_default')?.split('~')).toHaveLength(3)
})

test('two worlds under one host have visits of their own', async () => {
  const sandbox = await startSandbox()
  await sandbox.operate('POST', '/v1/worlds', { name: 'ci-1' })
  const link = await newLink(sandbox)
  const browser = visitor()
  await browser.get(link.url)
  const elsewhere = await browser.get(link.url.replace('/default/', '/ci-1/'))
  expect(elsewhere.status).toBe(404)
  await browser.get(link.url)
  expect([...browser.cookies.keys()]).toEqual(['visits_default'])
  expect(await clicksOf(sandbox, link)).toBe(1)
})

test('asking for the headers alone counts nothing and leaves no cookie', async () => {
  const sandbox = await startSandbox()
  const link = await newLink(sandbox)
  const browser = visitor()
  const { status, location } = await browser.head(link.url)
  expect([status, location]).toEqual([303, `${sandbox.url}/shop/default/${link.link_id}`])
  expect([browser.cookies.size, await clicksOf(sandbox, link)]).toEqual([0, 0])
})

test('the address of a link and where it leads never come from the Host header', async () => {
  const sandbox = await startSandbox({ publicUrl: 'https://sandbox.example.test' })
  const link = await newLink(sandbox)
  expect(link.url).toBe(`https://sandbox.example.test/go/default/${link.link_id}`)
  const { pathname } = new URL(link.url)
  const visited = await sandbox.call({
    path: '/links',
    after: (sent) => {
      sent.headers['host'] = 'evil.example'
    },
  })
  expect(visited.json.links[0].url).toBe(link.url)
  const { location, headers } = await visitor().get(sandbox.url + pathname)
  expect(location).toBe(`https://sandbox.example.test/shop/default/${link.link_id}`)
  expect(headers.get('set-cookie')).toContain('; Secure')
})

test('an unknown link, an unknown world and an undecodable address are the same plain 404 page', async () => {
  const sandbox = await startSandbox()
  const link = await newLink(sandbox)
  const pages = []
  for (const path of [
    '/go/default/lnk_0000000000000000',
    '/go/nowhere/lnk_0000000000000000',
    `/go/__proto__/${link.link_id}`,
    '/go/default/%3Cscript%3E',
  ]) {
    const { status, text, headers } = await visitor().get(sandbox.url + path)
    expect([path, status, headers.get('set-cookie')]).toEqual([path, 404, null])
    expect(text).not.toContain('script')
    pages.push(text)
  }
  expect(new Set(pages).size).toBe(1)
})

test('a cookie that was altered in any character is no visit, and never an error', async () => {
  const sandbox = await startSandbox({ frozen: true })
  const link = await newLink(sandbox)
  const honest = visitor()
  await honest.get(link.url)
  const cookie = honest.cookies.get('visits_default') as string
  let clicks = 1
  for (let at = 0; at < cookie.length; at += 3) {
    const altered = visitor()
    altered.cookies.set('visits_default', cookie.slice(0, at) + (cookie[at] === 'A' ? 'B' : 'A') + cookie.slice(at + 1))
    expect((await altered.get(link.url)).status).toBe(303)
    clicks += 1
  }
  for (const value of ['', '~~~', '%00', 'x'.repeat(7_000), `${cookie}~${cookie}`]) {
    const odd = visitor()
    odd.cookies.set('visits_default', value)
    expect((await odd.get(link.url)).status).toBe(303)
    // The last holds the visit, twice over.
    if (!value.startsWith(cookie)) clicks += 1
  }
  expect(await clicksOf(sandbox, link)).toBe(clicks)
})

test('clicks are counted between dates, from inclusive, to exclusive', async () => {
  const sandbox = await startSandbox({ frozen: true, clockMs: Date.UTC(2026, 2, 1) })
  const links = [await newLink(sandbox), await newLink(sandbox)]
  for (const day of [0, 1, 2]) {
    if (day > 0) await advance(sandbox, '1d')
    await visitor().get(links[0]!.url)
    if (day === 1) await visitor().get(links[1]!.url)
  }
  const clicks = async (query: string) => (await sandbox.call({ path: `/me/clicks${query}` })).json
  expect((await clicks('')).total).toBe(4)
  const [one, two] = links.map(({ link_id }) => link_id)
  const byLink = [
    { link_id: two, clicks: 1 },
    { link_id: one, clicks: 2 },
  ]
  expect(await clicks('?from=2026-03-02')).toEqual({ total: 3, by_link: byLink })
  expect((await clicks('?to=2026-03-02')).total).toBe(1)
  expect((await clicks('?from=2026-03-02&to=2026-03-03')).total).toBe(2)
  expect((await clicks('?from=2026-03-02T00:00:00.001Z&to=2026-03-03T00:00:00Z')).total).toBe(0)
  expect((await clicks('?from=2027-01-01')).by_link).toEqual([])
  expect((await sandbox.call({ path: '/me/clicks?from=yesterday' })).json.message).toContain('from must be')
})

test('a reset ends all links and visits', async () => {
  const sandbox = await startSandbox()
  const link = await newLink(sandbox)
  await visitor().get(link.url)
  await sandbox.operate('POST', '/v1/worlds/default/reset', {})
  expect((await visitor().get(link.url)).status).toBe(404)
  expect((await sandbox.call({ path: '/me/clicks' })).json.total).toBe(0)
})
