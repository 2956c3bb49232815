import { expect, it } from 'vitest'
import { judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

const ROOT = '/api/partner/v1'

it('what must not come is waited for half a second and more, however prompt the history is', async () => {
  const events: { id: string; type: string; created_at: string; data: object }[] = []
  let soldAtMs = Number.POSITIVE_INFINITY
  const tell = (type: string, data: object) =>
    events.push({ id: `evt_${events.length}`, type, created_at: new Date().toISOString(), data })
  const target = await scriptedTarget(
    (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://target.test')
      const order = { public_id: 'ord_1', domain: 'a.test', status: 'EXTERNALLY_PAID', sale_price_cents: 1000 }
      if (Date.now() - soldAtMs > 600 && events.at(-1)?.type === 'order.recorded') tell('order.refunded', { order })
      if (request.method === 'POST') {
        soldAtMs = Date.now()
        const sold = { ...order, public_id: `ord_${events.length}` }
        tell('order.recorded', { order: sold })
        return answerJson(response, 201, sold)
      }
      const after = events.findIndex(({ id }) => id === searchParams.get('after_id'))
      const answers: Record<string, object> = {
        '/availability': { domain: 'a.test', available: true, price_cents: 1000 },
        '/pricing': { price_cents: 1000, currency: 'USD' },
        '/events': { events: events.slice(after + 1), next_cursor: events.at(-1)?.id ?? null },
      }
      const known = answers[pathname.replace(ROOT, '')]
      if (known) answerJson(response, 200, known)
      else answerJson(response, 404, { code: 'not_found', message: 'no' })
    },
    { fixtures: { sellable: ['a.test', 'b.test', 'c.test', 'd.test'] } },
  )
  const silent = scenario({
    proves: ['EVT-01', 'REF-02'],
    needs: ['fixture.sellable'],
    effects: { orders: 1 },
    steps: [
      { id: 'made', call: { op: 'orders.create' } },
      { id: 'told', events: { type: 'order.recorded' }, expect: { count: { at_least: 1 }, shows: 'EVT-01' } },
      { id: 'silence', events: { type: 'order.refunded', after: 'made', none_for: '2s' }, expect: { shows: 'REF-02' } },
    ],
  })
  const { scenarios } = await judge(target, [silent])
  expect(scenarios[0]?.checks.map(({ verdict }) => verdict)).toEqual(['pass', 'fail'])
})
