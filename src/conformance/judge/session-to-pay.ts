import { canOperate } from '../context/operator.ts'
import type { ScenarioRun } from '../context/scenario-run.ts'
import type { OperatorArguments } from '../format/operator-actions.ts'
import { isAccepted } from '../http/answer.ts'
import type { PageVisit } from '../pages/page-visit.ts'
import { findValue } from './references.ts'

/**
 * The checkout session of this scenario that a page belongs to, where the target's staff can pay it: how a page is paid is open, so
 * that a button which the runner does not recognize need not be the end. Null elsewhere.
 */
export function sessionToPay(scenarioRun: ScenarioRun, page: PageVisit): OperatorArguments | null {
  if (!canOperate(scenarioRun.run.target, 'pay_checkout')) return null
  const turns = [...scenarioRun.records.values()].flatMap((record) => (record.kind === 'turns' ? record.turns : []))
  for (const { attempt, answer } of turns) {
    if (attempt.op !== 'checkout.create' || !answer || !isAccepted(answer)) continue
    const url = findValue(scenarioRun, answer, 'checkout.url')
    if (!url.found || url.value !== page.asked) continue
    const id = findValue(scenarioRun, answer, 'checkout.id')
    return { checkout_url: page.asked, ...(id.found ? { session_id: String(id.value) } : {}) }
  }
  return null
}
