import { describe, expect, it } from 'vitest'
import { type Made, runOf } from './failing-run.ts'
import { REPORTERS } from './rendering.ts'
import { INVOCATION } from './sample-run.ts'

const options = { color: false, invocation: INVOCATION }

const headlineOf = (made: Made) => REPORTERS.pretty.render(runOf({ 'orders/one': [made] }), options).split('\n')[1]
const settled = (actual: string, expected: string) => headlineOf({ actual, expected, call: { speaker: 'target' } })

describe('the line of a requirement that failed', () => {
  it('has all of the value that came, and of what was expected the part that is about it', () => {
    const expected =
      'the number of events is 1; each of the events: data.order.status is SETTLED, data.order.domain is rusticfalcon.io, data.order.sale_price_cents is 581294, data.order.currency is EUR'
    expect(settled('number 1 of 1 events: data.order.sale_price_cents is 508632', expected)).toBe(
      '  NONCE-01  1 check  number 1 of 1 events: data.order.sale_price_cents is 508632; expected data.order.sale_price_cents is 581294',
    )
    expect(
      settled(
        'number 1 of 2 deliveries: created_at is 2027-06-19T16:40:40.183+02:00',
        'each of the deliveries: delivery.in_history is true, created_at is 2027-06-19T14:40:40.183000Z',
      ),
    ).toContain('created_at is 2027-06-19T16:40:40.183+02:00; expected created_at is 2027-06-19T14:40:40.183000Z')
  })

  it('says only what should not be there, where that is it', () => {
    const expected = 'none of orders.items: order.public_id is ord_1'
    expect(settled('number 2 of 2 orders.items should not be there: order.public_id is ord_1', expected)).toMatch(
      /ord_1$/,
    )
  })

  it('cuts what was expected first, and between two words', () => {
    const words = 'what was asked for and is told at length '.repeat(10)
    const line = settled(`came ${words.slice(0, 150)}end`, `refused ${words}`) ?? ''
    expect(line).toContain('end; expected refused what was ')
    expect(line.length).toBeLessThan(280)
    expect(line).toMatch(/ …$/)
    expect(settled('x'.repeat(300), 'y'.repeat(300))).toMatch(/ x{199}…; expected y{59}…$/)
  })

  it('has the method and the path of the call, as the document has it', () => {
    const at = (method: string, target: string) =>
      /1 check {2}(.*): came/.exec(headlineOf({ actual: 'came', call: { method, target } }) ?? '')?.[1]
    expect(at('GET', '/api/partner/v1/orders/ord_01m8p9npesqgysm0ny3rb7zsgg')).toBe('GET /orders/{public_id}')
    expect(at('GET', '/under/api/partner/v1/domains/search?q=a')).toBe('GET /domains/search?q=a')
    expect(at('PUT', '/api/partner/webhooks')).toBe('PUT /webhooks')
    expect(at('GET', `/api/partner/v1/orders?domain=a.test&created_after=${'1'.repeat(80)}`)).toBe(
      'GET /orders?domain&created_after',
    )
    expect(at('GET', '/pay/cs_1')).toBe('GET /pay/cs_1')
  })
})

it('the message of JUnit has the call, and its text the title of the scenario or of the row of it', () => {
  const xml = REPORTERS.junit.render(
    runOf({ 'scopes/opens[orders.detail]': [{ expected: 'accepted', actual: '403' }] }),
    options,
  )
  expect(xml).toContain('message="GET /availability?domain=a.test: expected accepted, got 403"')
  expect(xml).toContain('\nscenario: Title of scopes/opens[orders.detail]\n')
})
