import { describe, expect, it } from 'vitest'
import type { RunOptions } from '../../src/conformance/engine/run-options.ts'
import type { LoadedScenario, Step } from '../../src/conformance/format/scenario.ts'
import type { RunResult } from '../../src/conformance/result/result.ts'
import { checksThat, fakeTarget, judge, scenario, targetOf } from '../support/referee.ts'

const shown: Step = {
  id: 'read',
  call: { op: 'availability', query: { domain: '${listed.domain}' } },
  expect: { accepted: true, shows: 'AUTH-01' },
}
const held = (id: string): Step => ({ operator: { hold: id } })
const ahead = (duration: string, more: Partial<Step> = {}): Step => ({ operator: { advance_clock: duration }, ...more })

async function run(steps: Step[], more: Partial<RunOptions> = {}, others: LoadedScenario[] = []) {
  const target = { ...targetOf(await fakeTarget(), { mode: 'write' }), operator: null }
  const plans: RunResult['plan'][] = []
  const onProgress: RunOptions['onProgress'] = (step) => {
    if (step.kind === 'planned') plans.push(step.plan)
  }
  const one = scenario({ proves: ['AUTH-01'], needs: ['operator.hold'], steps: [...steps, shown] })
  const own = steps.some(({ operator }) => operator?.hold) ? one : { ...one, scenario: { ...one.scenario, needs: [] } }
  const result = await judge(target, [own, ...others], { onProgress, ...more })
  return { result, plan: plans[0] }
}

describe('an operator action that the target has no operator for', () => {
  it('is not run where nobody can be asked and there is no patience', async () => {
    const { result, plan } = await run([held('ord_1')])
    expect(result.scenarios[0]?.checks[0]).toMatchObject({ verdict: 'not_run', reason: 'needs-operator' })
    expect(plan).toMatchObject({ questions: 0, longestWaitMs: 0 })
  })

  it('is asked of a person, who reads which order it is about and for which scenario', async () => {
    const asked: string[] = []
    const ask = async (request: string, id: string) => asked.push(`${id}: ${request}`) > 0
    const { result, plan } = await run([held('ord_1')], { ask })
    expect(asked).toEqual(['test/one: put the order ord_1 into manual review'])
    expect(checksThat(result, 'pass')).toEqual(['test/one read AUTH-01'])
    expect(plan?.questions).toBe(1)
  })

  it('leaves the rest not run where the person cannot do it', async () => {
    const { result } = await run([held('ord_1')], { ask: async () => false })
    expect(result.scenarios[0]?.checks[0]).toMatchObject({
      verdict: 'not_run',
      reason: 'needs-operator',
      note: 'the person who was asked did not do it: put the order ord_1 into manual review',
    })
  })

  it('is waited out, where it is the clock and the patience is long enough, before anybody is asked', async () => {
    const asked: string[] = []
    const ask = async (request: string) => asked.push(request) > 0
    const { result, plan } = await run([ahead('1s')], { maxWaitMs: 1_000, ask })
    expect([checksThat(result, 'pass'), asked]).toEqual([['test/one read AUTH-01'], []])
    expect(plan).toMatchObject({ questions: 0, longestWaitMs: 1_000 })
    const impatient = await run([ahead('10m30s')], { maxWaitMs: 1_000, ask })
    expect(asked).toEqual(['move the clock of the target 10m30s ahead'])
    expect(impatient.plan).toMatchObject({ questions: 1, longestWaitMs: 0 })
  })

  it('comes about only in the ways that its scenario names, where it names any', async () => {
    const ask = async () => true
    const { result } = await run([ahead('10m', { else: [{ wait: '10m' }, 'not_run'] })], { ask, maxWaitMs: 1_000 })
    expect(result.scenarios[0]?.checks[0]).toMatchObject({ verdict: 'not_run', reason: 'needs-operator' })
    const onward = await run([ahead('10m', { else: ['go_on'] })])
    expect(checksThat(onward.result, 'pass')).toEqual(['test/one read AUTH-01'])
  })

  it('moves no clock of the run where the scenario goes on without it', async () => {
    const today: Step = { ...shown, id: 'today', call: { op: 'availability', query: { domain: '${now}' } } }
    const { result } = await run([ahead('365d', { else: ['go_on'] }), today])
    const [, year] = /domain=(\d+)-/.exec(result.exchanges.map(({ target }) => target).join(' ')) ?? []
    expect(Number(year)).toBe(new Date().getFullYear())
  })

  it('is asked one question at a time, however many scenarios run side by side', async () => {
    let open = 0
    let most = 0
    const ask = async () => {
      most = Math.max(most, ++open)
      await new Promise((resolve) => setImmediate(resolve))
      open--
      return true
    }
    const others = ['a', 'b', 'c'].map((name) => ({
      ...scenario({ proves: ['AUTH-01'], steps: [held(`ord_${name}`), shown] }),
      id: `test/${name}`,
    }))
    const { result } = await run([held('ord_1')], { ask }, others)
    expect(most).toBe(1)
    expect(checksThat(result, 'pass')).toHaveLength(4)
  })
})
