import { expect, it } from 'vitest'
import type { Step } from '../../src/conformance/format/scenario.ts'
import { fakeTarget, judge, scenario, targetOf } from '../support/referee.ts'

it.each<[string, Pick<Step, 'call' | 'fault'>]>([
  [
    'a parameter that has this value',
    { call: { op: 'domains.search', query: { q: 'solar' } }, fault: { query: { set: { q: 'solar' } } } },
  ],
  ['a parameter that is not there', { call: { op: 'orders.list' }, fault: { query: { unset: 'limit' } } }],
  [
    'a field that has this value',
    { call: { op: 'orders.create', body: { json: { a: 1 } } }, fault: { body: { set: { a: 1 } } } },
  ],
  ['the usual type of the body', { call: { op: 'orders.list' }, fault: { content_type: { raw: 'application/json' } } }],
  ['a key that the call has not', { call: { op: 'orders.list' }, fault: { idempotency_key: 'drop' } }],
])('a fault that is %s is an error of the runner, and none of the target', async (_, parts) => {
  const steps: Step[] = [{ id: 'idle', ...parts, expect: { refused: true, shows: 'AUTH-03' } }]
  const result = await judge(targetOf(await fakeTarget(), { mode: 'write' }), [
    scenario({ proves: ['AUTH-03'], steps }),
  ])
  const [check] = result.scenarios.flatMap(({ checks }) => checks)
  expect(check?.verdict).toBe('harness_error')
  expect(check?.note).toContain('has no effect on this call: what is sent is the same with it and without')
})
