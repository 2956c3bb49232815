import { expect, it } from 'vitest'
import { OPERATION_IDS, operationOf } from '../../src/operator-api/operations.ts'
import { cli } from '../cli/run.ts'

it('no two operations have the same verb and path', () => {
  const routes = OPERATION_IDS.map((id) => `${operationOf(id).method} ${operationOf(id).path}`)
  expect(new Set(routes).size).toBe(routes.length)
})

it('every command that a row names is in the help of its group, with its flags', async () => {
  const rows = OPERATION_IDS.flatMap((id) => operationOf(id).commands ?? [])
  expect(rows.length).toBeGreaterThan(30)
  for (const { usage, flags } of rows) {
    const words = usage.split(' ').filter((word) => /^[a-z-]+$/.test(word))
    const { code, out } = await cli([...words, '--help'])
    expect([usage, code]).toEqual([usage, 0])
    expect(out).toContain(`Usage: partner-sandbox ${words.join(' ')} `)
    for (const [flag] of Object.values(flags ?? {}) as [string][]) expect(out).toContain(flag)
  }
})
