import { expect, it, onTestFinished } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { paramName, paramValue } from '../../src/conformance/context/params.ts'
import { closeRun, openRun } from '../../src/conformance/engine/open-run.ts'
import { registry } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

/** The name that is found for the beginning of a window, where a list is as this says for a value of the parameter `after`. */
async function nameOfFrom(salesAfter: (after: string) => readonly unknown[]) {
  const target = await scriptedTarget(
    (request, response) => {
      const after = new URL(request.url ?? '/', 'http://target.test').searchParams.get('after')
      answerJson(response, 200, { sales: after === null ? SALES : salesAfter(after) })
    },
    { credentials: [{ name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: ['report'] }] },
  )
  const run = openRun({ target, scenarios: [], registry, wall: wallClock, toolVersion: '0' }, new Map())
  onTestFinished(() => closeRun(run))
  return paramName(run, 'me.sales', 'from').catch(() => null)
}

const SALES = [{ domain: 'a.test', amount_cents: 1000 }]

it('a parameter is a filter by dates if a late one leaves nothing and an early one leaves something', async () => {
  expect(await nameOfFrom((after) => (after > '2026' ? [] : SALES))).toBe('after')
})

it('a parameter that empties a list whatever it says is no filter by dates: it may be a cursor', async () => {
  expect(await nameOfFrom(() => [])).toBe(null)
})

it('a filter by domain may have the name that the domain has in the bodies', async () => {
  const order = { public_id: 'ord_1', domain: 'a.test', status: 'SETTLED', sale_price_cents: 100, currency: 'USD' }
  const target = await scriptedTarget((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://target.test')
    answerJson(response, 200, {
      orders: [undefined, 'a.test'].includes(searchParams.get('d') ?? undefined) ? [order] : [],
    })
  })
  const run = openRun({ target, scenarios: [], registry, wall: wallClock, toolVersion: '0' }, new Map())
  onTestFinished(() => closeRun(run))
  await expect(paramName(run, 'orders.list', 'domain')).rejects.toThrow('no name was found')
  run.dialect.bodies.set('quotes.create quote', Promise.resolve({ d: '${domain}' }))
  expect(await paramName(run, 'orders.list', 'domain')).toBe('d')
})

it('a filter under which no domain leaves anything is not one by domain', async () => {
  const order = { public_id: 'ord_1', domain: 'a.test', status: 'SETTLED', sale_price_cents: 100, currency: 'USD' }
  const target = await scriptedTarget((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://target.test')
    const isAsked = (searchParams.get('name') ?? 'Ada') === 'Ada' && (searchParams.get('fqdn') ?? 'a.test') === 'a.test'
    answerJson(response, 200, { orders: isAsked ? [order] : [] })
  })
  const run = openRun({ target, scenarios: [], registry, wall: wallClock, toolVersion: '0' }, new Map())
  onTestFinished(() => closeRun(run))
  expect(await paramName(run, 'orders.list', 'domain')).toBe('fqdn')
})

it('a filter by dates may have the key of the time, with a comparison in brackets, and take Unix times', async () => {
  const order = { public_id: 'ord_1', domain: 'a.test', status: 'SETTLED', sale_price_cents: 100, currency: 'USD' }
  const target = await scriptedTarget((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://target.test')
    const after = searchParams.get('created[gte]') ?? '0'
    if (/^\d+$/.test(after))
      answerJson(response, 200, { orders: Number(after) > 2e9 ? [] : [{ ...order, created: 1_790_000_000 }] })
    else answerJson(response, 400, { code: 'validation_error', message: 'not a Unix time' })
  })
  const run = openRun({ target, scenarios: [], registry, wall: wallClock, toolVersion: '0' }, new Map())
  onTestFinished(() => closeRun(run))
  expect(await paramName(run, 'orders.list', 'from')).toBe('created[gte]')
  expect(await paramValue(run, 'orders.list', 'from', '2026-01-01T00:00:00Z')).toBe('1767225600')
})

it.each([
  [true, '1767225600000'],
  [false, '2026-01-01T00:00:00Z'],
])('a service that counts milliseconds is asked so, if there is something to filter (%s)', async (isFilled, sent) => {
  const order = { public_id: 'ord_1', domain: 'a.test', status: 'SETTLED', sale_price_cents: 100, currency: 'USD' }
  const target = await scriptedTarget((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://target.test')
    const after = Number(searchParams.get('start_time') ?? 0)
    answerJson(response, 200, { orders: isFilled && !(after > 1_790_000_000_000) ? [order] : [] })
  })
  const run = openRun({ target, scenarios: [], registry, wall: wallClock, toolVersion: '0' }, new Map())
  onTestFinished(() => closeRun(run))
  run.dialect.add({ params: { 'orders.from': 'start_time' } })
  expect(await paramValue(run, 'orders.list', 'from', '2026-01-01T00:00:00Z')).toBe(sent)
  expect(run.dialect.dateForms.size).toBe(isFilled ? 1 : 0)
})

it('a service that takes days is asked so, though a day that is still to come is after the end that it reckons with', async () => {
  const order = { public_id: 'ord_1', domain: 'a.test', status: 'SETTLED', sale_price_cents: 100, currency: 'USD' }
  const target = await scriptedTarget((request, response) => {
    const from = new URL(request.url ?? '/', 'http://target.test').searchParams.get('from') ?? '2000-01-01'
    const refused = !/^\d{4}-\d\d-\d\d$/.test(from) ? 'from has to be a day' : from > '2990' ? 'from is after to' : null
    if (refused === null) answerJson(response, 200, { orders: [order] })
    else answerJson(response, 400, { code: 'validation_error', message: refused })
  })
  const run = openRun({ target, scenarios: [], registry, wall: wallClock, toolVersion: '0' }, new Map())
  onTestFinished(() => closeRun(run))
  run.dialect.add({ params: { 'orders.from': 'from' } })
  expect(await paramValue(run, 'orders.list', 'from', '2026-01-01T12:00:00Z')).toBe('2026-01-01')
})

it('a parameter may have a name that the refusal of another one gives', async () => {
  const order = { public_id: 'ord_1', domain: 'a.test', status: 'SETTLED', sale_price_cents: 100, currency: 'USD' }
  const target = await scriptedTarget((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://target.test')
    const [unknown] = [...searchParams.keys()].filter((key) => key !== 'sold_after_or_on')
    if (unknown === undefined) {
      const after = searchParams.get('sold_after_or_on') ?? ''
      answerJson(response, 200, { orders: after > '2026' ? [] : [order] })
    } else
      answerJson(response, 400, {
        code: 'validation_error',
        message: `${unknown}: unknown parameter; known are status, sold_after_or_on.`,
      })
  })
  const run = openRun({ target, scenarios: [], registry, wall: wallClock, toolVersion: '0' }, new Map())
  onTestFinished(() => closeRun(run))
  expect(await paramName(run, 'orders.list', 'from')).toBe('sold_after_or_on')
})
