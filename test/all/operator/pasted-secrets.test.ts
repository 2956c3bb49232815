import { expect, test } from 'vitest'
import type { Activity } from '../../../src/server.ts'
import { register, SECRET } from '../../support/hooks.ts'
import { accepts, startReceiver } from '../../support/receiver.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { listen } from '../../support/stream.ts'

const TOKEN = 'token-of-the-operator'

/** Everything that the sandbox knows, a secret of another world among it. */
interface Known {
  sandbox: TestSandbox
  secrets: string[]
  told: Activity[]
}

async function started(): Promise<Known> {
  const told: Activity[] = []
  const sandbox = await startSandbox({ operatorToken: TOKEN, onActivity: (activity) => told.push(activity) })
  const operate = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${sandbox.operator?.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json')
    return { status: answer.status, headers: {}, text, json: isJson ? JSON.parse(text) : undefined }
  }
  const other = await operate('POST', '/v1/worlds', { name: 'other' })
  const hook = await startReceiver(accepts)
  await register(sandbox, hook.url)
  const mine = sandbox.credentials[0]?.secret ?? ''
  return { sandbox: { ...sandbox, operate }, told, secrets: [mine, other.json.credentials[0].secret, SECRET, TOKEN] }
}

/** The spellings in which a secret goes out by mistake. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    secret.replace(/^sk_[a-z]+_/, ''),
    secret.toUpperCase(),
    [...bytes].map((byte) => `%${byte.toString(16)}`).join(''),
    bytes.toString('hex'),
    bytes.toString('base64'),
    Buffer.from(`user:${secret}`).toString('base64url'),
    [...secret].map((character) => `\\u00${character.charCodeAt(0).toString(16)}`).join(''),
  ]
}

/** Whether a text has so much of a secret, in whichever of its spellings, that it can be used. */
function shows(text: string, secret: string): boolean {
  const plain = text.toLowerCase().replaceAll('\\\\', '\\')
  return spellings(secret)
    .map((spelling) => spelling.toLowerCase())
    .some((spelling) => plain.includes(spelling.slice(-20)) || plain.includes(JSON.stringify(spelling).slice(-21, -1)))
}

const DOMAIN = 'stalls-1.test'

/** Every place of a call and of an operator's request into which a text can be put. */
function places(sandbox: TestSandbox, pasted: string): (() => Promise<{ text: string; status: number }>)[] {
  const query = encodeURIComponent(pasted)
  const order = { domain: DOMAIN, expected_price: 100, currency: 'USD', buyer: { email: 'jo@example.test' } }
  const headers = (name: string) => ({ path: '/orders', headers: { [name]: pasted } })
  const main = '/v1/worlds/default'
  return [
    ...[
      'x-partner-key-id',
      'x-partner-nonce',
      'x-partner-timestamp',
      'x-partner-signature',
      'authorization',
      'cookie',
    ].map((name) => () => sandbox.call({ ...headers(name), undocumented: true })),
    () => sandbox.call({ path: '/orders', key: pasted, body: order }),
    () => sandbox.call({ path: `/orders?status=${query}` }),
    () => sandbox.call({ path: `/orders?${query}=1` }),
    () => sandbox.call({ path: `/orders?cursor=${query}&limit=x` }),
    () => sandbox.call({ path: `/orders/${query}` }),
    () => sandbox.call({ path: `/domains/${query}` }),
    () => sandbox.call({ path: `/availability?domain=${query}` }),
    () => sandbox.call({ path: `/${query}` }),
    () => sandbox.call({ path: '/orders', key: 'k', body: { ...order, [pasted]: 1 } }),
    () => sandbox.call({ path: '/orders', key: 'k', body: `{"${pasted}":1,"${pasted}":2}` }),
    ...['domain', 'currency', 'expected_price', 'quote_id', 'buyer', 'return_url'].map(
      (name) => () => sandbox.call({ path: '/orders', key: `k-${name}`, body: { ...order, [name]: pasted } }),
    ),
    () => sandbox.call({ path: '/orders', key: 'k-mail', body: { ...order, buyer: { email: pasted } } }),
    () => sandbox.call({ path: '/quotes', body: pasted }),
    () => sandbox.call({ method: 'PUT', path: '/api/partner/webhooks', body: { url: pasted, secret: SECRET } }),
    () => sandbox.operate('GET', `/v1/worlds/${query}`),
    () => sandbox.operate('GET', `/${query}`),
    () => sandbox.operate('GET', `${main}/requests?status=${query}`),
    () => sandbox.operate('GET', `${main}/requests?${query}=1`),
    () => sandbox.operate('GET', `${main}/orders/${query}`),
    () => sandbox.operate('GET', `${main}/stream?only=${query}`),
    () => sandbox.operate('POST', '/v1/worlds', { name: pasted }),
    () => sandbox.operate('POST', '/v1/worlds', { clock: pasted }),
    () => sandbox.operate('POST', `${main}/credentials`, { name: pasted.slice(0, 64), scopes: [pasted] }),
    () => sandbox.operate('POST', `${main}/clock/advance`, { by: pasted }),
    () => sandbox.operate('POST', `${main}/clock/advance`, { [pasted]: 1 }),
    () => sandbox.operate('PUT', `${main}/faults`, { effect: pasted }),
    () => sandbox.operate('POST', `${main}/faults`, { effect: pasted, endpoint: pasted }),
    () => sandbox.operate('PUT', `${main}/domains/${query}`, { price_cents: pasted }),
  ]
}

async function shownOf({ sandbox, told }: Known): Promise<string[]> {
  const texts = [JSON.stringify(told)]
  for (const world of ['default', 'other']) {
    const main = `/v1/worlds/${world}`
    const list = await sandbox.operate('GET', `${main}/requests?limit=1000`)
    texts.push(list.text)
    for (const { request_id } of list.json.requests) {
      texts.push((await sandbox.operate('GET', `${main}/requests/${request_id}`)).text)
    }
    for (const path of [
      '/acts',
      '/events',
      '/deliveries',
      '/coverage',
      '/coverage?format=html',
      '/faults',
      '/orders',
      '',
    ]) {
      texts.push((await sandbox.operate('GET', main + path)).text)
    }
  }
  return texts
}

test('a secret that is pasted into a wrong place is in no message, log, stream or report, however it is spelled', {
  timeout: 60_000,
}, async () => {
  const known = await started()
  const { sandbox, secrets } = known
  const stream = await listen(sandbox)
  for (const [s, secret] of secrets.entries()) {
    for (const [i, pasted] of spellings(secret).entries()) {
      // Each place gets every other spelling of a secret, and those between of the next one.
      const some = places(sandbox, pasted).filter((_place, at) => (at + i + s) % 8 === 0)
      for (const answer of await Promise.all(some.map((send) => send()))) {
        // A success gives a partner back what it stored or asked for.
        if (answer.status >= 400 && shows(answer.text, secret)) expect([pasted, answer.text]).toEqual([pasted, ''])
      }
    }
  }
  const texts = [...(await shownOf(known)), JSON.stringify(stream.heard)]
  for (const secret of secrets) {
    for (const text of texts) if (shows(text, secret)) expect([secret, text]).toEqual([secret, ''])
  }
  expect(texts.join()).toContain('[redacted]')
})
