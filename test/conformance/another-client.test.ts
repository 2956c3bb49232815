import { domainToASCII, domainToUnicode } from 'node:url'
import { expect, it } from 'vitest'
import type { Step } from '../../src/conformance/format/scenario.ts'
import { judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget, targetAt } from '../support/scripted-target.ts'

const ROOT = '/api/partner/v1'
/** When the first order was recorded. */
const AT_MS = Date.now()

const orderOf = (public_id: string, domain: string) => ({
  public_id,
  domain,
  status: 'EXTERNALLY_PAID',
  sale_price_cents: 1000,
  currency: 'USD',
})

const eventOf = (order: ReturnType<typeof orderOf>, second: number) => ({
  id: `evt_${order.public_id}`,
  type: 'order.recorded',
  created_at: new Date(AT_MS + 1_000 * second).toISOString(),
  data: { order },
})

const STEPS: Step[] = [
  { id: 'made', call: { op: 'orders.create' } },
  {
    id: 'listed',
    call: { op: 'orders.list' },
    expect: { items: 'orders.items', count: 1, shows: 'ORD-08' },
  },
]

/**
 * Judges a target that lists a second order after the first, which the history shows or not.
 *
 * @param second its domain, by that of the first one.
 */
async function checkOf(
  isInHistory: boolean,
  second: (domain: string) => string = () => 'of-others.test',
  steps: Step[] = STEPS,
) {
  const sales: ReturnType<typeof orderOf>[] = []
  const target = await scriptedTarget(
    async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://target.test')
      const told = sales.filter(({ public_id }) => isInHistory || public_id.startsWith('ord_own')).map(eventOf)
      const seen = told.findIndex(({ id }) => id === searchParams.get('after_id'))
      const answers: Record<string, () => unknown> = {
        '/availability': () => ({ domain: 'a.test', available: true, price_cents: 1000 }),
        '/pricing': () => ({ price_cents: 1000, currency: 'USD' }),
        '/orders': () => ({ orders: sales.slice(-2), next_cursor: null }),
        '/events': () => ({ events: told.slice(seen + 1), next_cursor: told.at(-1)?.id ?? null }),
      }
      const known = answers[pathname.replace(ROOT, '')]
      if (request.method === 'POST') {
        const chunks: Buffer[] = []
        for await (const chunk of request) chunks.push(chunk)
        const { domain } = JSON.parse(Buffer.concat(chunks).toString())
        const number = sales.length
        sales.push(orderOf(`ord_own${number}`, domain), orderOf(`ord_${number}`, second(domain)))
        answerJson(response, 201, sales[number])
      } else if (known) answerJson(response, 200, known())
      else answerJson(response, 404, { code: 'not_found', message: 'no' })
    },
    { fixtures: { sellable: ['ä', 'xn--4ca', 'ü', 'xn--tda', 'é'].map((name) => `${name}.test`) } },
  )
  const counting = scenario({
    proves: ['ORD-08'],
    needs: ['fixture.sellable'],
    effects: { orders: 1, exclusive: true },
    steps,
  })
  const { scenarios } = await judge(target, [counting])
  return scenarios[0]?.checks[0]
}

it('what follows a premise that others may have broken says so, and gives no other advice', async () => {
  const premise: Step = { id: 'listed', call: { op: 'orders.list' }, expect: { items: 'orders.items', count: 1 } }
  const after: Step = { id: 'after', call: { op: 'orders.list' }, expect: { accepted: true, shows: 'ORD-08' } }
  const made: Step = { id: 'made', call: { op: 'orders.create' } }
  const check = await checkOf(true, undefined, [made, premise, after])
  expect(check).toMatchObject({
    verdict: 'inconclusive',
    note: expect.stringMatching(/^another client of this partner sold of-others.test meanwhile/),
  })
  expect(check?.todo).toBeUndefined()
})

it('a number of orders proves nothing, if the history shows that another client of the partner sells', async () => {
  const check = await checkOf(true)
  expect([check?.verdict, check?.note]).toEqual([
    'inconclusive',
    expect.stringMatching(/^another client of this partner sold of-others.test meanwhile/),
  ])
})

it('an order too many of a name that the run has bought is wrong, whichever form of the name it has', async () => {
  expect((await checkOf(true, domainToASCII))?.verdict).toBe('fail')
  expect((await checkOf(true, domainToUnicode))?.verdict).toBe('fail')
})

it('an order too many is wrong, if nobody else has sold anything', async () => {
  expect((await checkOf(false))?.verdict).toBe('fail')
})

/** Judges a target where every second domain is sold just before the order for it comes, to a client with a reference or without. */
async function checkOfSold(isReferred: boolean) {
  const sales: ReturnType<typeof orderOf>[] = []
  const target = await scriptedTarget(
    async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://target.test')
      const path = pathname.replace(ROOT, '')
      const domain = searchParams.get('domain')
      if (request.method === 'POST') {
        const chunks: Buffer[] = []
        for await (const chunk of request) chunks.push(chunk)
        const body = JSON.parse(Buffer.concat(chunks).toString())
        // The first order of each try shows when the run sells.
        const isFirst = sales.length % 2 === 0
        const sold = { ...orderOf(`ord_${sales.length}`, body.domain), external_payment_ref: body.external_payment_ref }
        if (!isFirst) sold.external_payment_ref = isReferred ? 'of-another-client' : null
        sales.push(sold)
        if (isFirst) answerJson(response, 201, sold)
        else answerJson(response, 410, { code: 'gone', message: 'The domain has been sold.' })
        return
      }
      const after = sales.findIndex(({ public_id }) => `evt_${public_id}` === searchParams.get('after_id'))
      const known: Record<string, unknown> = {
        '/availability': { domain, available: !sales.some((one) => one.domain === domain), price_cents: 1000 },
        '/pricing': { price_cents: 1000, currency: 'USD' },
        '/events': { events: sales.slice(after + 1).map(eventOf), next_cursor: `evt_${sales.at(-1)?.public_id}` },
      }
      const read = known[path] ?? sales.find(({ public_id }) => path === `/orders/${public_id}`)
      if (read) answerJson(response, 200, read)
      else answerJson(response, 404, { code: 'not_found', message: 'no' })
    },
    { fixtures: { sellable: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `${name}.test`) } },
  )
  const buying = scenario({
    proves: ['ORD-01'],
    needs: ['fixture.sellable'],
    effects: { orders: 1 },
    steps: [
      { id: 'made', call: { op: 'orders.create' } },
      {
        id: 'sold',
        call: { op: 'orders.create', body: { set: { domain: '${sellable[1].domain}' } } },
        expect: { accepted: true, shows: 'ORD-01' },
      },
    ],
  })
  const { scenarios } = await judge(target, [buying])
  return scenarios[0]?.checks[0]
}

it('a domain that another client has bought, by its reference, proves nothing however often that happens', async () => {
  const check = await checkOfSold(true)
  expect([check?.verdict, check?.note]).toEqual(['inconclusive', expect.stringContaining('others have bought')])
})

it('a domain that is sold to an unknown buyer each time it is ordered is wrong', async () => {
  expect((await checkOfSold(false))?.verdict).toBe('fail')
})

/** Judges a target whose count of clicks grows between two readings, as often as is said. */
async function checkOfClicks(disturbances: number, { isListed = false } = {}) {
  let readings = 0
  let clicks = 0
  const target = await scriptedTarget(
    (request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://target.test')
      if (pathname === `${ROOT}/me/clicks`) {
        // Every second reading is the one that is judged.
        if (readings++ % 2 === 1 && readings / 2 <= disturbances) clicks++
        answerJson(response, 200, { total: clicks, items: [] })
      } else if (pathname === `${ROOT}/events`) answerJson(response, 200, { events: [], next_cursor: null })
      else if (pathname === `${ROOT}/links` && isListed)
        answerJson(response, 200, { links: [{ link_id: 'lnk_of_others', clicks }] })
      else answerJson(response, 404, { code: 'not_found', message: 'no' })
    },
    {
      credentials: [{ name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: ['report'] }],
      dialect: { roles: { 'clicks.total': '/total' } },
    },
  )
  const counting = scenario({
    proves: ['RPT-01'],
    effects: { exclusive: true },
    steps: [
      { id: 'before', call: { op: 'me.clicks' } },
      { call: { op: 'me.clicks' }, expect: { roles: { 'clicks.total': '${before.clicks.total}' }, shows: 'RPT-01' } },
    ],
  })
  const { scenarios } = await judge(target, [counting])
  return scenarios[0]?.checks[0]
}

it('a count of clicks that is wrong once proves nothing, since any client may follow a link', async () => {
  const check = await checkOfClicks(1)
  expect([check?.verdict, check?.note]).toEqual([
    'inconclusive',
    'another client may have followed a link meanwhile; tried again, this passed',
  ])
})

it('a count of clicks that is wrong at every try is wrong', async () => {
  expect((await checkOfClicks(100))?.verdict).toBe('fail')
})

it('a count of clicks proves nothing at any try, if the list of links shows those of others', async () => {
  const check = await checkOfClicks(100, { isListed: true })
  expect([check?.verdict, check?.note]).toEqual(['inconclusive', 'another client has followed links meanwhile'])
})

/** Judges a target whose limit is still used up after a wait, where another client sells or not. */
async function checkOfLimit(isOtherSelling: boolean) {
  let isLimited = false
  const sales: ReturnType<typeof orderOf>[] = []
  const { url } = await scriptedTarget((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://target.test')
    const path = pathname.replace(ROOT, '')
    const seen = sales.findIndex(({ public_id }) => `evt_${public_id}` === searchParams.get('after_id'))
    if (path === '/ops') {
      isLimited = true
      answerJson(response, 200, {})
    } else if (path === '/orders' && request.method === 'POST') {
      sales.push(orderOf(`ord_${sales.length}`, 'a.test'))
      answerJson(response, 201, sales.at(-1))
      if (isOtherSelling) sales.push(orderOf(`ord_${sales.length}`, 'of-others.test'))
    } else if (path === '/events')
      answerJson(response, 200, { events: sales.slice(seen + 1).map(eventOf), next_cursor: null })
    else if (isLimited && searchParams.get('domain') === 'limited.test')
      answerJson(response, 429, { code: 'rate_limited', message: 'wait' }, { 'retry-after': '0' })
    else if (path === '/availability') answerJson(response, 200, { available: true, price_cents: 1000 })
    else if (path === '/pricing') answerJson(response, 200, { price_cents: 1000, currency: 'USD' })
    else answerJson(response, 404, { code: 'not_found', message: 'no' })
  })
  const target = targetAt(url, {
    fixtures: { sellable: ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.test`) },
    operator: { actions: { rate_limit: { request: `POST ${url}${ROOT}/ops`, json: {} } } },
  })
  const selling = scenario({ proves: [], steps: [{ call: { op: 'orders.create' } }] })
  const limited = scenario({
    proves: ['ERR-03'],
    steps: [
      { operator: { rate_limit: { requests: 1, per_seconds: 3 } } },
      { id: 'limited', call: { op: 'availability', query: { domain: 'limited.test' } }, expect: LIMITED },
      { call: { after: 'limited' }, expect: { accepted: true, shows: 'ERR-03' } },
    ],
  })
  const { scenarios } = await judge(target, [selling, { ...limited, id: 'test/two' }])
  return scenarios[1]?.checks.at(-1)
}

const LIMITED = { refused: 'rate_limited', shows: 'ERR-03' } as const

it('a limit that is used up again proves nothing, if another client of the partner sells', async () => {
  expect((await checkOfLimit(false))?.verdict).toBe('fail')
  const check = await checkOfLimit(true)
  expect([check?.verdict, check?.note]).toEqual([
    'inconclusive',
    'another client of this partner, which sold of-others.test, may have used the limit up',
  ])
})

/** Judges a target that refuses the price of each order, where prices move or not. */
async function checkOfPrice(areMoving: boolean) {
  let cents = 1000
  const target = await scriptedTarget(
    (request, response) => {
      const path = new URL(request.url ?? '/', 'http://target.test').pathname.replace(ROOT, '')
      if (request.method === 'POST') {
        if (areMoving) cents += 100
        answerJson(response, 422, { code: 'price_mismatch', message: 'The price is another one.' })
      } else if (path === '/availability') answerJson(response, 200, { available: true, price_cents: cents })
      else if (path === '/pricing') answerJson(response, 200, { price_cents: cents, currency: 'USD' })
      else if (path === '/events') answerJson(response, 200, { events: [], next_cursor: null })
      else answerJson(response, 404, { code: 'not_found', message: 'no' })
    },
    {
      fixtures: { sellable: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `${name}.test`) },
      dialect: { price_unit: 'cents', roles: { 'listing.price': { at: '/price_cents', unit: 'cents' } } },
    },
  )
  const steps: Step[] = [{ id: 'made', call: { op: 'orders.create' }, expect: { accepted: true, shows: 'ORD-01' } }]
  const { scenarios } = await judge(target, [scenario({ proves: ['ORD-01'], steps })])
  return scenarios[0]?.checks[0]
}

it('a price that is refused with every domain proves nothing, if the prices move', async () => {
  expect((await checkOfPrice(false))?.verdict).toBe('fail')
  const check = await checkOfPrice(true)
  expect([check?.verdict, check?.note]).toEqual(['inconclusive', 'the price of the domain is another one by now'])
})

/** Judges a target that accepts an order at another price: of the second domain that is ordered, behind the runner's own, or of each. */
async function checkOfAnotherPrice(isOfEach: boolean) {
  let orders = 0
  const target = await scriptedTarget(
    (request, response) => {
      const path = new URL(request.url ?? '/', 'http://target.test').pathname.replace(ROOT, '')
      if (request.method === 'POST' && path === '/orders') {
        orders += 1
        if (!isOfEach && orders > 2) answerJson(response, 422, { code: 'price_mismatch', message: 'Another price.' })
        else
          answerJson(response, 201, { public_id: `ord_${orders}`, status: 'EXTERNALLY_PAID', sale_price_cents: 1100 })
      } else if (path === '/availability') answerJson(response, 200, { available: true, price_cents: 1000 })
      else if (path === '/pricing') answerJson(response, 200, { price_cents: 1000, currency: 'USD' })
      else if (path === '/events') answerJson(response, 200, { events: [], next_cursor: null })
      else answerJson(response, 404, { code: 'not_found', message: 'no' })
    },
    {
      fixtures: { sellable: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `${name}.test`) },
      dialect: { price_unit: 'cents', roles: { 'listing.price': { at: '/price_cents', unit: 'cents' } } },
    },
  )
  const call = { op: 'orders.create', body: { json: { domain: '${sellable.domain}', expected_price: 1100 } } }
  const steps = [{ id: 'dear', call, expect: { refused: 'price_mismatch', shows: 'ORD-03' } }] as Step[]
  const { scenarios } = await judge(target, [scenario({ proves: ['ORD-03'], needs: ['fixture.sellable'], steps })])
  return scenarios[0]?.checks[0]
}

it('an order that is accepted at another price is wrong if the next one is, too; else the price may have moved', async () => {
  expect((await checkOfAnotherPrice(true))?.verdict).toBe('fail')
  const check = await checkOfAnotherPrice(false)
  expect([check?.verdict, check?.note?.replace(/\b[a-h]\.test/, 'a.test')]).toEqual([
    'inconclusive',
    'the price of a.test may have moved to what it was sold at; tried again, this passed',
  ])
})
