import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { handedCredentials, randomKeys } from '../../../../src/sandbox/kernel/credentials.ts'
import type { Resolve } from '../../../../src/sandbox/kernel/world.ts'
import type { WorldOptions } from '../../../../src/sandbox/worlds/world-options.ts'
import { SECRET } from '../../../support/hooks.ts'
import { SMALL_WORLD, startApi } from '../../../support/partner-api.ts'

interface Put {
  as?: string
  body?: unknown
  key?: { keyId: string; secret: string }
  nonce?: string
}

/** A partner API whose names are resolved by the test, and what it was asked to resolve. */
async function startResolving(hosts: string, resolve: Resolve, world: Partial<WorldOptions> = {}) {
  const asked: string[] = []
  const noted: Resolve = (name, done) => {
    asked.push(name)
    resolve(name, done)
  }
  const api = await startApi({ hosts, resolve: noted, world })
  const put = (url: string, { body, ...more }: Put = {}) =>
    api.call({ method: 'PUT', target: '/api/partner/webhooks', body: body ?? { url, secret: SECRET }, ...more })
  return { ...api, put, asked }
}

function standsFor(...addresses: string[]): Resolve {
  return (_name, done) =>
    setImmediate(() =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
    )
}

const unknown: Resolve = (_name, done) =>
  setImmediate(() => done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []))

const NAME = 'http://hooks.example.test:8080/hook'

test('a name that stands for a place where webhooks may not go is refused, and its address is not told', async () => {
  for (const addresses of [['93.184.215.14'], ['127.0.0.1', '10.0.0.1'], ['::1', '169.254.169.254']]) {
    const { put, asked, worlds } = await startResolving('loopback', standsFor(...addresses))
    const { status, json } = await put(NAME)
    expect([status, json['code'], json['message']]).toEqual([
      400,
      'validation_error',
      'url is not allowed: webhooks may not be sent to what hooks.example.test stands for; --webhook-hosts allows loopback',
    ])
    expect(asked).toEqual(['hooks.example.test'])
    const logged = worlds.main.log.latest()
    expect(logged).toHaveLength(1)
    expect(logged[0]!.call.detail).toContain(addresses.at(-1))
  }
})

test('a name all of whose addresses are allowed is registered', async () => {
  const loopback = await startResolving('loopback', standsFor('127.0.0.1', '::1'))
  expect((await loopback.put(NAME)).status).toBe(200)
  const listed = await startResolving('loopback,hooks.example.test', standsFor('93.184.215.14'))
  expect((await listed.put(NAME)).status).toBe(200)
})

test('a name that cannot be resolved is refused, unless --webhook-hosts lists it', async () => {
  for (const resolve of [unknown, standsFor()]) {
    const { put } = await startResolving('any', resolve)
    const { status, json } = await put(NAME)
    expect([status, json['code'], json['message']]).toEqual([
      400,
      'validation_error',
      'url is not allowed: hooks.example.test could not be resolved; --webhook-hosts would have to list that name',
    ])
    const listed = await startResolving('loopback,hooks.example.test', resolve)
    expect((await listed.put(NAME)).status).toBe(200)
  }
})

test('a resolver that never answers is not waited for without end, and nobody else waits', async () => {
  const { put } = await startResolving('loopback', () => {})
  const ended: string[] = []
  const waiting = put(NAME).finally(() => ended.push('the name'))
  const beside = put('http://127.0.0.1:9/hook').finally(() => ended.push('the address'))
  expect([(await beside).status, (await waiting).json['message']]).toEqual([
    200,
    expect.stringContaining('could not be resolved'),
  ])
  expect(ended).toEqual(['the address', 'the name'])
})

test('addresses and localhost need no resolving', async () => {
  const { put, asked } = await startResolving('loopback', unknown)
  for (const host of ['127.0.0.1', '[::1]', 'localhost', 'LOCALHOST.', 'hooks.localhost']) {
    expect([host, (await put(`http://${host}:8080/hook`)).status]).toEqual([host, 200])
  }
  expect((await put('http://10.0.0.1/hook')).status).toBe(400)
  expect(asked).toEqual([])
})

test('nothing is resolved for who is not let in, nor for a request that is refused anyway', async () => {
  const { put, asked, cast } = await startResolving('loopback', unknown, { rateLimit: { requests: 4, seconds: 600 } })
  const { keyId } = cast[0]!
  const codes = [
    await put(NAME, { key: { keyId, secret: 'another secret' } }),
    await put(NAME, { as: 'only-buy' }),
    await put(NAME, { body: { url: NAME } }),
    await put(NAME, { body: { url: NAME, secret: `${SECRET}\n` } }),
  ].map(({ json }) => json['code'])
  expect(codes).toEqual(['invalid_signature', 'forbidden', 'validation_error', 'validation_error'])
  expect(asked).toEqual([])
  const nonce = randomUUID()
  await put(NAME, { nonce })
  expect((await put(NAME, { nonce })).json['code']).toBe('replay_detected')
  expect((await put('http://127.0.0.1/')).status).toBe(200)
  expect((await put(NAME)).json['code']).toBe('rate_limited')
  expect(asked).toEqual(['hooks.example.test'])
})

test('a registration whose world is deleted meanwhile is answered like any call of an unknown key', async () => {
  let told: (answer: () => void) => void
  const whenAsked = new Promise<() => void>((resolve) => {
    told = resolve
  })
  const { put, worlds } = await startResolving('loopback', (_name, done) => {
    told(() => done(null, [{ address: '127.0.0.1', family: 4 }]))
  })
  const world = await worlds.create('short', SMALL_WORLD, randomKeys)
  const main = handedCredentials(world).find(({ name }) => name === 'main')!
  const waiting = put(NAME, { key: { keyId: main.key_id, secret: main.secret } })
  const answer = await whenAsked
  worlds.delete('short')
  answer()
  const { status, json } = await waiting
  expect([status, json['code']]).toEqual([401, 'invalid_signature'])
})
