import { expect, it, onTestFinished } from 'vitest'
import { headerIn } from '../../src/contract/headers.ts'
import { TRACEPARENT, traceOf } from '../../src/contract/trace-context.ts'
import { startShop } from '../support/fake-shop.ts'
import { judge, scenario, targetOf } from '../support/referee.ts'

const read = { call: { op: 'availability' as const, query: { domain: '${unlisted.domain}' } } }
const TWO_READS = scenario({
  proves: ['AVL-01'],
  steps: [{ id: 'one', ...read, expect: { accepted: true, shows: 'AVL-01' } }, read],
})

it('all calls of a scenario have one trace, and each call has a part of its own', async () => {
  const shop = await startShop()
  onTestFinished(() => shop.close())
  const other = { ...TWO_READS, id: 'test/other' }
  const run = await judge(targetOf(shop), [TWO_READS, other], { transcript: 'all' })
  const sent = run.exchanges.filter(({ scenario: id }) => id.startsWith('test/'))
  const traces = sent.map(
    ({ scenario: id, requestHeaders }) => [id, traceOf([headerIn(requestHeaders, TRACEPARENT) ?? ''])] as const,
  )
  expect(traces.length).toBeGreaterThanOrEqual(4)
  expect(new Set(traces.map(([id, trace]) => `${id} ${trace?.id}`)).size).toBe(2)
  expect(new Set(traces.map(([, trace]) => trace?.id)).size).toBe(2)
  expect(new Set(traces.map(([, trace]) => trace?.traceparent)).size).toBe(traces.length)
})
