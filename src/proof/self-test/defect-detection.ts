import type { Defect } from '../defects/defect.ts'
import { EVIDENCE } from './evidence.ts'
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
