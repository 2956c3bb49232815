import { formatDuration } from '../../clock/duration.ts'
import type { Progress } from '../../conformance/engine/run-options.ts'
import { withoutQuery } from '../../conformance/http/address.ts'
import { escapeLine } from '../../conformance/reports/escape.ts'
import { counted } from '../../contract/words.ts'
import type { Session } from '../session.ts'
import { progressLine } from './progress-line.ts'

/** What a run may do to its target, printed before anything is sent. */
export function billLine({ plan }: Pick<Planned, 'plan'>): string {
  const { scenarios, budget, longestWaitMs, questions } = plan
  // Where the budget is less than all scenarios would take, some of them will not run.
  const made = (['order', 'quote'] as const).map((noun) => {
    const [declared, most] = [plan[`${noun}s`], budget[`${noun}s`]]
    return counted(declared, noun) + (most === null || declared <= most ? '' : ` (the budget allows ${most})`)
  })
  const most = budget.requests === null ? '' : `; at most ${counted(budget.requests, 'request')}`
  const wait = longestWaitMs > 0 ? `; longest wait ${formatDuration(longestWaitMs)}` : ''
  const asked = questions > 0 ? `; a person is asked at most ${counted(questions, 'time')}` : ''
  const webhooks = counted(plan.webhooks, 'webhook registration')
  return `${counted(scenarios, 'scenario')} with ${[...made, webhooks].join(', ')}${most}${wait}${asked}\n`
}

/** What a run does to a receiver, printed before anything is sent, with what cannot be seen. */
export function receiverBill({ plan, requirements }: Planned, url: string): string {
  const unobservable = requirements.filter((row) => row.unobservable !== undefined).map(({ id }) => id)
  return [
    `${counted(plan.scenarios, 'scenario')} of deliveries to ${escapeLine(withoutQuery(url))}.\n`,
    'The events are made up: their orders and cases do not exist. Use a receiver with test data; the report lists the ids.\n',
    ...(unobservable.length > 0 ? [`Not observable without --effects-url: ${unobservable.join(', ')}\n`] : []),
  ].join('')
}

type Planned = Extract<Progress, { kind: 'planned' }>

/** Elsewhere than on a terminal a line stays: few of them, to show that the run goes on. */
const REDIRECTED_EVERY_MS = 30_000

const MAX_LINE_CHARACTERS = 78

/**
 * Shows a run as it goes: its limits always; on a terminal one line that is written over and over, elsewhere a line each 30 s.
 *
 * @param bill what the run may do.
 */
export function runProgress(session: Session, bill: (planned: Planned) => string = billLine) {
  const count = { scenarios: 0, done: 0, failed: 0 }
  const { isDue, draw, clear } = progressLine(session, { width: MAX_LINE_CHARACTERS, everyMs: REDIRECTED_EVERY_MS })
  return {
    show(progress: Progress) {
      if (progress.kind === 'planned') {
        session.err(bill(progress))
        count.scenarios = progress.plan.scenarios
      }
      if (progress.kind === 'clock-differs') session.err(clockLine(progress.byMs))
      if ((progress.kind === 'waiting' || progress.kind === 'scenario-started') && isDue()) {
        const failed = count.failed === 0 ? '' : `, ${count.failed} failed so far`
        const text =
          progress.kind === 'waiting'
            ? `${progress.scenario}: ${progress.why} (${formatDuration(progress.forMs)})`
            : progress.id
        draw(escapeLine(`${count.done}/${count.scenarios} done${failed}; now ${text}`))
      }
      if (progress.kind !== 'scenario-finished') return
      count.done += 1
      if (progress.result.verdict === 'fail') count.failed += 1
    },
    finish: clear,
  }
}

function clockLine(byMs: number): string {
  const where = byMs > 0 ? 'ahead of' : 'behind'
  return `the clock of the target is ${formatDuration(Math.abs(byMs))} ${where} that of this machine; the runner signs calls with the target's time\n`
}
