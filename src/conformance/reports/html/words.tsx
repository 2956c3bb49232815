import type {
  CheckResult,
  CheckVerdict,
  RequirementResult,
  RequirementStatus,
  ScenarioResult,
} from '../../result/result.ts'
import { RESULT_WORDS } from '../result-words.ts'

/** How something ended, as the page shows it: a known failure is neither a failure nor a skip. */
export type Mark = CheckVerdict | RequirementStatus | 'known' | 'open' | 'unobservable'

type Tone = 'good' | 'bad' | 'doubt' | 'info' | 'quiet'

/** What a reader can filter by. */
export type Kind = 'failed' | 'doubt' | 'untested' | 'passed' | 'other'

const MARKS: Readonly<Record<Mark, readonly [tone: Tone, kind: Kind]>> = {
  pass: ['good', 'passed'],
  fail: ['bad', 'failed'],
  tolerated: ['quiet', 'passed'],
  inconclusive: ['doubt', 'doubt'],
  not_run: ['quiet', 'untested'],
  observed: ['info', 'passed'],
  drift: ['doubt', 'doubt'],
  harness_error: ['doubt', 'doubt'],
  known: ['info', 'failed'],
  violated: ['bad', 'failed'],
  not_exercised: ['quiet', 'untested'],
  shown: ['good', 'passed'],
  open: ['info', 'other'],
  unobservable: ['quiet', 'other'],
}

const WORDS: Readonly<Record<Mark, string>> = {
  ...RESULT_WORDS,
  known: 'known failure',
  open: 'open',
  unobservable: 'not observable',
}

export function toneOf(what: Mark): Tone {
  return MARKS[what][0]
}

export function wordOf(what: Mark): string {
  return WORDS[what]
}

export function kindOf(what: Mark): Kind {
  return MARKS[what][1]
}

/** A colored word; the word alone says it, too. */
export function MarkOf({ what }: { what: Mark }) {
  return <span class={`mark ${toneOf(what)}`}>{wordOf(what)}</span>
}

export function markOfCheck(check: CheckResult): Mark {
  return check.known === undefined ? check.verdict : 'known'
}

/** The worst outcome of a scenario. A known failure counts only if there is no other. */
export function markOfScenario({ verdict, checks }: ScenarioResult): Mark {
  const worst = checks.filter((check) => check.verdict === verdict)
  return worst.length > 0 && worst.every((check) => check.known !== undefined) ? 'known' : verdict
}

/** What the table says of a requirement. `isKnown`: each of its failures is in the baseline. */
export function markOfRequirement({ level, status, unobservable }: RequirementResult, isKnown: boolean): Mark {
  if (unobservable !== undefined) return 'unobservable'
  if (level === 'open') return 'open'
  return status === 'violated' && isKnown ? 'known' : status
}
