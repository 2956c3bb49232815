import { shown } from '../matcher.ts'
import type { CheckResult, Observation, RunResult } from '../result.ts'

/** What a target was seen to do with one side of an open point. */
export interface Answer {
  /** Which side, where the point has several; else empty. */
  about: string
  /** In one line. */
  value: string
  /** Where it was seen, each once. */
  scenarios: string[]
  /** What the target file has pinned instead, in words; null where nothing is pinned or it is still so. */
  pinned: string | null
}

/**
 * The observations of a run by requirement, in the order they were made; the same answer seen twice is one.
 *
 * @example answersOf(run).get('AUTH-17') // [{ about: 'replay_detected', value: '401', scenarios: [...], pinned: null }]
 */
export function answersOf(run: RunResult): Map<string, Answer[]> {
  const drifts = driftsOf(run)
  const answers = new Map<string, Answer[]>()
  for (const observation of run.observations) {
    const [id, ...sides] = observation.gap.split('/')
    const own = answers.get(id ?? '') ?? []
    answers.set(id ?? '', own)
    noteAnswer(own, sides.join('/'), observation, drifts)
  }
  return answers
}

function noteAnswer(
  own: Answer[],
  about: string,
  { gap, value, scenario }: Observation,
  drifts: ReadonlyMap<string, string>,
): void {
  const text = answerText(value)
  const same = own.find((answer) => answer.about === about && answer.value === text)
  const pinned = drifts.get(driftKey(scenario, gap.split('/')[0] ?? '', shown(value))) ?? null
  if (!same) own.push({ about, value: text, scenarios: [scenario], pinned })
  else if (!same.scenarios.includes(scenario)) same.scenarios.push(scenario)
}

/** A value as the reports write it. */
export function answerText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
}

/** What was pinned, by the place and the answer that differs from it. */
function driftsOf(run: RunResult): Map<string, string> {
  const drifted = run.scenarios.flatMap(({ id, checks }) =>
    checks.filter(({ verdict }) => verdict === 'drift').map((check): [string, CheckResult] => [id, check]),
  )
  return new Map(
    drifted.map(([scenario, { requirement, actual, expected }]) => [driftKey(scenario, requirement, actual), expected]),
  )
}

function driftKey(scenario: string, requirement: string, actual: string): string {
  return JSON.stringify([scenario, requirement, actual])
}
