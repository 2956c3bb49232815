import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { DEFAULT_GAPS, variedGaps } from '../../src/contract/choices.ts'
import { ENDPOINT_IDS } from '../../src/contract/endpoint-ids.ts'
import { size } from '../support/size.ts'
import { foreign, type Personality, type Sent, sandbox } from './judged.ts'

const V1 = '/api/partner/v1'

/** Four rounds are some hundred calls. */
const ROUNDS = size(2, 6)

it.each<Personality>(size(['C'], ['A', 'B', 'C']))(
  'of a sound client nothing is said, in the dialect %s',
  async (personality) => {
    const server = await foreign(personality)
    await soundClient(server)
    const calls = await server.log()
    const blamed = calls.filter(
      ({ status, reason, findings }) => (findings?.length ?? 0) > 0 || (status < 400 && reason !== null),
    )
    expect(
      blamed.map(({ method, target, status, reason, findings }) => ({ method, target, status, reason, findings })),
    ).toEqual([])
    const refused = calls.filter(({ status }) => status >= 400 && status !== 429).map(({ code }) => code)
    expect([...new Set(refused)].sort()).toEqual(['not_found', 'price_mismatch'])
    const { sections } = await server.operator.call('coverage.show', { w: 'default' })
    const met = sections.flatMap(({ id, rows }) =>
      rows.flatMap((row) => (row.state === 'met' ? [`${id} ${row.id}`] : [])),
    )
    expect(met.filter((row) => row.startsWith('endpoints')).length).toBe(ENDPOINT_IDS.length)
    expect(met).toEqual(
      expect.arrayContaining([
        'orders MANUAL_REVIEW',
        'events order.recorded',
        'codes price_mismatch',
        'situations cursor',
      ]),
    )
    expect(calls.length).toBeGreaterThan(size(60, 170))
  },
)

it.each<Personality>(size(['B'], ['B', 'C']))(
  'answers in other shapes than those of the sandbox are not compared with them without a target file, as of %s',
  async (personality) => {
    const server = await foreign(personality, undefined, { knowsNames: false })
    await soundClient(server)
    const said = (await server.log()).flatMap(({ findings }) => findings ?? [])
    // A state that the sandbox does not have is one that the client should know of.
    const ofAnswers = said.filter((text) => !text.startsWith('The request') && !text.includes('"REVIEW_CLEARED"'))
    expect(ofAnswers).toEqual([])
  },
)

it.each(size(['a'], ['a', 'b', 'c']))(
  'the legal choices of a sandbox are no differences: those drawn from %s',
  async (seed) => {
    const gaps = { ...variedGaps(seed), 'order-required-fields': DEFAULT_GAPS['order-required-fields'] }
    const { price = 0, ...server } = await sandbox({ gaps })
    const [from = ''] = gaps['window-parameters'].split(', ')
    const post = (path: string, body: object, more: Sent = {}) =>
      server.send({ method: 'POST', target: V1 + path, body, ...more })
    const expected = gaps['expected-price-unit'] === 'units' ? price / 100 : price
    const order = {
      domain: 'stalls-901.test',
      expected_price: expected,
      currency: 'USD',
      buyer: { email: 'jo@b.test' },
    }
    await post('/orders', order, { idempotencyKey: 'key' })
    await post('/brokerage', { tier: 'managed', buyer_email: 'jo@b.test', budget: 100_000 })
    const queries = [`${gaps['limit-parameter']}=1`, `${from}=2026-01-01&${gaps['domain-parameter']}=stalls-901.test`]
    for (const query of queries) await server.send({ target: `${V1}/orders?${query}` })
    for (const path of ['/events', '/transactions', '/links', '/analytics', '/domains/search?q=a+b'])
      await server.send({ target: V1 + path })
    const said = (await server.log()).flatMap(({ findings }) => findings ?? [])
    expect(said).toEqual([])
  },
)

/** Everything that a client may do, and the refusals that it may meet, in the words of the server. */
async function soundClient(server: Awaited<ReturnType<typeof foreign>>) {
  const { dialect, fixtures, operate } = server
  const send = async (sent: Sent): Promise<string> => {
    const answer = await server.send(sent)
    if (answer.status !== 429) return answer.text()
    await pause(1_000 * Number(answer.headers.get('retry-after')))
    return send(sent)
  }
  const get = (path: string, query: Record<string, string> = {}) => {
    const text = Object.entries(query).map((pair) => pair.map(encodeURIComponent).join('='))
    return send({ target: V1 + path + (text.length > 0 ? `?${text.join('&')}` : '') })
  }
  const post = (path: string, body: unknown, more: Sent = {}) =>
    send({ method: 'POST', target: V1 + path, body, ...more })
  const filled = (name: keyof typeof dialect.bodies, values: Record<string, unknown>) =>
    JSON.parse(JSON.stringify(dialect.bodies[name]), (_key, value) => {
      const [, variable] = /^\$\{(\w+)\}$/.exec(value) ?? []
      return variable === undefined ? value : values[variable]
    })
  const param = (name: keyof typeof dialect.params) => dialect.params[name] ?? name.split('.')[1] ?? ''
  const window = (day: number) => ({
    [param('reports.from')]: `2026-01-${10 + day}`,
    [param('reports.to')]: '2027-01-01',
  })

  await send({
    method: 'PUT',
    target: '/api/partner/webhooks',
    body: { url: 'http://127.0.0.1:9/hooks', secret: 'a-webhook-secret' },
  })
  for (let round = 0; round < ROUNDS; round++) {
    const [domain = '', brokered = '', hosted = ''] = fixtures.sellable.slice(3 * round)
    await get('/domains/search', { q: `sailing ${round}` })
    await get(`/domains/${domain}`)
    await get('/availability', { domain })
    await get('/availability', { domain: `never-${round}.example` })
    await get('/pricing', { domain })
    await get('/pricing', { domain: `never-${round}.example` })
    const quoteId = idIn(await post('/quotes', filled('quote', { domain })), 'quote_id')
    const order = {
      domain,
      expected_price: server.priceOf(domain),
      currency: 'USD',
      return_url: 'https://shop.example/thanks',
      buyer: { email: 'jo@buyer.example', name: 'Jo', country: 'NL' },
      external_payment_ref: `ref-${round}`,
      ...(quoteId !== '' && { quote_id: quoteId }),
    }
    await post('/orders', { ...order, expected_price: order.expected_price + 1 }, { idempotencyKey: `off-${round}` })
    const idempotencyKey = `order-${round}`
    const publicId = idIn(await post('/orders', order, { idempotencyKey }), 'public_id')
    await post('/orders', order, { idempotencyKey })
    await get(`/orders/${publicId}`)
    const steps = [['hold', 'clear'], [], ['start_transfer', 'complete_transfer'], ['refund']][round % 4] ?? []
    for (const step of steps) {
      await operate(step, { order: publicId })
      await get(`/orders/${publicId}`)
    }
    if (steps.length === 0) await post('/refunds', filled('refund', { public_id: publicId }))
    await get('/orders', { [param('orders.domain')]: domain, [param('orders.limit')]: '2' })
    await get('/orders', { status: 'EXTERNALLY_PAID', [param('orders.from')]: `2026-01-0${round + 1}` })
    await get('/orders', { [param('orders.cursor')]: publicId })
    await post('/checkout-session', filled('checkout', { domain: hosted }))
    await get('/brokerage/eligibility', { domain: brokered })
    const caseId = idIn(await post('/brokerage', filled('brokerage', { domain: brokered })), 'case_id')
    await get(`/brokerage/${caseId}`)
    await post('/links', filled('link', {}))
    await post('/links', filled('link_domain', { domain: hosted }))
    await post('/links', filled('link_product', {}))
    await get('/transactions', { from: `2026-01-${10 + round}`, payment_model: dialect.paymentModels.brokerage ?? '' })
    for (const path of ['/me/clicks', '/me/sales', '/analytics']) await get(path, window(round))
    if (round < 3)
      for (const path of ['/brokerage', '/links', '/settlements', '/payouts', '/me/payouts', '/me/commissions'])
        await get(path)
    await get('/events', { limit: String(3 + round) })
  }
}

function idIn(body: string, name: string): string {
  return new RegExp(`"${name}":"([^"]+)"`).exec(body)?.[1] ?? ''
}
