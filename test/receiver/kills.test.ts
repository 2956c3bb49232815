import { describe, expect, it } from 'vitest'
import { BROKEN_RECEIVERS, DEGENERATE_RECEIVERS } from './broken-receivers.ts'
import { judge, REGISTRY, violated } from './judge.ts'

describe('a receiver that', () => {
  it.each(BROKEN_RECEIVERS.map((one) => [one.mistake, one] as const))(
    '%s is non-conforming, for a reason that says so',
    async (_, { handle, violates, deadlineMs, countsEffects, only }) => {
      const result = await judge(handle(), {
        ...(deadlineMs === undefined ? {} : { deadlineMs }),
        ...(countsEffects ? { countsEffects } : {}),
        ...(only ? { only } : {}),
      })
      expect(result.verdict).toBe('non_conforming')
      expect(violated(result).filter((id) => violates.includes(id))).not.toEqual([])
      expect(result.summary.checks.harness_error).toBe(0)
    },
    30_000,
  )

  it.each(Object.entries(DEGENERATE_RECEIVERS))(
    '%s is non-conforming',
    async (_, handle) => {
      const result = await judge(handle(), { timeoutMs: 500, deadlineMs: 400 })
      expect(result.verdict).toBe('non_conforming')
      expect(result.summary.checks.harness_error).toBe(0)
    },
    30_000,
  )
})

it('for every requirement that must hold there is a receiver that breaks it', () => {
  const broken = new Set(BROKEN_RECEIVERS.flatMap(({ violates }) => violates))
  const must = [...REGISTRY.requirements.values()].filter(({ level }) => level === 'must').map(({ id }) => id)
  expect(must.filter((id) => !broken.has(id))).toEqual([])
})
