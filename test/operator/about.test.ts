import { expect, test } from 'vitest'
import { ENDPOINT_IDS } from '../../src/contract/endpoint-ids.ts'
import { startSandbox } from '../support/sandbox.ts'

test('says what it is, where the API is, and what it can do', async () => {
  const sandbox = await startSandbox()
  const { status, json } = await sandbox.operate('GET', '/v1')
  expect([status, json.product, json.api_url]).toEqual([200, 'partner-sandbox', sandbox.url])
  expect(Math.abs(Date.now() - Date.parse(json.started_at))).toBeLessThan(60_000)
  expect(json.version).toMatch(/^\d+\.\d+\.\d+/)
  expect(json.operations).toContain('POST /v1/worlds/{w}/clock/advance')
  const nowhere = 'no such endpoint; GET /v1 lists them, and the console is at / in a browser'
  expect((await sandbox.operate('GET', '/')).json.detail).toBe(nowhere)
})

test('every endpoint that it lists is there', async () => {
  const sandbox = await startSandbox()
  const { json } = await sandbox.operate('GET', '/v1')
  expect(json.partner_endpoints.map(({ id }: { id: string }) => id)).toEqual(ENDPOINT_IDS)
  for (const { id, method, path } of json.partner_endpoints) {
    const target = path.replace(/\{\w+\}/, 'stalls-1.test')
    const answer = await sandbox.call({ method, path: target, ...(method === 'GET' ? {} : { body: {} }) })
    expect([id, answer.json.message]).not.toEqual([id, 'no such endpoint'])
  }
})

test('every operation that it claims is there', async () => {
  const sandbox = await startSandbox()
  const { json } = await sandbox.operate('GET', '/v1')
  for (const operation of json.operations) {
    const [method, path] = operation.split(' ')
    // A stream has no end, so it is asked for what it refuses.
    const query = path.endsWith('/stream') ? '?only=none' : ''
    const target = path.replace('{w}', 'default').replace(/\{\w+\}/, 'none') + query
    const answer = await sandbox.operate(method, target, method === 'GET' || method === 'DELETE' ? undefined : {})
    expect([operation, answer.json?.detail]).not.toEqual([operation, expect.stringMatching(/^no such endpoint/)])
  }
})

test('a query or a body where none is taken is 400', async () => {
  const sandbox = await startSandbox()
  expect((await sandbox.operate('GET', '/v1?verbose=1')).json.detail).toBe('this takes no query')
  expect((await sandbox.operate('POST', '/v1/worlds/default/settlement-runs', { all: true })).json.detail).toBe(
    'this takes no body',
  )
})
