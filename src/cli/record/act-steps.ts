import { inWords } from './acts-in-words.ts'
import type { Draft } from './draft.ts'
import { hasFailed, makesFail } from './failed-call.ts'
import type { Recorded, RecordedAct } from './history.ts'
import { operatorStep } from './operator-step.ts'

/** Has the operator do it again, or says that it is left out. */
export function addAct(draft: Draft, act: RecordedAct, history: readonly Recorded[]): void {
  if (makesFail(act) && history.some(hasFailed)) return
  const { names, domains } = draft.context
  const step = operatorStep(act, { names, domains, settledOrder: settledBy(draft, act) })
  if (!step?.operator) {
    const words = inWords(act)
    if (words !== null) draft.leftOut.push(words)
    return
  }
  const action = Object.keys(step.operator)[0] ?? ''
  if (action === 'advance_clock' || action === 'skew_clock') draft.effects.clock = true
  if (action === 'settle' || action === 'payout') draft.effects.settlement = true
  if (action === 'rate_limit') draft.effects.exclusive = true
  draft.steps.push(step)
}

/** An order that a settlement run did settle, else the latest that there was. */
function settledBy({ events, context, latestOrder }: Draft, { fromMs, toMs }: RecordedAct): string | null {
  const settled = events.findLast(
    ({ type, subject, atMs }) =>
      type === 'order.settled' && subject !== null && context.names.knows(subject) && fromMs <= atMs && atMs <= toMs,
  )
  return settled?.subject ?? latestOrder
}
