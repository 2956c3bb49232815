import { formatDuration } from '../../clock/duration.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { ScenarioRun } from '../context/run.ts'
import { type Check, unproven } from '../format/expectations/check.ts'
import { judgeRoles } from '../format/expectations/contents.ts'
import type { Expectation } from '../format/expectations/expectation.ts'
import type { RoleName } from '../format/roles.ts'
import type { Step } from '../format/scenario.ts'
import { expectationsOf, LIST_OF, producedBy, showsOf } from '../format/step-facts.ts'
import { isAccepted } from '../http/exchange.ts'
import { expectationInWords, judge, type Subject } from '../judge/judge.ts'
import { observe } from '../judge/observe.ts'
import { placed, type StepOutcome, stopOf, withExplanation } from '../judge/placed-check.ts'
import { seenOf } from '../judge/seen.ts'
import { heldBackMs } from '../target/longest-wait.ts'

/** A check for each requirement that is shown, a stop where a mere premise does not hold, and what is observed. */
export function reportOf(
  scenarioRun: ScenarioRun,
  step: Step,
  name: string,
  subject: Subject,
  exchange: string | null,
  judged: readonly (readonly [expectation: Expectation, check: Check])[],
): StepOutcome {
  const outcome: StepOutcome = { checks: [], stop: null }
  for (const [expectation, seenCheck] of judged) {
    const check = unlessEarlier(scenarioRun, seenCheck, expectation.unless)
    const ids = showsOf(expectation)
    const expected = expectationInWords(scenarioRun, expectation, step)
    if (ids.length === 0) outcome.stop ??= stopOf(scenarioRun, step, name, expected, check, expectation.open)
    const explained = withExplanation(check, expectation.open)
    for (const id of ids) outcome.checks.push(placed(name, id, expected, exchange, explained))
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
    return [expectation, judgedAlone(scenarioRun, step, expectation, subject)] as const
  })
  return reportOf(scenarioRun, step, name, subject, exchange, judged)
}

function judgedAlone(scenarioRun: ScenarioRun, step: Step, expectation: Expectation, subject: Subject): Check {
  const check = judge(scenarioRun, expectation, subject)
  if (isSilence(step)) return check
  if (step.events && check.verdict === 'fail' && !somethingHappened(scenarioRun))
    return unproven(check.actual, NOTHING_HAPPENED)
  return underOwnDeadline(scenarioRun, step, withWait(check, subject))
}

/** Whether a step waits for what must not come. */
export function isSilence({ events }: Step): boolean {
  return events?.none_for !== undefined
}

/** A verdict about slow receivers says so where the run has not waited as long as the document says. */
function underOwnDeadline({ run, scenario }: ScenarioRun, step: Step, check: Check): Check {
  const { webhookDeadlineMs } = run.target
  const waits = scenario.steps.some(({ hook }) => hook !== undefined && heldBackMs(run.target, hook.answer) > 0)
  if (webhookDeadlineMs === undefined || producedBy(step) !== 'deliveries' || !waits || check.note !== undefined)
    return check
  const [here, usual] = [webhookDeadlineMs, LIMITS.webhookTimeoutMs].map(formatDuration)
  return { ...check, note: `judged at ${here}, as the run has set its own sandbox; the document says ${usual}` }
}

/** How long the run looked for what did not come. */
function withWait(check: Check, subject: Subject): Check {
  if (subject.kind !== 'events' || subject.waitedMs === undefined) return check
  if (check.verdict === 'pass' || check.note !== undefined) return check
  return { ...check, note: `the run looked for ${(subject.waitedMs / 1_000).toFixed(1)} s` }
}

const NOTHING_HAPPENED = 'no write of this scenario was accepted, so there is no event to expect'

/** Whether anything was done in this scenario that an event could report. */
export function somethingHappened(scenarioRun: ScenarioRun): boolean {
  return [...scenarioRun.records.values()].some((record) => {
    if (record.kind === 'operated') return true
    if (record.kind === 'pages') return record.visits.some(({ method, answer }) => method === 'POST' && answer !== null)
    return (
      record.kind === 'calls' &&
      record.exchanges.some(({ call, answer }) => call.method !== 'GET' && isAccepted(answer))
    )
  })
}

/**
 * A failure proves nothing where a list that an earlier step read holds something that may explain it: a sale that was undone
 * before the run, say, whose commission is taken off the next payout. A row counts unless what it says rules it out.
 */
function unlessEarlier(scenarioRun: ScenarioRun, check: Check, unless: Expectation['unless']): Check {
  if (unless === undefined || check.verdict !== 'fail') return check
  const explaining = rowsThatMayFit(scenarioRun, unless)
  if (explaining === 0) return check
  const note = `step ${unless.step} lists ${explaining} of which this may be an effect`
  return { ...check, verdict: 'inconclusive', note }
}

function rowsThatMayFit(scenarioRun: ScenarioRun, { step, has }: NonNullable<Expectation['unless']>): number {
  const record = scenarioRun.records.get(step)
  const answer = record?.kind === 'calls' ? record.exchanges[0]?.answer : undefined
  const list = answer?.op ? LIST_OF[answer.op] : undefined
  if (!answer || list === undefined) return 0
  const found = scenarioRun.run.dialect.items(list as RoleName, answer)
  const rows = found.found ? found.items : []
  const seen = seenOf(scenarioRun)
  return rows.filter((json) => judgeRoles(seen, has, { json, op: answer.op })?.verdict !== 'fail').length
}
