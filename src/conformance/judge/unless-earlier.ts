import type { ScenarioRun } from '../context/scenario-run.ts'
import { judgeRoles } from '../format/expectations/contents.ts'
import type { Judgment } from '../format/expectations/judgment.ts'
import type { RoleName } from '../format/roles.ts'
import type { Expectation } from '../format/scenario.ts'
import { LIST_OF } from '../format/step-facts.ts'
import { seenOf } from './seen.ts'

/**
 * A failure proves nothing where a list that an earlier step read holds something that may explain it: a sale that was undone
 * before the run, say, whose commission is taken off the next payout. A row counts unless what it says rules it out.
 */
export function unlessEarlier<Given extends Judgment>(
  scenarioRun: ScenarioRun,
  judgment: Given,
  unless: Expectation['unless'],
): Given {
  if (unless === undefined || judgment.verdict !== 'fail') return judgment
  const explaining = rowsThatMayFit(scenarioRun, unless)
  if (explaining === 0) return judgment
  const note = `step ${unless.step} lists ${explaining} of which this may be an effect`
  return { ...judgment, verdict: 'inconclusive', note }
}

function rowsThatMayFit(scenarioRun: ScenarioRun, { step, has }: NonNullable<Expectation['unless']>): number {
  const record = scenarioRun.records.get(step)
  const answer = record?.kind === 'turns' ? record.turns[0]?.answer : undefined
  const list = answer?.op ? LIST_OF[answer.op] : undefined
  if (!answer || list === undefined) return 0
  const found = scenarioRun.run.dialect.items(list as RoleName, answer)
  const rows = found.found ? found.items : []
  const seen = seenOf(scenarioRun)
  return rows.filter((json) => judgeRoles(seen, has, { json, op: answer.op })?.verdict !== 'fail').length
}
