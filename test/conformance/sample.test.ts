import { expect, it } from 'vitest'
import { scheduleOf } from '../../src/conformance/engine/schedule.ts'
import type { LoadedScenario } from '../../src/conformance/format/scenario.ts'
import { checksThat, judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

const READ = { id: 'read', call: { op: 'availability', query: { domain: 'a.test' } } } as const

function withId(id: string): LoadedScenario {
  const steps = [{ ...READ, expect: { accepted: true, shows: 'INV-07' } } as const]
  return { ...scenario({ proves: ['INV-07'], steps }), id }
}

const ROWS = [...Array.from({ length: 10 }, (_, n) => withId(`many[${n}]`)), withId('few[a]'), withId('few[b]')]
const SCENARIOS = [withId('alone'), ...ROWS]

const idsIn = (requests: number): string[] => {
  const { together, beyondBudget } = scheduleOf(undefined, SCENARIOS, requests)
  expect(together.length + beyondBudget.length).toBe(SCENARIOS.length)
  return together.map(({ id }) => id).sort()
}

it('a budget with room for all of them leaves no row out', () => {
  expect(idsIn(100)).toHaveLength(SCENARIOS.length)
})

it('a small budget takes as many of the rows of each file as fit, from all over it, and what has no rows as a whole', () => {
  expect(idsIn(9)).toEqual(['alone', 'few[a]', 'many[0]', 'many[2]', 'many[4]', 'many[6]', 'many[8]'].filter(Boolean))
  expect(idsIn(1)).toEqual(['alone', 'few[a]', 'many[0]'])
})

it('further rows of a file come after all else', () => {
  const ids = scheduleOf(undefined, SCENARIOS, 100).together.map(({ id }) => id)
  expect(ids.slice(0, 3)).toEqual(['alone', 'few[a]', 'many[0]'])
})

it('a row that was left out says which ran in its place', async () => {
  const target = await scriptedTarget((_, response) => answerJson(response, 200, { available: false }), {
    budget: { requests: 5 },
  })
  const result = await judge(target, SCENARIOS)
  expect(checksThat(result, 'not_run').length).toBeGreaterThan(5)
  const left = result.scenarios.find(({ id }) => id === 'few[b]')?.checks[0]
  expect(left).toMatchObject({ reason: 'budget', note: expect.stringContaining('these run: a') })
})
