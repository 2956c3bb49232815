import { expect, it } from 'vitest'
import { visit } from '../../support/checkout.ts'
import { startSandbox } from '../../support/sandbox.ts'

/** As browsers send it. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

it('tells a browser at the root what answers here, with links that lead somewhere', async () => {
  const { url } = await startSandbox()
  const { status, text, headers } = await visit(`${url}/?from=mail`, { headers: BROWSER })
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/html/)])
  const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, target]) => target)
  expect(links).toEqual(['/docs', '/openapi.json'])
  for (const target of links) expect((await visit(url + target)).status).toBe(200)
  const head = await visit(`${url}/`, { method: 'HEAD', headers: BROWSER })
  expect([head.status, head.text]).toEqual([200, ''])
})

it('answers a program at the root as at any other unknown path', async () => {
  const sandbox = await startSandbox()
  const both = await Promise.all([
    visit(`${sandbox.url}/`),
    visit(`${sandbox.url}/nowhere`),
    visit(`${sandbox.url}/`, { method: 'POST', headers: BROWSER }),
    visit(`${sandbox.url}//`, { headers: BROWSER }),
    visit(`${sandbox.url}/`, { headers: { ...BROWSER, 'X-Partner-Nonce': 'n' } }),
  ])
  const codes = both.map(({ status, text }) => [status, JSON.parse(text).code])
  expect(codes).toEqual(Array(5).fill([401, 'missing_credentials']))
})

it('answers a signed call at the root 404, whatever it accepts', async () => {
  const sandbox = await startSandbox()
  const { status, json } = await sandbox.call({
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
