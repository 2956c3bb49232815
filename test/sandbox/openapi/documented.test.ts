import { describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../../../src/contract/endpoints.ts'
import { deliveryExample } from '../../../src/sandbox/openapi/webhooks.ts'
import { expectDocumented, expectDocumentedDelivery, type SeenAnswer } from '../../support/documented.ts'

const PRICING = ENDPOINTS.pricing.example.answer
const REFUSAL = { code: 'not_found', message: 'it is not listed', request_id: 'req_1' }

function seen(changes: Partial<SeenAnswer> & { body?: unknown } = {}): SeenAnswer {
  const { body = PRICING, ...rest } = changes
  return {
    method: 'GET',
    target: '/api/partner/v1/pricing?domain=a.test',
    status: 200,
    headers: { 'content-type': 'application/json', 'x-request-id': 'req_1' },
    text: JSON.stringify(body),
    ...rest,
  }
}

const { currency: _currency, ...withoutCurrency } = PRICING

describe('an answer that the document does not have', () => {
  it.each<[string, SeenAnswer, string]>([
    ['another status', seen({ status: 204 }), 'the status is not among 200, 400, 401, 403, 404, 429, 500'],
    ['a further field', seen({ body: { ...PRICING, secret: 1 } }), '"additionalProperty":"secret"'],
    ['a missing field', seen({ body: withoutCurrency }), "must have required property 'currency'"],
    ['a field of another type', seen({ body: { ...PRICING, currency: null } }), '/currency must be string'],
    ['a text of another form', seen({ body: { ...PRICING, currency: 'usd' } }), '/currency must match pattern'],
    ['a body that is not JSON', seen({ text: '<html>' }), 'the body is not JSON'],
    ['a code that does not go with the status', seen({ status: 403, body: REFUSAL }), '/code must be equal to one of'],
    ['an error body with a further field', seen({ status: 404, body: { ...REFUSAL, stack: '' } }), '"stack"'],
    ['a further header', seen({ headers: { ...seen().headers, server: 'x' } }), 'the header server is not documented'],
    ['no request id', seen({ headers: {} }), 'the header x-request-id is missing'],
    ['a 429 without Retry-After', seen({ status: 429, body: REFUSAL }), 'the header retry-after is missing'],
    ['something at an unknown path', seen({ target: '/api/partner/v1/nothing' }), 'it must be refused'],
    ['a refusal there without a code', seen({ target: '/api/partner/v1/x', status: 404, body: {} }), "'code'"],
    ['something for an unknown verb', seen({ method: 'DELETE' }), 'it must be refused'],
  ])('is found by its tests: %s', (_what, answer, complaint) => {
    expect(() => expectDocumented(answer)).toThrow(complaint)
  })

  it('is told with verb, target and status', () => {
    expect(() => expectDocumented(seen({ status: 204 }))).toThrow(
      'undocumented answer: GET /api/partner/v1/pricing?domain=a.test 204: ',
    )
  })

  it('is none where all is well', () => {
    expectDocumented(seen())
    expectDocumented(seen({ status: 404, body: REFUSAL }))
    expectDocumented(seen({ target: '/api/partner/v1/nothing', status: 404, body: REFUSAL }))
  })
})

describe('a delivery that the document does not have', () => {
  const delivery = deliveryExample('order.settled') as Record<string, unknown>

  it.each<[string, unknown, string]>([
    ['of an unknown type', { ...delivery, type: 'order.lost' }, 'no webhook is called order.lost'],
    ['without its owner', { ...delivery, partner_id: undefined }, "'partner_id'"],
    ['with a further field', { ...delivery, attempt: 2 }, '"attempt"'],
    ['with the data of another type', { ...delivery, data: { case: {} } }, "must have required property 'order'"],
    ['with a time without milliseconds', { ...delivery, created_at: '2026-01-01T00:00:00Z' }, '/created_at must match'],
  ])('is found: %s', (_what, body, complaint) => {
    expect(() => expectDocumentedDelivery(Buffer.from(JSON.stringify(body)))).toThrow(complaint)
  })
})
