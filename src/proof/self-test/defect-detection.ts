import type { LoadedScenario, Step } from '../../conformance/format/scenario.ts'
import { namedSteps } from '../../conformance/format/step-facts.ts'
import type { Defect } from '../defects/defect.ts'
import type { DefectRun } from './result.ts'
import { checksOf, nameOf, reasonOf, runAgainstOwn, type Suite } from './suite.ts'

/**
 * The scenarios that prove a requirement which the defect breaks, against a sandbox that has it. It is killed by a
 * check of such a requirement that says `fail`; an inconclusive one kills nothing.
 */
export async function runDefect(suite: Suite, { id, breaks }: Defect): Promise<DefectRun> {
  const scenarios = suite.scenarios.filter(({ scenario }) => scenario.proves.some((proved) => breaks.includes(proved)))
  const run: DefectRun = {
    id,
    breaks,
    scenarios: scenarios.length,
    killedBy: [],
    alsoRed: [],
    failure: null,
    tookMs: 0,
  }
  if (scenarios.length === 0) return run
  try {
    const result = await runAgainstOwn(suite, [...EVIDENCE, ...scenarios], { defect: id })
    const red = checksOf(result, ({ verdict }) => verdict === 'fail').map(nameOf)
    const harness = checksOf(result, ({ verdict }) => verdict === 'harness_error')[0]
    return {
      ...run,
      killedBy: red.filter(({ requirement }) => breaks.includes(requirement)),
      alsoRed: red.filter(({ requirement }) => !breaks.includes(requirement)),
      failure: harness ? `a harness error in ${harness.scenario}: ${harness.actual}` : null,
      tookMs: result.durationMs,
    }
  } catch (error) {
    return { ...run, failure: reasonOf(error) }
  }
}

/**
 * Correct calls of every operation, one scenario each so that one which a defect breaks does not hide the others. They
 * judge nothing. A run of a few scenarios needs them, because a refusal proves something only where the same operation
 * was seen to accept a call, and in a run of the whole suite it is.
 */
const EVIDENCE: readonly LoadedScenario[] = [
  evidence('search', [{ call: { op: 'domains.search', query: { q: 'solar' } } }]),
  evidence('detail', [{ call: { op: 'domains.detail', path: { name: '${sellable.domain}' } } }]),
  evidence('availability', [{ call: { op: 'availability', query: { domain: '${sellable.domain}' } } }]),
  evidence('pricing', [{ call: { op: 'pricing', query: { domain: '${sellable.domain}' } } }]),
  evidence('quote', [{ call: { op: 'quotes.create', body: { set: { domain: '${sellable.domain}' } } } }]),
  evidence('order', [
    { id: 'order', call: { op: 'orders.create' } },
    { call: { op: 'orders.detail', path: { public_id: '${order.order.public_id}' } } },
  ]),
  evidence('orders', [{ call: { op: 'orders.list' } }]),
  evidence('history', [{ call: { op: 'events.list' } }]),
]

function evidence(name: string, steps: Step[]): LoadedScenario {
  const id = `selftest/${name}`
  return {
    id,
    file: id,
    scenario: { title: `A correct call: ${name}`, proves: [], needs: ['fixture.sellable'], steps: namedSteps(steps) },
  }
}
