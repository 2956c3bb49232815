import { formatDuration } from '../../clock/duration.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { ScenarioRun } from '../context/scenario-run.ts'
import { type Judgment, unproven } from '../format/expectations/judgment.ts'
import type { Expectation, Step } from '../format/scenario.ts'
import { expectationsOf, producedBy, showsOf } from '../format/step-facts.ts'
import { isAccepted } from '../http/answer.ts'
import { expectationInWords } from '../judge/describe.ts'
import { judge, type Subject } from '../judge/judge.ts'
import { observe } from '../judge/observe.ts'
import { pendingCheck, type StepOutcome, stopOf, withExplanation } from '../judge/pending-checks.ts'
import type { withTwin } from '../judge/twin.ts'
import { unlessEarlier } from '../judge/unless-earlier.ts'
import { heldBackMs } from '../target/longest-wait.ts'

/** One expectation of a step, and what came of it. */
export interface Judged {
  expectation: Expectation
  judgment: ReturnType<typeof withTwin>
}

/** A check for each requirement that is shown, a stop where a mere premise does not hold, and what is observed. */
export function reportOf(
  scenarioRun: ScenarioRun,
  step: Step,
  name: string,
  subject: Subject,
  exchange: string | null,
  judged: readonly Judged[],
): StepOutcome {
  const outcome: StepOutcome = { checks: [], stop: null }
  for (const { expectation, judgment: seen } of judged) {
    const judgment = unlessEarlier(scenarioRun, seen, expectation.unless)
    const ids = showsOf(expectation)
    const expected = expectationInWords(scenarioRun, expectation, step)
    if (ids.length === 0) outcome.stop ??= stopOf(scenarioRun, step, name, expected, judgment, expectation.open)
    const explained = withExplanation(judgment, expectation.open)
    for (const id of ids) outcome.checks.push(pendingCheck(name, id, expected, exchange, explained))
  }
  const seen = observe(scenarioRun, step, name, subject, exchange)
  scenarioRun.observations.push(...seen.observations)
  outcome.checks.push(...seen.checks)
  return outcome
}

/** Judges and reports a step that has no twin. */
export function reported(
  scenarioRun: ScenarioRun,
  step: Step,
  name: string,
  subject: Subject,
  exchange: string | null,
): StepOutcome {
  const given = expectationsOf(step)
  // What observes and expects nothing may end either way.
  const mayEndAnyway = subject.kind === 'burst' || step.observe !== undefined
  const expectations = given.length > 0 || mayEndAnyway ? given : [{}]
  const judged = expectations.map((wish) => {
    const expectation = isSilence(step) && wish.count === undefined ? { ...wish, count: 0 } : wish
    return { expectation, judgment: judgedAlone(scenarioRun, step, expectation, subject) }
  })
  return reportOf(scenarioRun, step, name, subject, exchange, judged)
}

function judgedAlone(scenarioRun: ScenarioRun, step: Step, expectation: Expectation, subject: Subject): Judgment {
  const judgment = judge(scenarioRun, expectation, subject)
  if (isSilence(step)) return judgment
  if (step.events && judgment.verdict === 'fail' && !somethingHappened(scenarioRun))
    return unproven(judgment.actual, NOTHING_HAPPENED)
  return underOwnDeadline(scenarioRun, step, withWait(judgment, subject))
}

/** Whether a step waits for what must not come. */
export function isSilence({ events }: Step): boolean {
  return events?.none_for !== undefined
}

/** A verdict about slow receivers says so where the run has not waited as long as the document says. */
function underOwnDeadline({ run, scenario }: ScenarioRun, step: Step, judgment: Judgment): Judgment {
  const { webhookDeadlineMs } = run.target
  const waits = scenario.steps.some(({ hook }) => hook !== undefined && heldBackMs(run.target, hook.answer) > 0)
  if (webhookDeadlineMs === undefined || producedBy(step) !== 'deliveries' || !waits || judgment.note !== undefined)
    return judgment
  const [here, usual] = [webhookDeadlineMs, LIMITS.webhookTimeoutMs].map(formatDuration)
  return { ...judgment, note: `judged at ${here}, as the run has set its own sandbox; the document says ${usual}` }
}

/** How long the run looked for what did not come. */
function withWait(judgment: Judgment, subject: Subject): Judgment {
  if (subject.kind !== 'events' || subject.waitedMs === undefined) return judgment
  if (judgment.verdict === 'pass' || judgment.note !== undefined) return judgment
  return { ...judgment, note: `the run looked for ${(subject.waitedMs / 1_000).toFixed(1)} s` }
}

const NOTHING_HAPPENED = 'no write of this scenario was accepted, so there is no event to expect'

/** Whether anything was done in this scenario that an event could report. */
export function somethingHappened(scenarioRun: ScenarioRun): boolean {
  return [...scenarioRun.records.values()].some((record) => {
    if (record.kind === 'operated') return true
    if (record.kind === 'pages') return record.visits.some(({ method, answer }) => method === 'POST' && answer !== null)
    return (
      record.kind === 'turns' &&
      record.turns.some(({ call, answer }) => call.plan.method !== 'GET' && isAccepted(answer))
    )
  })
}
