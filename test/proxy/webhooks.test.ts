import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { signCall, signWebhook } from '../../src/contract/signature.ts'
import { createOperatorClient } from '../../src/operator-api/client.ts'
import { startProxy } from '../../src/proxy/start-proxy.ts'
import { listening } from '../support/listening.ts'

const KEY = { keyId: 'pk_test_1', secret: 'sk_test_abcdefghijklmnopqrstuvwxyz' }
const SECRET = 'a-webhook-secret-of-mine'

/** A proxy with a port for deliveries, and a receiver behind it. */
async function withWebhooks() {
  const received: { target: string; signature: unknown; body: string }[] = []
  const receiver = await listening(
    createServer((request, response) => {
      let body = ''
      request.setEncoding('latin1')
      request.on('data', (chunk) => (body += chunk))
      request.on('end', () => {
        received.push({ target: request.url ?? '', signature: request.headers['x-partner-signature'], body })
        response.writeHead(204).end()
      })
    }),
  )
  const target = await listening(createServer((_request, response) => response.writeHead(200).end('{}')))
  const proxy = await startProxy({
    target,
    credentials: [{ name: 'main', ...KEY, scopes: null, partner: 'main' }],
    port: 0,
    operatorPort: 0,
    webhooks: { port: 0, receiver, secret: null },
  })
  const client = createOperatorClient(proxy.operator)
  onTestFinished(async () => {
    client.close()
    await proxy.close()
  })
  const latest = async (calls: number) => {
    await expect.poll(async () => (await client.call('requests.list', { w: 'default' })).requests.length).toBe(calls)
    return (await client.call('requests.list', { w: 'default' })).requests[0]
  }
  return { proxy, received, latest, client }
}

function deliver(url: string | null, body: string, secret: string) {
  const signature = signWebhook(secret, Buffer.from(body))
  return fetch(`${url}/hooks?tenant=1`, { method: 'POST', headers: { 'X-Partner-Signature': signature }, body })
}

it('deliveries go on unchanged, and are verified with the secret of the registration that passed through', async () => {
  const { proxy, received, latest, client } = await withWebhooks()
  const body = '{ "id":"evt_1", "type":"order.recorded" }'
  expect((await deliver(proxy.webhooksUrl, body, SECRET)).status).toBe(204)
  expect(received).toEqual([{ target: '/hooks?tenant=1', signature: signWebhook(SECRET, Buffer.from(body)), body }])
  expect((await latest(1))?.findings?.[0]).toMatch(/the secret is unknown and the signature was not checked/)

  const registration = Buffer.from(JSON.stringify({ url: `${proxy.webhooksUrl}/hooks`, secret: SECRET }))
  const call = { method: 'PUT', target: '/api/partner/webhooks', body: registration, nonce: 'n-1' }
  const { headers } = signCall(KEY, { ...call, timestampSeconds: Math.floor(Date.now() / 1_000) })
  const sent = { method: 'PUT', headers: { ...headers, 'content-type': 'application/json' }, body: registration }
  await fetch(proxy.url + call.target, sent)
  await latest(2)

  await deliver(proxy.webhooksUrl, body, SECRET)
  const right = await latest(3)
  expect(right).toMatchObject({ method: 'POST', status: 204, findings: ['Delivery: the signature is right.'] })
  await deliver(proxy.webhooksUrl, body, KEY.secret)
  expect((await latest(4))?.findings?.[0]).toMatch(/^Delivery: the signature is wrong\. /)
  await deliver(proxy.webhooksUrl, body, SECRET)
  await latest(5)
  const { sections } = await client.call('coverage.show', { w: 'default' })
  const states = sections.find(({ id }) => id === 'webhooks')?.rows.map(({ id, state }) => [id, state])
  expect(states).toEqual([
    ['accepted', 'met'],
    ['twice', 'met'],
    ['later', 'not_met'],
  ])
  const shown = JSON.stringify(await client.call('requests.find', { request_id: right?.request_id ?? '' }))
  expect(shown).not.toContain(signWebhook(SECRET, Buffer.from(body)))
  expect(shown).not.toContain(SECRET)

  const note = JSON.stringify({ note: `the secret is ${SECRET}` })
  await fetch(`${proxy.url}/api/partner/v1/quotes`, { method: 'POST', body: note })
  const { request } = await client.call('requests.find', { request_id: (await latest(6))?.request_id ?? '' })
  expect(request).toMatchObject({ body: '{"note":"the secret is [redacted]"}', body_bytes: note.length })
})

it('a delivery waits for a receiver that is away as it would without the proxy', async () => {
  const credentials = [{ name: 'main', ...KEY, scopes: null, partner: 'main' }]
  const webhooks = { port: 0, receiver: 'http://127.0.0.1:1', secret: SECRET }
  const proxy = await startProxy({ target: 'http://127.0.0.1:1', credentials, port: 0, operatorPort: 0, webhooks })
  onTestFinished(proxy.close)
  expect((await deliver(proxy.webhooksUrl, '{}', SECRET)).status).toBe(502)
})
