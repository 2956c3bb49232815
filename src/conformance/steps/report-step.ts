import type { ScenarioRun } from '../context/scenario-run.ts'
import type { Step } from '../format/scenario.ts'
import { expectationsOf, showsOf } from '../format/step-names.ts'
import { isAccepted } from '../http/answer.ts'
import { expectationInWords } from '../judge/describe.ts'
import { judge, type Subject } from '../judge/judge.ts'
import { type Judgement, unproven } from '../judge/judgement.ts'
import { observe } from '../judge/observe.ts'
import { pendingCheck, type StepOutcome, withExplanation } from '../judge/pending-checks.ts'
import { stopOf } from '../judge/premise.ts'

/** Reports a step that has no twin. */
export function reported(
  scenarioRun: ScenarioRun,
  step: Step,
  name: string,
  subject: Subject,
  exchange: string | null,
): StepOutcome {
  const outcome: StepOutcome = { checks: [], stop: null }
  const given = expectationsOf(step)
  // What observes and expects nothing may end either way.
  const mayEndAnyway = subject.kind === 'burst' || step.observe !== undefined
  const expectations = given.length > 0 || mayEndAnyway ? given : [{}]
  for (const wish of expectations) {
    const expectation = step.quiet && wish.count === undefined ? { ...wish, count: 0 } : wish
    const first = judge(scenarioRun, expectation, subject)
    const waited = step.quiet ? first : withWait(first, subject)
    const judgement =
      (step.events || step.receive) && first.verdict === 'fail' && !somethingHappened(scenarioRun)
        ? unproven(first.actual, NOTHING_HAPPENED)
        : waited
    const ids = showsOf(expectation)
    const expected = expectationInWords(scenarioRun, expectation, step)
    if (ids.length === 0) outcome.stop ??= stopOf(scenarioRun, step, name, expected, judgement, expectation.open)
    const explained = withExplanation(judgement, expectation.open)
    for (const id of ids) outcome.checks.push(pendingCheck(name, id, expected, exchange, explained))
  }
  const seen = observe(scenarioRun, step, name, subject, exchange)
  scenarioRun.observations.push(...seen.observations)
  outcome.checks.push(...seen.checks)
  return outcome
}

/** How long the run looked for what did not come. */
function withWait(judgement: Judgement, subject: Subject): Judgement {
  if (subject.kind !== 'events' || subject.waitedMs === undefined) return judgement
  if (judgement.verdict === 'pass' || judgement.note !== undefined) return judgement
  return { ...judgement, note: `the run looked for ${(subject.waitedMs / 1_000).toFixed(1)} s` }
}

const NOTHING_HAPPENED = 'no write of this scenario was accepted, so there is nothing to be told of'

/** Whether anything was done in this scenario that an event could tell of. */
export function somethingHappened(scenarioRun: ScenarioRun): boolean {
  return [...scenarioRun.records.values()].some((record) => {
    if (record.kind === 'operated') return true
    if (record.kind === 'pages') return record.visits.some(({ method, answer }) => method === 'POST' && answer !== null)
    return (
      record.kind === 'turns' &&
      record.turns.some(({ attempt, answer }) => attempt.plan.method !== 'GET' && isAccepted(answer))
    )
  })
}
