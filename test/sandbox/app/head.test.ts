import { expect, test } from 'vitest'
import { ENDPOINT_IDS } from '../../../src/contract/endpoint-ids.ts'
import { ENDPOINTS } from '../../../src/contract/endpoints.ts'
import { OPERATION_IDS, operationOf } from '../../../src/operator-api/operations.ts'
import { sandboxOfFile } from '../../support/sandbox.ts'

const shared = sandboxOfFile({ frozen: true })

const QUERIES: Readonly<Record<string, string>> = {
  'domains.search': '?q=solar',
  availability: '?domain=sunwatt.test',
  pricing: '?domain=sunwatt.test',
  'brokerage.eligibility': '?domain=sunwatt.test',
}
const PARAMS: Readonly<Record<string, string>> = { name: 'sunwatt.test', public_id: 'ord_none', case_id: 'brk_none' }

const READS = ENDPOINT_IDS.filter((id) => ENDPOINTS[id].method === 'GET').map(
  (id) => ENDPOINTS[id].path.replace(/\{(\w+)\}/g, (_, name: string) => PARAMS[name] ?? name) + (QUERIES[id] ?? ''),
)

test.for(READS)('HEAD %s is answered as GET is, without a body (CANON-08)', async (path) => {
  const got = await shared.call({ path })
  const head = await shared.call({ method: 'HEAD', path, undocumented: true })
  expect([head.status, head.text, head.headers['content-type']]).toEqual([got.status, '', got.headers['content-type']])
  expect(head.headers['content-length']).toBe(got.headers['content-length'])
})

test('a HEAD that was signed as GET is refused', async () => {
  const path = '/availability?domain=sunwatt.test'
  const head = await shared.call({ method: 'HEAD', path, signs: { method: 'GET' }, undocumented: true })
  expect([head.status, head.text]).toEqual([401, ''])
})

test('the log shows a HEAD by its verb, and no body of its answer', async () => {
  const head = await shared.call({ method: 'HEAD', path: '/payouts', undocumented: true })
  const { json } = await shared.operate('GET', `/v1/requests/${head.headers['x-request-id']}`)
  expect([json.method, json.endpoint, json.status, json.answer.body]).toEqual(['HEAD', 'payouts.list', 200, ''])
})

test('a HEAD of a write leads nowhere', async () => {
  const head = await shared.call({ method: 'HEAD', path: '/orders/none/none', undocumented: true })
  expect(head.status).toBe(404)
  expect((await shared.call({ method: 'HEAD', path: '/quotes', undocumented: true })).status).toBe(404)
})

const STREAM = '/v1/worlds/default/stream'
const OPERATOR_READS = OPERATION_IDS.map(operationOf)
  .filter(
    ({ method, path }) =>
      method === 'GET' && !path.replace('{w}', '').includes('{') && path !== STREAM.replace('default', '{w}'),
  )
  .map(({ path }) => path.replace('{w}', 'default'))

test.for(OPERATOR_READS)('HEAD %s of the operator port is answered as GET is, without a body', async (path) => {
  const [got, head] = await Promise.all(
    ['GET', 'HEAD'].map((method) => fetch(`${shared.operator?.url}${path}`, { method })),
  )
  expect([head?.status, await head?.text()]).toEqual([got?.status, ''])
  expect(head?.headers.get('content-type')).toBe(got?.headers.get('content-type'))
})

test('HEAD of a stream ends, and HEAD /healthz is 200', async () => {
  const [stream, health] = await Promise.all(
    [`${shared.operator?.url}${STREAM}`, `${shared.url}/healthz`].map((url) => fetch(url, { method: 'HEAD' })),
  )
  expect([stream?.status, await stream?.text(), stream?.headers.get('content-type')]).toEqual([
    ...[200, ''],
    'text/event-stream; charset=utf-8',
  ])
  expect([health?.status, health?.headers.get('content-length')]).toEqual([200, '15'])
})
