import { expect, it } from 'vitest'
import { pinsOfRun } from '../../src/conformance/discover/read-pins.ts'
import { diffRuns } from '../../src/conformance/log/diff-runs.ts'
import { fakeTarget, judge, targetOf } from '../support/referee.ts'

const seen = (gap: string, value: unknown) => ({ gap, scenario: 'test/one', value })
const returnTo = (id: string) => `https://shop.example/done?session_id=${id}`

it('what holds an id or a time of the run is not pinned', async () => {
  const target = targetOf(await fakeTarget())
  const { observed, unsteady } = pinsOfRun(target, [
    seen('AUTH-17/replay_detected', 409),
    seen('CHK-05/after-paying', returnTo('cs_b2g7k1q9')),
    seen('WIRE-04/headers', ['x-request-id']),
    seen('ORD-01/at', { at: '2026-02-01T10:00:00Z' }),
  ])
  expect(observed).toEqual({ 'AUTH-17/replay_detected': 409, 'WIRE-04/headers': ['x-request-id'] })
  expect(unsteady).toEqual(['CHK-05/after-paying', 'ORD-01/at'])
})

it('two runs that observed the same but for its id have no other answer to an open point', async () => {
  const run = await judge(targetOf(await fakeTarget()), [])
  const having = (value: unknown) => ({ ...run, observations: [seen('CHK-05/after-paying', value)] })
  const between = (one: unknown, other: unknown) => diffRuns(having(one), having(other)).observations
  expect(between(returnTo('cs_b2g7k1q9'), returnTo('cs_x4m8z2w6'))).toEqual([])
  expect(between(returnTo('cs_b2g7k1q9'), 'https://shop.example/')).toHaveLength(1)
})
