import { formatDuration } from '../../clock/duration.ts'
import type { Progress } from '../../conformance/engine/run-options.ts'
import { withoutQuery } from '../../conformance/receiver/judge-receiver.ts'
import { escapeLine } from '../../conformance/reports/escape.ts'
import type { RunPlan } from '../../conformance/result/result.ts'
import { counted } from '../../contract/words.ts'
import type { Session } from '../session.ts'
import { progressLine } from './progress-line.ts'

/** What a run may do to its target, printed before anything is sent. */
export function billLine({ scenarios, budget, longestWaitMs, questions, ...declared }: RunPlan): string {
  const made = [
    within(counted(declared.orders, 'order'), declared.orders, budget.orders),
    within(counted(declared.quotes, 'quote'), declared.quotes, budget.quotes),
    counted(declared.webhooks, 'webhook registration'),
  ]
  const most = budget.requests === null ? '' : `; at most ${counted(budget.requests, 'request')}`
  const wait = longestWaitMs > 0 ? `; longest wait ${formatDuration(longestWaitMs)}` : ''
  const asked = questions > 0 ? `; a person is asked at most ${counted(questions, 'time')}` : ''
  return `${counted(scenarios, 'scenario')} with ${made.join(', ')}${most}${wait}${asked}\n`
}

/** Says so where the budget is less than all scenarios would take: some of them will not run. */
function within(words: string, declared: number, budget: number | null): string {
  return budget === null || declared <= budget ? words : `${words} (the budget allows ${budget})`
}

/** What a run does to a receiver, printed before anything is sent. */
function receiverBill({ scenarios }: RunPlan, url: string): string {
  return (
    `${counted(scenarios, 'scenario')} of deliveries to ${escapeLine(withoutQuery(url))}.\n` +
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
