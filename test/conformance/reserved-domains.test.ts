import { expect, it } from 'vitest'
import type { LoadedScenario, Step } from '../../src/conformance/format/scenario.ts'
import { judge, scenario } from '../support/referee.ts'
import { type Answering, answerJson, scriptedTarget } from '../support/scripted-target.ts'

const ROOT = '/api/partner/v1'
const SCOPES = ['search', 'buy', 'broker', 'webhook']
const MAIN = { name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: SCOPES }
const OTHER = { name: 'other', key_id: 'pk_test_2', secret: 'sk_test_2', scopes: SCOPES, partner: 'other' }

/** A target that sells all that a search finds, but refuses these partners what is reserved. */
function selling(listed: readonly string[], reserved: readonly string[], whom = [OTHER.key_id]): Answering {
  const answers: Record<string, (domain: string) => unknown> = {
    '/availability': (domain) => ({ domain, available: true, price_cents: 1000 }),
    '/pricing': () => ({ price_cents: 1000, currency: 'USD' }),
    '/events': () => ({ events: [], next_cursor: null }),
    '/domains/search': () => ({ domains: listed.map((domain) => ({ domain })) }),
  }
  return (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://target.test')
    const path = pathname.replace(ROOT, '')
    const read = answers[path]
    if (request.method === 'GET' && read) return answerJson(response, 200, read(searchParams.get('domain') ?? ''))
    let body = ''
    request.on('data', (part) => (body += String(part)))
    return request.on('end', () => {
      if (path !== '/orders') return answerJson(response, 404, { code: 'not_found', message: 'no' })
      const { domain } = JSON.parse(body) as { domain: string }
      if (whom.includes(String(request.headers['x-partner-key-id'])) && reserved.includes(domain))
        return answerJson(response, 409, { code: 'conflict', message: 'reserved' })
      const order = { public_id: `ord_${domain}`, domain, status: 'EXTERNALLY_PAID', sale_price_cents: 1000 }
      return answerJson(response, 200, { ...order, currency: 'USD' })
    })
  }
}

const SELLS_TO_OTHERS: LoadedScenario = scenario({
  proves: ['ORD-03'],
  needs: ['scope.buy', 'fixture.sellable'],
  effects: { orders: 1 },
  steps: [
    {
      id: 'to_anyone',
      as: 'other_partner',
      call: { op: 'orders.create' },
      expect: { accepted: true, shows: 'ORD-03' },
    } as Step,
  ],
})

async function verdictWith(listed: readonly string[], reserved: readonly string[]): Promise<string | undefined> {
  const target = await scriptedTarget(selling(listed, reserved), { credentials: [MAIN, OTHER], operator: undefined })
  const { scenarios } = await judge(target, [SELLS_TO_OTHERS], { concurrency: 1 })
  return scenarios[0]?.checks[0]?.verdict
}

// The first domain goes to the runner's own valid order.
it('tries another domain where an earlier run may have reserved the first', async () => {
  expect(await verdictWith(['a.test', 'b.test', 'c.test'], ['b.test'])).toBe('pass')
})

it('does not blame a target that has no further domain', async () => {
  expect(await verdictWith(['a.test', 'b.test'], ['b.test'])).toBe('inconclusive')
})

it('blames a target that refuses every domain', async () => {
  const listed = ['a.test', 'b.test', 'c.test', 'd.test', 'e.test']
  expect(await verdictWith(listed, listed)).toBe('fail')
})

const ANY_ANSWER: LoadedScenario = scenario({
  proves: ['ORD-01'],
  needs: ['scope.buy', 'fixture.sellable'],
  effects: { orders: 1 },
  steps: [{ id: 'named', call: { op: 'orders.create' }, expect: { status: [200, 400, 422], shows: 'ORD-01' } } as Step],
})

it.each([
  [['b.test'], 'pass'],
  [['b.test', 'c.test', 'd.test', 'e.test'], 'fail'],
])(
  'tries other domains for main, too, where no order for the first is accepted (reserved: %j)',
  async (reserved, verdict) => {
    const listed = ['a.test', 'b.test', 'c.test', 'd.test', 'e.test']
    const answering = selling(listed, reserved, [MAIN.key_id])
    const target = await scriptedTarget(answering, { credentials: [MAIN, OTHER], operator: undefined })
    const { scenarios } = await judge(target, [ANY_ANSWER], { concurrency: 1 })
    expect(scenarios[0]?.checks[0]?.verdict).toBe(verdict)
  },
)

/** A target at which others, with main's credentials, buy these once they have been looked at; these it never sells. */
function bought(
  listed: readonly string[],
  byOthers: readonly string[],
  refused: readonly string[],
  refs: boolean,
): Answering {
  const sell = selling(listed, [])
  const sold = new Set<string>()
  const recorded: { public_id: string; domain: string; external_payment_ref?: string }[] = []
  const eventOf = (order: (typeof recorded)[number], second: number) => ({
    id: `evt_${order.public_id}`,
    type: 'order.recorded',
    created_at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
    data: { order },
  })
  return (request, response, ordinal) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://target.test')
    const path = pathname.replace(ROOT, '')
    const domain = searchParams.get('domain') ?? ''
    const read = recorded.find(({ public_id: id }) => path === `/orders/${id}`)
    if (read) return answerJson(response, 200, { ...read, status: 'EXTERNALLY_PAID', sale_price_cents: 1000 })
    if (path === '/events') return answerJson(response, 200, { events: recorded.map(eventOf), next_cursor: null })
    if (path === '/availability') {
      answerJson(response, 200, { domain, available: !sold.has(domain), price_cents: 1000 })
      if (!byOthers.includes(domain) || sold.has(domain)) return undefined
      recorded.push({
        public_id: `ord_of_others_${domain}`,
        domain,
        ...(refs && { external_payment_ref: 'conf-other-1' }),
      })
      return sold.add(domain)
    }
    if (path !== '/orders') return sell(request, response, ordinal)
    let body = ''
    request.on('data', (part) => (body += String(part)))
    return request.on('end', () => {
      const { domain: name } = JSON.parse(body) as { domain: string }
      if (refused.includes(name) || sold.has(name))
        return answerJson(response, 404, { code: 'not_found', message: 'no such domain' })
      recorded.push({ public_id: `ord_${name}`, domain: name })
      const order = { public_id: `ord_${name}`, domain: name, status: 'EXTERNALLY_PAID', sale_price_cents: 1000 }
      return answerJson(response, 200, { ...order, currency: 'USD' })
    })
  }
}

/** A target at which the price of these goes up once it has been read, and which refuses orders at any price for those. */
function moving(listed: readonly string[], moved: readonly string[], refused: readonly string[]): Answering {
  const sell = selling(listed, [])
  const read = new Set<string>()
  return (request, response, ordinal) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://target.test')
    const path = pathname.replace(ROOT, '')
    const domain = searchParams.get('domain') ?? ''
    const priceOf = (name: string) => (moved.includes(name) && read.has(name) ? 1100 : 1000)
    if (path === '/pricing') {
      answerJson(response, 200, { price_cents: priceOf(domain), currency: 'USD' })
      return read.add(domain)
    }
    if (path !== '/orders') return sell(request, response, ordinal)
    let body = ''
    request.on('data', (part) => (body += String(part)))
    return request.on('end', () => {
      const { domain: name, expected_price: price } = JSON.parse(body) as { domain: string; expected_price: number }
      if (refused.includes(name) || price !== priceOf(name))
        return answerJson(response, 422, { code: 'price_mismatch', message: 'not its price' })
      const order = { public_id: `ord_${name}`, domain: name, status: 'EXTERNALLY_PAID', sale_price_cents: price }
      return answerJson(response, 200, { ...order, currency: 'USD' })
    })
  }
}

const RECORDED: LoadedScenario = scenario({
  proves: ['ORD-01'],
  needs: ['scope.buy', 'fixture.sellable'],
  effects: { orders: 1 },
  steps: [{ id: 'named', call: { op: 'orders.create' }, expect: { accepted: true, shows: 'ORD-01' } } as Step],
})

it.each([
  ['tries another domain where the price of the first has moved', ['b.test'], [], 'pass'],
  ['does not blame a target whose prices all move', ['b.test', 'c.test'], [], 'inconclusive'],
  ['nor one whose prices move with each of many domains', ['b.test', 'c.test', 'd.test', 'e.test'], [], 'inconclusive'],
  ['blames a target that refuses the price it shows', [], ['b.test', 'c.test', 'd.test', 'e.test'], 'fail'],
])('%s', async (_, moved, refused, verdict) => {
  const listed = verdict === 'inconclusive' ? ['a.test', ...moved] : ['a.test', 'b.test', 'c.test', 'd.test', 'e.test']
  const target = await scriptedTarget(moving(listed, moved, refused), {
    credentials: [MAIN, OTHER],
    operator: undefined,
  })
  const { scenarios } = await judge(target, [RECORDED], { concurrency: 1 })
  expect(scenarios[0]?.checks[0]?.verdict).toBe(verdict)
})

it.each([
  ['tries another domain where another run has bought the first', ['b.test'], [], true, 'pass'],
  ['does not take back a failure that others may not have caused', ['b.test'], [], false, 'inconclusive'],
  ['does not blame a target whose domains another run buys', ['b.test', 'c.test'], [], true, 'inconclusive'],
  ['blames a target that says not_found of what it lists', [], ['b.test', 'c.test', 'd.test', 'e.test'], true, 'fail'],
])('%s', async (_, byOthers, refused, refs, verdict) => {
  const listed = byOthers.length > 1 ? ['a.test', ...byOthers] : ['a.test', 'b.test', 'c.test', 'd.test', 'e.test']
  const target = await scriptedTarget(bought(listed, byOthers, refused, refs), {
    credentials: [MAIN],
    operator: undefined,
  })
  const { scenarios } = await judge(target, [RECORDED], { concurrency: 1 })
  expect(scenarios[0]?.checks[0]?.verdict).toBe(verdict)
})
