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

const WORDS: Readonly<Record<Mark, string>> = {
  pass: 'pass',
  fail: 'fail',
  tolerated: 'tolerated',
  inconclusive: 'inconclusive',
  not_run: 'not run',
  observed: 'observed',
  drift: 'drift',
  harness_error: 'our own error',
  known: 'known failure',
  violated: 'violated',
  not_exercised: 'not exercised',
  shown: 'shown',
  open: 'open',
  unobservable: 'not observable',
}

type Tone = 'good' | 'bad' | 'doubt' | 'info' | 'quiet'

const TONES: Readonly<Record<Mark, Tone>> = {
  pass: 'good',
  shown: 'good',
  fail: 'bad',
  violated: 'bad',
  inconclusive: 'doubt',
  harness_error: 'doubt',
  drift: 'doubt',
  known: 'info',
  observed: 'info',
  open: 'info',
  tolerated: 'quiet',
  not_run: 'quiet',
  not_exercised: 'quiet',
  unobservable: 'quiet',
}

/** A coloured word; the word alone says it, too. */
export function mark(what: Mark): Markup {
  return html`<span class="mark ${TONES[what]}">${WORDS[what]}</span>`
}

export function markOfCheck(check: CheckResult): Mark {
  return check.known === undefined ? check.verdict : 'known'
}

/** The worst that a scenario met; a known failure counts only where there is no other. */
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
