import { expect, it } from 'vitest'
import { judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

const MAIN = { name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: ['search', 'refer'], affiliate: true }
const FORM = '<form method="post" action="/bought"><button>Buy now</button></form>'

/** Whether a tracking link leads to where a buyer can buy, if it opens this page; and what was asked for. */
async function leadsTo(
  page: string,
  expected = { 'page.sells': true },
): Promise<{ verdicts: string[]; asked: string[] }> {
  const asked: string[] = []
  const target = await scriptedTarget(
    ({ method, url = '', headers }, response) => {
      if (!url.startsWith('/api/')) asked.push(`${method} ${url}`)
      const html = (text: string) => response.writeHead(200, { 'content-type': 'text/html' }).end(text)
      if (url === '/go') return html(page)
      if (url === '/shop') return html(FORM)
      if (url === '/imprint') return html('Our address')
      if (url === '/gone') return response.writeHead(404).end()
      if (method === 'POST')
        return answerJson(response, 201, { link_id: 'l', kind: 'generic', url: `http://${headers.host}/go` })
      return answerJson(response, 200, { available: true, price_cents: 100 })
    },
    { credentials: [MAIN] },
  )
  const steps = [
    { id: 'link', call: { op: 'links.create' as const, body: { json: { kind: 'generic' } } } },
    { id: 'visit', page: { open: '${link.link.url}' }, expect: { roles: expected, shows: 'LINK-03' } },
  ]
  const { scenarios } = await judge(target, [scenario({ proves: ['LINK-03'], steps })])
  return { verdicts: scenarios[0]?.checks.map(({ verdict }) => verdict) ?? [], asked }
}

it('a page that only leads on is passed, as a buyer would', async () => {
  const { verdicts, asked } = await leadsTo('<a href="/shop">On to the shop</a>')
  expect(verdicts).toEqual(['pass'])
  expect(asked).toEqual(['GET /go', 'GET /shop'])
})

it.each([
  ['sells', '<a href="/shop">Buy now</a>'],
  ['has a form', `<a href="/shop">Shop</a>${FORM}`],
  ['leads to more than one', '<a href="/shop">Shop</a><a href="/terms">Terms</a>'],
])('a page that %s is where the link leads', async (_, page) => {
  expect((await leadsTo(page)).asked).toEqual(['GET /go'])
})

it.each(['/imprint', '/gone'])(
  'a page whose only link leads to %s, which sells nothing, is where the link leads',
  async (path) => {
    const { verdicts, asked } = await leadsTo(`Welcome <a href="${path}">Imprint</a>`, { 'page.sells': false })
    expect(verdicts).toEqual(['pass'])
    expect(asked).toEqual(['GET /go', `GET ${path}`])
  },
)
