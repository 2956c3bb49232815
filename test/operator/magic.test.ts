import { expect, test } from 'vitest'
import { MAGIC_BUYERS } from '../../src/sandbox/checkout/payments.ts'
import { MAGIC_KINDS } from '../../src/sandbox/inventory/magic.ts'
import { startSandbox } from '../support/sandbox.ts'

interface Entry {
  pattern: string
  example: string
  does: string
  acts: string
  on: string
}

test('lists every magic domain and buyer with what it does, when, and on what', async () => {
  const sandbox = await startSandbox()
  const { status, json } = await sandbox.operate('GET', '/v1/magic')
  expect(status).toBe(200)
  expect(json.domains.map(({ pattern }: Entry) => pattern)).toEqual(MAGIC_KINDS.map((kind) => `${kind}-N.test`))
  expect(json.buyers.map(({ pattern }: Entry) => pattern)).toEqual(MAGIC_BUYERS.map((tag) => `+${tag}`))
  for (const entry of [...json.domains, ...json.buyers] as Entry[]) {
    expect(Object.keys(entry).sort()).toEqual(['acts', 'does', 'example', 'on', 'pattern'])
    expect(['once', 'always']).toContain(entry.acts)
    expect(entry.does).toMatch(/^[A-Z].+\.$/)
  }
})

test('every example that it gives is listed for sale, or sold', async () => {
  const sandbox = await startSandbox()
  const { json } = await sandbox.operate('GET', '/v1/magic')
  for (const { example } of json.domains as Entry[]) {
    const domain = await sandbox.operate('GET', `/v1/worlds/default/domains/${example}`)
    expect([example, domain.status, domain.json.listed]).toEqual([example, 200, true])
  }
})
