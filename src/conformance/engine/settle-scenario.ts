import { redactedValue } from '../../contract/redact.ts'
import type { Run } from '../context/run-context.ts'
import { outlineOf } from '../format/step-facts.ts'
import { redactedCheck } from '../http/redact.ts'
import type { PendingCheck } from '../judge/pending-checks.ts'
import { evidenceOf } from '../judge/twin.ts'
import { worstOf } from '../judge/verdict.ts'
import type { CheckResult, CreatedThing, Observation, Outline, ScenarioResult } from '../result/result.ts'
import { whenAsked } from '../result/when-asked.ts'
import type { FinishedScenario } from './run-scenario.ts'
import type { LeftOut } from './sample.ts'

/**
 * Turns drafts into checks: what hung on an acceptance elsewhere in the run is decided by whether it was seen. Their words are
 * redacted when a report shows them.
 */
export function settled(run: Run, finished: FinishedScenario): ScenarioResult {
  const settledChecks = finished.checks.map((pendingCheck) => decided(run, pendingCheck))
  const checks = whenAsked(() => settledChecks.map((check) => redactedCheck(check, run.redactor)))
  const { id, title, file } = finished.outline
  return {
    ...{ id, title, file },
    verdict: worstOf(settledChecks.map(({ verdict }) => verdict)),
    durationMs: Math.round(finished.durationMs),
    get checks() {
      return checks()
    },
  }
}

function decided(run: Run, { awaited, guessed, ...check }: PendingCheck): CheckResult {
  if (check.verdict === 'fail' && guessed) return unlessGuessed(run, check, guessed)
  if (awaited === undefined) return check
  const seen = evidenceOf({ run }, awaited)
  if (seen?.kind === 'worked') return { ...check, twin: seen.words }
  // What the rest of the run would have shown is unknown.
  const { why } = run.earlyStop
  if (why !== null) return { ...check, ...notReached(why) }
  const what = awaited.op ?? 'any operation'
  const note = `no valid call of ${what} was accepted in this run, so this refusal decides nothing`
  const todo = `Make the target accept a valid call of ${what}: see its answers in other scenarios, and set another body or other names in the target file, under dialect.`
  return { ...check, verdict: 'inconclusive', note, todo }
}

/** A place that the runner found without a hint is not enough for a failure: some check has to have shown it to be right. */
function unlessGuessed({ learned, earlyStop }: Run, check: CheckResult, guessed: readonly string[]): CheckResult {
  const unsure = guessed.filter((place) => !learned.agreed.has(place))
  if (unsure.length === 0) return check
  if (earlyStop.why !== null) return { ...check, ...notReached(earlyStop.why) }
  const note = `the runner guessed the place of ${unsure.join(', ')}, and nothing confirms it: if it is right, set it under dialect.roles`
  return { ...check, verdict: 'not_run', reason: 'needs-dialect', note: check.note ? `${check.note}; ${note}` : note }
}

/** What was seen of the open points. */
export function observed(run: Run, runs: readonly Pick<FinishedScenario, 'observations'>[]): Observation[] {
  return runs.flatMap(({ observations }) =>
    observations.map((observation) => ({
      ...observation,
      value: redactedValue(observation.value, run.redactor.text),
    })),
  )
}

/** What the run has made so far, by ids that the target chose. */
export function createdBy({ created, redactor }: Run): CreatedThing[] {
  return created.map(({ kind, id }) => ({ kind, id: redactor.text(id) }))
}

/** Scenarios that a filter left out still say that their checks were not run. */
export function filteredOut(left: readonly Outline[]): ScenarioResult[] {
  return left.map((outline) => notCarriedOut(outline, { reason: 'filtered' }))
}

/** Rows that a small budget has no room for name those that run in their place. */
export function beyondBudget(leftOut: readonly LeftOut[]): ScenarioResult[] {
  return leftOut.map(({ loaded, note }) => notCarriedOut(outlineOf(loaded), { reason: 'budget', note }))
}

/** Those whose turn never came say so. */
export function neverReached({ earlyStop }: Run, left: readonly Outline[]): ScenarioResult[] {
  return left.map((outline) => notCarriedOut(outline, notReached(earlyStop.why ?? 'the run ended')))
}

/** Why a check was not carried out. */
export type WhyNot = Pick<CheckResult, 'reason' | 'note'>

function notReached(why: string): Required<WhyNot> & Pick<CheckResult, 'verdict' | 'actual'> {
  return {
    verdict: 'not_run',
    actual: 'not carried out',
    reason: 'interrupted',
    note: `${why} before this was reached`,
  }
}

/** A scenario of which nothing was done. */
export function notCarriedOut({ id, title, file, checks }: Outline, why: WhyNot): ScenarioResult {
  return {
    ...{ id, title, file },
    verdict: 'not_run',
    durationMs: 0,
    checks: checks.map((declared) => ({
      ...declared,
      verdict: 'not_run',
      expected: title,
      actual: 'not carried out',
      exchange: null,
      ...why,
    })),
  }
}
