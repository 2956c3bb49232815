import { formatDuration } from '../../clock/duration.ts'
import { PAGES_OF_A_LIST } from '../../conformance/plan-requests.ts'
import { PAGES_OF_A_HISTORY } from '../../conformance/plan-shared.ts'
import { escapeLine, shorten } from '../../conformance/reporters/escape.ts'
import type { RunPlan } from '../../conformance/result.ts'
import type { Progress } from '../../conformance/run-options.ts'
import type { Session } from '../operator/session.ts'

/** What a run may do to its target at most, printed before anything is sent. */
export function billLine(plan: RunPlan): string {
  const parts = [
    capped(plan.requestsAtMost, 'request', plan.requestsWanted),
    capped(plan.ordersAtMost, 'order', plan.ordersWanted),
    capped(plan.quotesAtMost, 'quote', plan.quotesWanted),
    counted(plan.webhooksAtMost, 'webhook registration'),
  ]
  const wait = plan.longestWaitMs > 0 ? `; longest wait ${formatDuration(plan.longestWaitMs)}` : ''
  const asked = plan.questionsAtMost > 0 ? `; a person is asked at most ${counted(plan.questionsAtMost, 'time')}` : ''
  return `${counted(plan.scenarios, 'scenario')}, at most ${parts.join(', ')}${wait}${asked}${besides(plan)}\n`
}

/** What no plan can know before it has seen the target. */
function besides({ requestsAtMost }: RunPlan): string {
  if (requestsAtMost === 0) return ''
  return ` (lists of more than ${PAGES_OF_A_LIST} pages, histories of more than ${PAGES_OF_A_HISTORY} and repeats after a 429 come on top)`
}

/** Says so where the budget is less than all scenarios would take: some of them will not run. */
function capped(count: number, noun: string, wanted: number | undefined): string {
  const limit = wanted === undefined ? '' : ` (capped by the budget; the whole would take ${wanted})`
  return `${counted(count, noun)}${limit}`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

const MAX_LINE_CHARACTERS = 78

/** Elsewhere than on a terminal a line stays: few of them, to show that the run goes on. */
const REDIRECTED_EVERY_MS = 30_000

/**
 * Shows a run as it goes: the bill always; on a terminal one line that is written over and over, elsewhere a line each 30 s.
 * Returns what to call with each step of the run, and what to call when it is over.
 */
export function runProgress(session: Session): { show(progress: Progress): void; finish(): void } {
  let scenarios = 0
  let done = 0
  let failed = 0
  let saidMs = session.wall.monotonicMs()
  const overwrite = (text: string) => {
    const line = shorten(escapeLine(text), MAX_LINE_CHARACTERS)
    if (session.errIsTerminal) session.err(`\r\u001b[K${line}`)
    else if (session.wall.monotonicMs() - saidMs >= REDIRECTED_EVERY_MS) {
      saidMs = session.wall.monotonicMs()
      session.err(`${line}\n`)
    }
  }
  return {
    show(progress) {
      if (progress.kind === 'planned') {
        scenarios = progress.plan.scenarios
        session.err(billLine(progress.plan))
      }
      if (progress.kind === 'clock-differs') session.err(clockLine(progress.byMs))
      if (progress.kind === 'scenario-started') overwrite(`${done}/${scenarios} ${failedText(failed)}${progress.id}`)
      if (progress.kind === 'waiting') {
        overwrite(
          `${done}/${scenarios} ${failedText(failed)}${progress.scenario}: ${progress.why} (${formatDuration(progress.forMs)})`,
        )
      }
      if (progress.kind === 'scenario-finished') {
        done += 1
        if (progress.result.verdict === 'fail') failed += 1
      }
    },
    finish() {
      if (session.errIsTerminal) session.err('\r\u001b[K')
    },
  }
}

function clockLine(byMs: number): string {
  const where = byMs > 0 ? 'ahead of' : 'behind'
  return `the clock of the target is ${formatDuration(Math.abs(byMs))} ${where} that of this machine; calls are signed by the target's\n`
}

function failedText(failed: number): string {
  return failed === 0 ? '' : `${failed} failed, `
}
