import type { ScenarioRun } from '../context/run.ts'
import type { Check } from '../format/expectations/check.ts'
import { judgeRoles } from '../format/expectations/contents.ts'
import type { RoleName } from '../format/roles.ts'
import type { Expectation } from '../format/scenario.ts'
import { LIST_OF } from '../format/step-facts.ts'
import { seenOf } from './seen.ts'

/**
 * A failure proves nothing where a list that an earlier step read holds something that may explain it: a sale that was undone
 * before the run, say, whose commission is taken off the next payout. A row counts unless what it says rules it out.
 */
export function unlessEarlier(scenarioRun: ScenarioRun, check: Check, unless: Expectation['unless']): Check {
  if (unless === undefined || check.verdict !== 'fail') return check
  const explaining = rowsThatMayFit(scenarioRun, unless)
  if (explaining === 0) return check
  const note = `step ${unless.step} lists ${explaining} of which this may be an effect`
  return { ...check, verdict: 'inconclusive', note }
}

function rowsThatMayFit(scenarioRun: ScenarioRun, { step, has }: NonNullable<Expectation['unless']>): number {
  const record = scenarioRun.records.get(step)
  const answer = record?.kind === 'calls' ? record.exchanges[0]?.answer : undefined
  const list = answer?.op ? LIST_OF[answer.op] : undefined
  if (!answer || list === undefined) return 0
  const found = scenarioRun.run.dialect.items(list as RoleName, answer)
  const rows = found.found ? found.items : []
  const seen = seenOf(scenarioRun)
  return rows.filter((json) => judgeRoles(seen, has, { json, op: answer.op })?.verdict !== 'fail').length
}
