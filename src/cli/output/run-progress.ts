import { formatDuration } from '../../clock/duration.ts'
import { PAGES_OF_A_HISTORY } from '../../conformance/engine/plan.ts'
import type { Progress } from '../../conformance/engine/run-options.ts'
import { withoutQuery } from '../../conformance/receiver/receiver-options.ts'
import { escapeLine } from '../../conformance/reports/escape.ts'
import type { RunPlan } from '../../conformance/result/result.ts'
import { PAGES_OF_A_LIST } from '../../conformance/steps/step-kind.ts'
import { counted } from '../../contract/words.ts'
import type { Session } from '../session.ts'
import { progressLine } from './progress-line.ts'

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
  return ` (plus retries after a 429, lists of more than ${PAGES_OF_A_LIST} pages and histories of more than ${PAGES_OF_A_HISTORY})`
}

/** Says so where the budget is less than all scenarios would take: some of them will not run. */
function capped(count: number, noun: string, wanted: number | undefined): string {
  const limit = wanted === undefined ? '' : ` (limited by the budget; all scenarios need ${wanted})`
  return `${counted(count, noun)}${limit}`
}

/** What a run may do to a receiver at most, printed before anything is sent. */
export function receiverBill({ scenarios, requestsAtMost }: RunPlan, url: string): string {
  return (
    `${scenarios} scenarios, at most ${requestsAtMost} deliveries to ${escapeLine(withoutQuery(url))}` +
    ' (plus retries after a 429).\n' +
    'The events are made up: their orders and cases do not exist. Use a receiver with test data; the report lists the ids.\n'
  )
}

/** What is called with each step of a run, and when it is over. */
interface Progressing {
  show(progress: Progress): void
  finish(): void
}

/** Elsewhere than on a terminal a line stays: few of them, to show that the run goes on. */
const REDIRECTED_EVERY_MS = 30_000

/** Shows a run as it goes: its limits always; on a terminal one line that is written over and over, elsewhere a line each 30 s. */
export function runProgress(session: Session): Progressing {
  const line = tallyLine(session)
  return {
    show(progress) {
      if (progress.kind === 'planned') session.err(billLine(progress.plan))
      if (progress.kind === 'clock-differs') session.err(clockLine(progress.byMs))
      if (progress.kind === 'waiting')
        line.draw(`${progress.scenario}: ${progress.why} (${formatDuration(progress.forMs)})`)
      line.note(progress)
    },
    finish: line.clear,
  }
}

/** The same of a receiver, with what cannot be seen. */
export function receiverProgress(session: Session, url: string): Progressing {
  const line = tallyLine(session)
  return {
    show(progress) {
      if (progress.kind === 'planned') {
        session.err(receiverBill(progress.plan, url))
        const unobservable = progress.requirements.filter((row) => row.unobservable !== undefined).map(({ id }) => id)
        if (unobservable.length > 0) session.err(`Not observable without --effects-url: ${unobservable.join(', ')}\n`)
      }
      line.note(progress)
    },
    finish: line.clear,
  }
}

const MAX_LINE_CHARACTERS = 78

/** How many scenarios are done and have failed, before what is done now. */
function tallyLine(session: Session) {
  const count = { scenarios: 0, done: 0, failed: 0 }
  const { draw, clear } = progressLine(session, { width: MAX_LINE_CHARACTERS, everyMs: REDIRECTED_EVERY_MS })
  const drawAfterTally = (text: string) => {
    const failed = count.failed === 0 ? '' : `${count.failed} failed, `
    draw(escapeLine(`${count.done}/${count.scenarios} ${failed}${text}`))
  }
  return {
    clear,
    draw: drawAfterTally,
    note(progress: Progress) {
      if (progress.kind === 'planned') count.scenarios = progress.plan.scenarios
      if (progress.kind === 'scenario-started') drawAfterTally(progress.id)
      if (progress.kind !== 'scenario-finished') return
      count.done += 1
      if (progress.result.verdict === 'fail') count.failed += 1
    },
  }
}

function clockLine(byMs: number): string {
  const where = byMs > 0 ? 'ahead of' : 'behind'
  return `the clock of the target is ${formatDuration(Math.abs(byMs))} ${where} that of this machine; the runner signs calls with the target's time\n`
}
