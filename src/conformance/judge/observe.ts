import { isDeepStrictEqual } from 'node:util'
import type { ScenarioRun } from '../context/scenario-run.ts'
import { shown } from '../format/matcher.ts'
import type { Step } from '../format/scenario.ts'
import { observationsOf } from '../format/step-names.ts'
import type { Observation } from '../result/result.ts'
import type { Subject } from './judge.ts'
import { observedValue } from './observed-value.ts'
import type { PendingCheck } from './pending-checks.ts'

/** Records what a target does with open points. Nothing here can fail; a pinned answer that changed is drift. */
export function observe(
  scenarioRun: ScenarioRun,
  step: Step,
  name: string,
  subject: Subject,
  exchange: string | null,
): { checks: PendingCheck[]; observations: Observation[] } {
  const checks: PendingCheck[] = []
  const observations: Observation[] = []
  for (const item of observationsOf(step)) {
    const value = observedValue(scenarioRun, name, item, subject)
    const gap = item.as === undefined ? item.gap : `${item.gap}/${item.as}`
    const base = { step: name, requirement: item.gap, expected: 'open', actual: shown(value ?? 'no answer'), exchange }
    if (value === null) {
      checks.push({ ...base, verdict: 'inconclusive', note: 'the connection broke' })
      continue
    }
    observations.push({ gap, value, scenario: scenarioRun.scenario })
    const { pins } = scenarioRun.run.target
    const drifted = Object.hasOwn(pins, gap) && !isDeepStrictEqual(pins[gap], value)
    checks.push(
      drifted
        ? { ...base, verdict: 'drift', expected: `as pinned: ${shown(pins[gap])}` }
        : { ...base, verdict: 'observed' },
    )
  }
  return { checks, observations }
}
