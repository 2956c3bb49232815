import { expect, test } from 'vitest'
import { randomKeys } from '../../../src/sandbox/kernel/credentials.ts'
import type { Credential } from '../../../src/sandbox/kernel/world.ts'
import { Worlds } from '../../../src/sandbox/worlds/worlds.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { castMember, testServerParts } from '../../support/world.ts'

/** Reads the orders of a world that an operator has made. */
function ordersOf(sandbox: TestSandbox, { credentials: [key] }: { credentials: { key_id: string; secret: string }[] }) {
  const { key_id, secret } = key!
  return sandbox.call({ path: '/orders', headers: { 'X-Partner-Key-Id': key_id }, signs: { secret } })
}

test('calls that are under way when their world is deleted are answered, later ones are refused, none is a 500', async () => {
  const sandbox = await startSandbox()
  for (let round = 0; round < 5; round++) {
    const { json: world } = await sandbox.operate('POST', '/v1/worlds', { name: `gone-${round}` })
    const answers = Promise.all(Array.from({ length: 20 }, () => ordersOf(sandbox, world)))
    const deleted = sandbox.operate('DELETE', `/v1/worlds/gone-${round}`)
    expect([200, 401]).toEqual(expect.arrayContaining([...new Set((await answers).map(({ status }) => status))]))
    expect((await deleted).status).toBe(204)
    expect((await ordersOf(sandbox, world)).status).toBe(401)
  }
})

test('a key that one world has deleted and another one has now stays with the other', async () => {
  const first = { seed: 'test', inventory: 0, clockMs: null, frozen: false, rateLimit: null }
  const worlds = new Worlds({ ...testServerParts(), dataDir: null, first, firstKeys: randomKeys })
  const [former, present] = [worlds.main, await worlds.create('present', first, randomKeys)]
  const key = castMember(former, 'main')
  ;(former.credentials as Map<string, Credential>).delete(key.keyId)
  expect(worlds.findCredential(key.keyId)).toBeNull()
  ;(present.credentials as Map<string, Credential>).set(key.keyId, key)
  expect(worlds.findCredential(key.keyId)?.world.name).toBe('present')
})
