import { shown } from '../format/matcher.ts'
import type { CheckResult, Observation, RunResult } from '../result/result.ts'
import { allChecks, grouped } from './digest.ts'

/** What a target was seen to do with one side of an open point. */
export interface Answer {
  /** Which side, where the point has several; else empty. */
  about: string
  /** In one line. */
  value: string
  /** Where it was seen, each once. */
  scenarios: string[]
  /** The other answer, which the target file has pinned; null if there is no pin or the answer still matches it. */
  pinned: string | null
}

/**
 * The observations of a run by requirement, in the order they were made; the same answer seen twice is one.
 *
 * @example answersOf(run).get('AUTH-17') // [{ about: 'replay_detected', value: '401', scenarios: [...], pinned: null }]
 */
export function answersOf(run: RunResult): Map<string, Answer[]> {
  const checks = grouped(
    allChecks(run).filter(({ check: { verdict } }) => verdict === 'observed' || verdict === 'drift'),
    ({ scenario, check }) => JSON.stringify([scenario.id, check.requirement]),
  )
  const answers = new Map<string, Answer[]>()
  for (const observation of run.observations) {
    const [id = '', ...sides] = observation.gap.split('/')
    // Each scenario makes one check with each observation, and the check does not say which side it is about.
    const check = checks.get(JSON.stringify([observation.scenario, id]))?.shift()?.check
    const own = answers.get(id) ?? []
    answers.set(id, own)
    noteAnswer(own, sides.join('/'), observation, pinnedInstead(observation, check))
  }
  return answers
}

function noteAnswer(own: Answer[], about: string, { value, scenario }: Observation, pinned: string | null): void {
  const text = answerText(value)
  const same = own.find((answer) => answer.about === about && answer.value === text)
  if (!same) own.push({ about, value: text, scenarios: [scenario], pinned })
  else if (!same.scenarios.includes(scenario)) same.scenarios.push(scenario)
}

/** A value as the reports write it. */
export function answerText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
}

function pinnedInstead({ value }: Observation, check: CheckResult | undefined): string | null {
  return check?.verdict === 'drift' && check.actual === shown(value) ? check.expected.replace(/^as pinned: /, '') : null
}
