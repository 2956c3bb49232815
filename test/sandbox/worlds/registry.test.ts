import { expect, test } from 'vitest'
import type { Credential } from '../../../src/sandbox/kernel/world.ts'
import { WorldRegistry } from '../../../src/sandbox/worlds/world-registry.ts'
import { castMember, testWorld } from '../../support/world.ts'

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
