import { expect, it } from 'vitest'
import { TargetError } from '../../src/conformance/engine/run-options.ts'
import type { RunResult } from '../../src/conformance/result/result.ts'
import type { FakeFault } from '../support/fake-target.ts'
import { checksThat, fakeTarget, judge, models, targetOf } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'
import { REPORTERS } from './reporters/rendering.ts'

async function runAgainst(fault: FakeFault): Promise<RunResult> {
  const target = targetOf(await fakeTarget({ fault }))
  return judge(target, models, { doubtsCredentials: true })
}

it('a target that signs the path without the API root violates AUTH-01, and the report names what it does', async () => {
  const result = await runAgainst('path-without-root')
  expect(result.verdict).toBe('non_conforming')
  expect(checksThat(result, 'fail')).toEqual(['auth/wrong-secret sound_read AUTH-01'])
  const [check] = result.scenarios.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict === 'fail'))
  expect(check?.actual).toContain('the path without the API root (canonical: path_without_root)')
  expect(result.exchanges.map(({ id }) => id)).toContain(check?.exchange)
})

it('a target that takes no signature at all leaves a report of each kind that says that nothing was judged', async () => {
  const error = await runAgainst('refuses-everything').catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(TargetError)
  const { result } = error as TargetError
  expect(result?.verdict).toBe('void')
  for (const { render } of Object.values(REPORTERS))
    expect(render(result as RunResult, { color: false, invocation: 'conform' }).length).toBeGreaterThan(0)
})

it('a target that refuses headers of another form as malformed has not taken them, where the secret is wrong', async () => {
  const target = await scriptedTarget((request, response) => {
    const isOfForm = /^v1=[0-9a-f]{64}$/.test(String(request.headers['x-partner-signature']))
    const [status, code] = isOfForm ? [401, 'invalid_signature'] : [400, 'validation_error']
    answerJson(response, status, { code, message: 'no' })
  })
  const error = await judge(target, models, { doubtsCredentials: true }).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(TargetError)
})
