import { expect, test } from 'vitest'
import { explainPath } from '../../../src/contract/diagnosis/explain-path.ts'
import { ENDPOINT_IDS } from '../../../src/contract/endpoint-ids.ts'
import { ENDPOINTS } from '../../../src/contract/endpoints.ts'

const API = '/api/partner/v1'

test.each([
  ['PUT', `${API}/webhooks`, 'path-root', 'PUT /api/partner/webhooks'],
  ['GET', '/orders', 'path-root', `GET ${API}/orders`],
  ['GET', '/v1/orders/ord_1', 'path-root', `GET ${API}/orders/ord_1`],
  ['POST', '/api/partner/quotes', 'path-root', `POST ${API}/quotes`],
  ['GET', '/api/partner/v2/me/sales', 'path-root', `GET ${API}/me/sales`],
  ['POST', `${API}/pricing`, 'verb-wrong', `GET ${API}/pricing`],
  ['DELETE', `${API}/orders/ord_1`, 'verb-wrong', `GET ${API}/orders/ord_1`],
  ['POST', '/api/partner/webhooks', 'verb-wrong', 'PUT /api/partner/webhooks'],
  ['POST', `${API}/orders/`, 'path-slash', `POST ${API}/orders`],
  ['GET', `${API}//orders`, 'path-slash', `GET ${API}/orders`],
  ['GET', `${API}/order`, 'path-unknown', `GET ${API}/orders`],
  ['GET', `${API}/Orders`, 'path-unknown', `GET ${API}/orders`],
  ['POST', `${API}/checkout-sessions`, 'path-unknown', `POST ${API}/checkout-session`],
  ['GET', `${API}/me/comissions`, 'path-unknown', `GET ${API}/me/commissions`],
  ['GET', `${API}/domain/a.test`, 'path-unknown', `GET ${API}/domains/a.test`],
])('%s %s is explained as %s, and what was meant is named', (method, path, id, meant) => {
  const { id: named, says } = explainPath(method, path)
  expect(named).toBe(id)
  expect(says.endsWith(`: did you mean ${meant}?`)).toBe(true)
})

test('where nothing is near, nothing is guessed', () => {
  expect(explainPath('GET', '/favicon.ico').says).toBe('there is no endpoint GET /favicon.ico')
  expect(explainPath('GET', '/').says).toBe('there is no endpoint GET /')
})

test('each endpoint is found again without its root, with a slash behind it, and under a verb that it has not', () => {
  for (const id of ENDPOINT_IDS) {
    const { method, path } = ENDPOINTS[id]
    const sent = path.replaceAll(/\{\w+\}/g, 'x1')
    expect(explainPath(method, `${sent}/`).says).toContain(`did you mean ${method} ${sent}?`)
    expect(explainPath(method, sent.replace(/^\/api\/partner(?:\/v1)?/, '')).says).toContain(
      `did you mean ${method} ${sent}?`,
    )
    expect(explainPath('PATCH', sent)).toMatchObject({ id: 'verb-wrong' })
  }
})
