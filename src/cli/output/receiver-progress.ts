import { type ReceiverProgress, withoutQuery } from '../../conformance/receiver-judge/receiver-run.ts'
import { escapeLine, shorten } from '../../conformance/reporters/escape.ts'
import type { RunPlan } from '../../conformance/result.ts'
import type { Session } from '../operator/session.ts'

/** What a run may do to a receiver at most, printed before anything is sent. */
export function receiverBill({ scenarios, requestsAtMost }: RunPlan, url: string): string {
  return (
    `${scenarios} scenarios, at most ${requestsAtMost} deliveries to ${escapeLine(withoutQuery(url))}` +
    ' (repeats after a 429 come on top).\n' +
    'The receiver will deal with made-up events about orders and cases that do not exist; the report lists their ids. Let it work on test data.\n'
  )
}

const MAX_LINE_CHARACTERS = 78

/** The bill, what cannot be seen, and on a terminal one line that is written over and over. */
export function receiverProgress(
  session: Session,
  url: string,
): { show(progress: ReceiverProgress): void; finish(): void } {
  let scenarios = 0
  let done = 0
  let failed = 0
  return {
    show(progress) {
      if (progress.kind === 'planned') {
        scenarios = progress.plan.scenarios
        session.err(receiverBill(progress.plan, url))
        if (progress.unobservable.length > 0)
          session.err(`Not observable without --effects-url: ${progress.unobservable.join(', ')}\n`)
      }
      if (progress.kind === 'scenario-finished') {
        done += 1
        if (progress.result.verdict === 'fail') failed += 1
      }
      if (progress.kind === 'scenario-started' && session.errIsTerminal) {
        const line = `${done}/${scenarios} ${failed === 0 ? '' : `${failed} failed, `}${progress.id}`
        session.err(`\r\u001b[K${shorten(escapeLine(line), MAX_LINE_CHARACTERS)}`)
      }
    },
    finish() {
      if (session.errIsTerminal) session.err('\r\u001b[K')
    },
  }
}
