import type {
  CheckResult,
  CheckVerdict,
  RequirementResult,
  RequirementStatus,
  ScenarioResult,
} from '../../result/result.ts'

/** How something ended, as the page shows it: a known failure is neither a failure nor a skip. */
export type Mark = CheckVerdict | RequirementStatus | 'known' | 'open' | 'unobservable'

type Tone = 'good' | 'bad' | 'doubt' | 'info' | 'quiet'

/** What a reader can filter by. */
export type Kind = 'failed' | 'doubt' | 'untested' | 'passed' | 'other'

const MARKS: Readonly<Record<Mark, readonly [tone: Tone, word: string, kind: Kind]>> = {
  pass: ['good', 'pass', 'passed'],
  fail: ['bad', 'fail', 'failed'],
  tolerated: ['quiet', 'tolerated', 'passed'],
  inconclusive: ['doubt', 'inconclusive', 'doubt'],
  not_run: ['quiet', 'not run', 'untested'],
  observed: ['info', 'observed', 'passed'],
  drift: ['doubt', 'drift', 'doubt'],
  harness_error: ['doubt', 'runner error', 'doubt'],
  known: ['info', 'known failure', 'failed'],
  violated: ['bad', 'violated', 'failed'],
  not_exercised: ['quiet', 'not tested', 'untested'],
  shown: ['good', 'verified', 'passed'],
  open: ['info', 'open', 'other'],
  unobservable: ['quiet', 'not observable', 'other'],
}

export function toneOf(what: Mark): Tone {
  return MARKS[what][0]
}

export function wordOf(what: Mark): string {
  return MARKS[what][1]
}

export function kindOf(what: Mark): Kind {
  return MARKS[what][2]
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
