import { test } from 'partner-sandbox/vitest'
import { expect } from 'vitest'

// Run by ../vitest-fixture.test.ts, which expects these to fail with a report, or to pass side by side.
const inWorld = test.extend({ worldOptions: { seed: 'of the failure', frozen: true } })

inWorld('a test that fails', async ({ world }) => {
  const { status } = await world.as('only-search').call('POST', '/quotes', { domain: 'stalls-1.test' })
  expect(status).toBe(201)
})

inWorld('a test whose signature is wrong', async ({ fileWorld }) => {
  const { status } = await fileWorld.call('GET', '/orders', undefined, {
    headers: { 'X-Partner-Signature': `v1=${'0'.repeat(64)}` },
  })
  expect(status).toBe(200)
})

inWorld('a test that passes', async ({ fileWorld, world, sandbox }) => {
  expect(fileWorld.name).not.toBe(world.name)
  expect((await sandbox.worlds()).map(({ world: name }) => name)).toContain(world.name)
  expect((await fileWorld.requests.all()).map(({ status }) => status)).toEqual([401])
})

inWorld('a test that deletes its world', async ({ world, sandbox }) => {
  expect(await sandbox.worlds()).toHaveLength(3)
  await world.delete()
})
