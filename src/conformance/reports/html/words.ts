import type {
  CheckResult,
  CheckVerdict,
  RequirementResult,
  RequirementStatus,
  ScenarioResult,
} from '../../result/result.ts'
import { html, type Markup } from './markup.ts'

/** How something ended, as the page shows it: a known failure is neither a failure nor a skip. */
export type Mark = CheckVerdict | RequirementStatus | 'known' | 'open' | 'unobservable'

type Tone = 'good' | 'bad' | 'doubt' | 'info' | 'quiet'

const MARKS: Readonly<Record<Mark, readonly [tone: Tone, word: string]>> = {
  pass: ['good', 'pass'],
  fail: ['bad', 'fail'],
  tolerated: ['quiet', 'tolerated'],
  inconclusive: ['doubt', 'inconclusive'],
  not_run: ['quiet', 'not run'],
  observed: ['info', 'observed'],
  drift: ['doubt', 'drift'],
  harness_error: ['doubt', 'runner error'],
  known: ['info', 'known failure'],
  violated: ['bad', 'violated'],
  not_exercised: ['quiet', 'not exercised'],
  shown: ['good', 'shown'],
  open: ['info', 'open'],
  unobservable: ['quiet', 'not observable'],
}

export function wordOf(what: Mark): string {
  return MARKS[what][1]
}

/** A colored word; the word alone says it, too. */
export function mark(what: Mark): Markup {
  const [tone, word] = MARKS[what]
  return html`<span class="mark ${tone}">${word}</span>`
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
