import { describe, expect, it } from 'vitest'
import { ENDPOINT_IDS } from '../../../src/contract/endpoints.ts'
import { ERROR_CODES } from '../../../src/contract/errors.ts'
import { EVENT_TYPES } from '../../../src/contract/event-types.ts'
import { GAPS } from '../../../src/contract/gaps.ts'
import { startSandbox } from '../../support/sandbox.ts'

async function readDocs(options: Parameters<typeof startSandbox>[0] = {}) {
  const { url } = await startSandbox(options)
  const answer = await fetch(`${url}/docs`)
  return { url, answer, html: await answer.text() }
}

describe('/docs', () => {
  it('is one page without script', async () => {
    const { answer, html } = await readDocs()
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(html).not.toMatch(/<script|javascript:|\son\w+=/i)
    expect(html).not.toMatch(/\b(?:src|href)="(?:https?:)?\/\//)
  })

  it('has an anchor for every operation, delivery, code and open point, and no link that leads nowhere', async () => {
    const { html } = await readDocs()
    const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toEqual([...new Set(ids)])
    const wanted = [
      ...ENDPOINT_IDS,
      ...EVENT_TYPES.map((type) => `deliver.${type}`),
      ...ERROR_CODES.map((code) => `code-${code}`),
      ...Object.keys(GAPS).map((id) => `open-${id}`),
    ]
    expect(ids).toEqual(expect.arrayContaining(wanted))
    const links = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
    expect([...new Set(links)].filter((id) => !ids.includes(id))).toEqual([])
    expect(links).toEqual(expect.arrayContaining([...ENDPOINT_IDS]))
  })

  it('shows how to sign every call with the address of the sandbox', async () => {
    const { url, html } = await readDocs()
    const commands = [...html.matchAll(/<pre>(npx partner-sandbox sign [\s\S]*?)<\/pre>/g)].map(
      ([, command]) => command,
    )
    expect(commands.length).toBe(ENDPOINT_IDS.length)
    expect(
      commands.every((command) => command?.includes(`'${url}/api/partner/`) && command.endsWith('--curl | sh')),
    ).toBe(true)
    expect(commands.filter((command) => command?.includes('--idempotency-key docs-1'))).toHaveLength(1)
    expect(html).toContain('<code>PARTNER_KEY_ID</code> is the key id that the sandbox shows')
    expect(html).toContain(`sign GET '${url}/api/partner/v1/pricing?domain=stalls-1.test'`)
  })

  it('shows no secret and no key id', async () => {
    const { credentials } = await startSandbox()
    const { html } = await readDocs()
    for (const { key_id, secret } of credentials) expect(html.includes(key_id) || html.includes(secret)).toBe(false)
  })

  it('shows all that a delivery carries, and of which type it is', async () => {
    const { html } = await readDocs()
    const delivery = html.slice(html.indexOf('id="deliver.order.settled"'), html.indexOf('id="deliver.order.refunded"'))
    for (const field of ['id', 'partner_id', 'data.order.public_id'])
      expect(delivery).toContain(`<code>${field}</code>`)
    expect(delivery).toContain('<p class="type">order.settled</p>')
  })

  it('reads well where an error body is nested', async () => {
    const { html } = await readDocs({ gaps: { 'error-layout': 'nested', 'replay-status': 403 } })
    expect(html).toMatch(/<strong>403<\/strong> .*?replay_detected/)
  })
})
