import type { Campaign } from './campaign.ts'
import { evidenceOf } from './control.ts'
import type { CheckDraft } from './drafts.ts'
import type { CheckResult, ScenarioResult } from './result.ts'
import type { ScenarioRun } from './run-scenario.ts'
import type { LoadedScenario } from './scenario.ts'
import { declaredChecks } from './steps.ts'
import { worstOf } from './verdict.ts'

/** Turns drafts into checks: what hung on an acceptance elsewhere in the run is decided by whether it was seen. */
export function settled(campaign: Campaign, run: ScenarioRun): ScenarioResult {
  const checks = run.drafts.map((draft) => clean(campaign, decided(campaign, draft)))
  const { id, file, scenario } = run.loaded
  return {
    id,
    title: scenario.title,
    file,
    verdict: worstOf(checks.map(({ verdict }) => verdict)),
    durationMs: Math.round(run.durationMs),
    checks,
  }
}

function decided(campaign: Campaign, { awaited, ...check }: CheckDraft): CheckResult {
  if (awaited === undefined) return check
  const seen = evidenceOf({ campaign }, awaited)
  if (seen?.kind === 'worked') return { ...check, twin: seen.words }
  const note = `no sound call of ${awaited.op ?? 'any operation'} was accepted in this run, so this refusal proves nothing`
  return { ...check, verdict: 'inconclusive', note }
}

function clean(campaign: Campaign, check: CheckResult): CheckResult {
  const text = campaign.redactor.text
  return {
    ...check,
    expected: text(check.expected),
    actual: text(check.actual),
    ...(check.note === undefined ? {} : { note: text(check.note) }),
  }
}

/** Scenarios that a filter left out still say that their checks were not run. */
export function filteredOut(left: readonly LoadedScenario[]): ScenarioResult[] {
  return left.map(({ id, file, scenario }) => ({
    id,
    title: scenario.title,
    file,
    verdict: 'not_run' as const,
    durationMs: 0,
    checks: declaredChecks(scenario).map(({ step, requirement }) => ({
      step,
      requirement,
      verdict: 'not_run' as const,
      expected: '',
      actual: 'not carried out',
      exchange: null,
      reason: 'filtered' as const,
    })),
  }))
}
