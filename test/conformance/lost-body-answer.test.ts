import { expect, it } from 'vitest'
import { judge, scenario } from '../support/referee.ts'
import { type Answering, answerJson, scriptedTarget } from '../support/scripted-target.ts'

const ROOT = '/api/partner/v1'
const READS: Record<string, unknown> = {
  '/availability': { available: true, price_cents: 1000 },
  '/pricing': { price_cents: 1000, currency: 'USD' },
  '/domains/search': { domains: [{ domain: 'a.test' }, { domain: 'b.test' }, { domain: 'c.test' }] },
  '/events': { events: [], next_cursor: null },
}

/** A target whose quotes ask for another field than the usual one, and that drops the first connections with it. */
function droppingQuotes(drops: number): Answering {
  let dropped = 0
  return (request, response) => {
    const read = READS[new URL(request.url ?? '/', 'http://target.test').pathname.replace(ROOT, '')]
    if (request.method === 'GET' && read) return answerJson(response, 200, read)
    let body = ''
    request.on('data', (part) => (body += String(part)))
    return request.on('end', () => {
      if (!body.includes('domainName'))
        return answerJson(response, 400, { code: 'validation_error', message: 'domainName is required.' })
      if (dropped++ < drops) return request.socket.destroy()
      return answerJson(response, 200, { quote_id: 'quo_1', price_cents: 1000 })
    })
  }
}

async function verdictAfter(drops: number): Promise<string | undefined> {
  const quote = scenario({
    proves: ['QUOTE-01'],
    needs: ['scope.buy', 'fixture.sellable'],
    effects: { quotes: 1 },
    steps: [{ call: { op: 'quotes.create' }, expect: { accepted: true, shows: 'QUOTE-01' } }],
  })
  const target = await scriptedTarget(droppingQuotes(drops))
  const { scenarios } = await judge(target, [quote], { concurrency: 1 })
  return scenarios[0]?.checks[0]?.verdict
}

it('learns the body that a refusal asks for', async () => {
  expect(await verdictAfter(0)).toBe('pass')
})

it('does not blame a target for a body that was never answered', async () => {
  expect(await verdictAfter(100)).toBe('inconclusive')
})

it('does not blame a target for a product that it does not know', async () => {
  const link = scenario({
    proves: ['LINK-01'],
    needs: ['scope.refer'],
    effects: { links: 1 },
    steps: [
      {
        call: { op: 'links.create', body: { set: { kind: 'product' } } },
        expect: { accepted: true, shows: 'LINK-01' },
      },
    ],
  })
  const target = await scriptedTarget(
    (request, response) => {
      const read = READS[new URL(request.url ?? '/', 'http://target.test').pathname.replace(ROOT, '')]
      if (request.method === 'GET' && read) return answerJson(response, 200, read)
      request.resume()
      return answerJson(response, 404, { code: 'not_found', message: 'no such product' })
    },
    {
      credentials: [
        { name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: ['search', 'refer'], affiliate: true },
      ],
    },
  )
  const [check] = (await judge(target, [link], { concurrency: 1 })).scenarios[0]?.checks ?? []
  expect(check).toMatchObject({ verdict: 'not_run', reason: 'needs-dialect' })
})
