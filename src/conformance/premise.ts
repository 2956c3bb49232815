import { type Stop, stepInWords } from './drafts.ts'
import type { Judgement } from './judgement.ts'
import type { Step } from './scenario.ts'
import { callOf } from './steps.ts'

/** How a step that is only a premise, and does not hold, stops its scenario; null where it holds. */
export function stopOf(name: string, step: Step, expected: string, judgement: Judgement): Stop | null {
  const { verdict, actual, note, reason, todo } = judgement
  if (verdict === 'pass' || verdict === 'tolerated') return null
  const seen = `${stepInWords(name)} expects "${expected}" and saw: ${actual}${note ? ` (${note})` : ''}`
  if (verdict === 'not_run') return { verdict, note: seen, ...(reason ? { reason } : {}) }
  return {
    verdict: 'inconclusive',
    seen,
    note: 'this check builds on that step, so nothing follows for it',
    todo: todo ?? todoFor(step),
  }
}

/** What the reader can change at the target or in the target file, by what the step waits for. */
function todoFor(step: Step): string {
  if (step.receive)
    return 'Look at which deliveries reached the receiver, and when. The target has to reach it (receiver.public_url) and to send within the time that the step waits.'
  if (step.events || step.quiet)
    return 'Look at GET /events after this step. An event that comes later needs more time, told in the target file.'
  if (step.open !== undefined || step.submit)
    return 'Open the page of this step in a browser: it has to open and to offer a button.'
  const { op } = callOf(step) ?? {}
  if (op === undefined) return 'See in its transcript what this step was answered.'
  return `Make the target accept this call of ${op}: see in its transcript what was sent and answered. Tell another body or other names in the target file, under dialect.`
}
