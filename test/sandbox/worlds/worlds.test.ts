import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Credential } from '../../../src/sandbox/kernel/world.ts'
import { WorldRegistry } from '../../../src/sandbox/worlds/world-registry.ts'
import { fetchDocumented } from '../../support/documented.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { signWith } from '../../support/signer.ts'
import { castMember, testWorld } from '../../support/world.ts'

test('calls that are under way when their world is deleted are answered, later ones are refused, none is a 500', async () => {
  const sandbox = await startSandbox()
  for (let round = 0; round < 5; round++) {
    const { json: world } = await sandbox.operate('POST', '/v1/worlds', { name: `gone-${round}` })
    const [key] = world.credentials
    const read = () => {
      const call = {
        method: 'GET',
        target: '/api/partner/v1/orders',
        nonce: randomUUID(),
        timestamp: String(Math.floor(Date.now() / 1000)),
      }
      return fetchDocumented(sandbox.url + call.target, {
        headers: signWith({ keyId: key.key_id, secret: key.secret }, call).headers,
      })
    }
    const answers = Promise.all(Array.from({ length: 20 }, read))
    const deleted = sandbox.operate('DELETE', `/v1/worlds/gone-${round}`)
    expect([200, 401]).toEqual(expect.arrayContaining([...new Set((await answers).map(({ status }) => status))]))
    expect((await deleted).status).toBe(204)
    expect((await read()).status).toBe(401)
  }
})

test('two worlds share an address and nothing else', async () => {
  const sandbox = await startSandbox()
  const { json: other } = await sandbox.operate('POST', '/v1/worlds', { name: 'other', seed: 'sandbox' })
  await sandbox.sell()
  const [key] = other.credentials
  const call = {
    method: 'GET',
    target: '/api/partner/v1/orders',
    nonce: randomUUID(),
    timestamp: String(Math.floor(Date.now() / 1000)),
  }
  const answer = await fetchDocumented(sandbox.url + call.target, {
    headers: signWith({ keyId: key.key_id, secret: key.secret }, call).headers,
  })
  expect(await answer.json()).toEqual({ orders: [], next_cursor: null })
})

test('a key that one world has deleted and another one has now stays with the other', () => {
  const registry = new WorldRegistry()
  const [former, present] = [testWorld(), testWorld()]
  registry.add(former)
  const key = castMember(former, 'main')
  ;(former.credentials as Map<string, Credential>).delete(key.keyId)
  ;(present.credentials as Map<string, Credential>).set(key.keyId, key)
  registry.add(Object.assign(Object.create(present), { name: 'present' }))
  registry.recognize(former)
  expect(registry.findCredential(key.keyId)?.world.name).toBe('present')
})
