import { HEADERS, headerIn } from '../../contract/headers.ts'
import { counted, firstFew, grouped } from '../../contract/words.ts'
import { stableText } from '../engine/baseline.ts'
import { exchangesIn } from '../http/exchange.ts'
import type { LogSurroundings } from '../log/lines.ts'
import type { followRun } from '../log/write-log.ts'
import {
  type CheckResult,
  type CheckVerdict,
  isOutside,
  type RedactedExchange,
  type RequirementResult,
  type RunResult,
  selectionPassed,
  whenAsked,
} from '../result/result.ts'
import { type CheckGroup, causesOf, type ReportedCheck } from './causes.ts'
import { shorten } from './escape.ts'
import { additionsFor, notVerifiedOf, seenAndWhy } from './not-verified.ts'

/** How a check, a requirement or a scenario ended, from worst to best: the words of every format that people read. JSON has its own names. */
export const OUTCOMES = ['failed', 'inconclusive', 'not run', 'passed', 'observed'] as const

type VerdictWord = (typeof OUTCOMES)[number]

/** @example OUTCOME_OF.violated // 'failed' */
export const OUTCOME_OF: Readonly<Record<CheckVerdict | RequirementResult['status'], VerdictWord>> = {
  pass: 'passed',
  shown: 'passed',
  fail: 'failed',
  violated: 'failed',
  inconclusive: 'inconclusive',
  harness_error: 'inconclusive',
  not_run: 'not run',
  not_exercised: 'not run',
  observed: 'observed',
  drift: 'observed',
  tolerated: 'observed',
}

type Counts = Readonly<Record<VerdictWord, number>>

/** What all reports of a run share: the same counts, the same groups, the same words. */
export interface ReportModel {
  readonly run: RunResult
  /** Every check, in the order in which they ran. */
  readonly checks: readonly ReportedCheck[]
  /** The checks that the run is about: without what its selection left out. */
  readonly counted: readonly ReportedCheck[]
  readonly counts: { readonly checks: Counts; readonly requirements: Counts }
  /** Requirements with failed checks that the baseline does not list. */
  readonly failed: readonly {
    readonly id: string
    readonly requirement: RequirementResult | undefined
    readonly checks: readonly ReportedCheck[]
    /** The checks by the way in which they failed; each group has at least one. */
    readonly causes: readonly CheckGroup[]
  }[]
  /** The same for failures that the baseline lists. */
  readonly known: ReportModel['failed']
  /** Why requirements of the profile neither passed nor failed, most frequent reason first. */
  readonly notVerified: ReturnType<typeof notVerifiedOf>
  /** What to add to the target file so that more can be verified, as lines of YAML. */
  readonly additions: readonly string[]
}

/**
 * Groups and counts the checks of a run for its reports.
 *
 * @example reportModelOf(result).counts.checks.failed // 0
 */
export function reportModelOf(run: RunResult): ReportModel {
  const requirements = new Map(run.requirements.map((requirement) => [requirement.id, requirement]))
  const exchanges = whenAsked(() => new Map(run.exchanges.map((exchange) => [exchange.id, exchange])))
  const byKey = whenAsked(() =>
    grouped(
      run.exchanges.filter((exchange) => keyOf(exchange) !== ''),
      keyOf,
    ),
  )
  const checks = run.scenarios.flatMap((scenario) =>
    scenario.checks.map(
      (check): ReportedCheck => ({
        scenario,
        check,
        requirement: requirements.get(check.requirement),
        get exchange() {
          return check.exchange === null ? undefined : exchanges().get(check.exchange)
        },
        get before() {
          // What met a limit or a bad moment has done nothing, and is the same call.
          const answered = ({ status }: RedactedExchange) => status !== null && status !== 429 && status < 500
          const first = byKey().get(keyOf(this.exchange))?.find(answered)
          return first === this.exchange ? undefined : first
        },
        get twin() {
          const [id = ''] = exchangesIn(check.twin)
          return exchanges().get(id)
        },
      }),
    ),
  )
  const counted = checks.filter(({ check }) => !isOutside(check))
  const failed = checks.filter(({ check }) => check.verdict === 'fail')
  // And any other requirement that failed.
  const inProfile = run.requirements.filter(
    ({ id, status }) => run.profile.requirements.includes(id) || status === 'violated',
  )
  const [known, unknown] = [failed.filter(isKnown), failed.filter((found) => !isKnown(found))]
  // Some reports show neither.
  const notVerified = whenAsked(() => notVerifiedOf(run))
  const additions = whenAsked(() => additionsFor(run))
  return {
    run,
    checks,
    counted,
    counts: {
      checks: countsOf(counted.map(({ check }) => check.verdict)),
      requirements: countsOf(inProfile.map(({ status }) => status)),
    },
    failed: byRequirement(unknown, run),
    known: byRequirement(known, run),
    get notVerified() {
      return notVerified()
    },
    get additions() {
      return additions()
    },
  }
}

/** Its Idempotency-Key; empty if it has none. */
function keyOf(exchange: RedactedExchange | undefined): string {
  return (exchange && headerIn(exchange.requestHeaders, HEADERS.idempotencyKey)) ?? ''
}

function countsOf(verdicts: readonly (CheckVerdict | RequirementResult['status'])[]): Counts {
  const found = verdicts.map((verdict) => OUTCOME_OF[verdict])
  const rows = OUTCOMES.map((outcome) => [outcome, found.filter((one) => one === outcome).length])
  return Object.fromEntries(rows) as Record<VerdictWord, number>
}

/** In the order of the registry; an id that it does not have comes last. */
function byRequirement(failed: readonly ReportedCheck[], { requirements }: RunResult): ReportModel['failed'] {
  const places = new Map(requirements.map(({ id }, at) => [id, at]))
  const place = (id: string) => places.get(id) ?? requirements.length
  return [...grouped(failed, ({ check }) => check.requirement)]
    .sort(([a], [b]) => place(a) - place(b))
    .map(([id, checks]) => ({ id, requirement: checks[0]?.requirement, checks, causes: causesOf(checks) }))
}

/** The checks of a verdict by what is to be said about them, without those that the baseline lists. */
export function groupsWith(model: Pick<ReportModel, 'checks'>, verdict: CheckVerdict): CheckGroup[] {
  // What is not as pinned differs by the pin, too.
  const pin = ({ expected }: CheckResult) => (verdict === 'drift' ? expected : '')
  // What is in doubt for the same reason is one thing to do, whatever each call was answered.
  const says = (check: CheckResult) => (verdict === 'inconclusive' && check.note) || seenAndWhy(check)
  return alike(checksWith(model, verdict), ({ check }) =>
    JSON.stringify([stableText(says(check)), check.todo, pin(check)]),
  )
}

/** What is to be said of a group in doubt: the first answer, and how many others there were. */
export function answersAndWhy({ first, checks }: CheckGroup): string {
  const others = new Set(checks.map(({ check }) => stableText(check.actual))).size - 1
  const { actual } = first.check
  return seenAndWhy({
    ...first.check,
    actual: others > 0 ? `${actual} (and ${counted(others, 'other answer')})` : actual,
  })
}

function alike(checks: readonly ReportedCheck[], wordsOf: (found: ReportedCheck) => string): CheckGroup[] {
  return [...grouped(checks, wordsOf).values()].flatMap((own) =>
    own.slice(0, 1).map((first) => ({ first, checks: own })),
  )
}

/** The checks of these verdicts that the baseline does not list. */
export function checksWith({ checks }: Pick<ReportModel, 'checks'>, ...verdicts: readonly CheckVerdict[]) {
  return checks.filter((found) => verdicts.includes(found.check.verdict) && !isKnown(found))
}

function isKnown({ check }: ReportedCheck): boolean {
  return check.known !== undefined
}

const PLACES_SHOWN = 3

/**
 * Where checks are: scenarios with their steps, the first few by name.
 *
 * @example placesOf(checks) // 'auth/nonce-reuse > exact_copy, fresh; replay/of-a-write > copy; and 4 more scenarios'
 */
export function placesOf(checks: readonly ReportedCheck[]): string {
  const places = [...grouped(checks, ({ scenario }) => scenario.id)].map(([id, own]) => {
    const steps = [...new Set(own.map(({ check }) => check.step))]
    return `${id} > ${firstFew(steps, PLACES_SHOWN).join(', ')}`
  })
  const left = places.length - PLACES_SHOWN
  return [...places.slice(0, PLACES_SHOWN), ...(left > 0 ? [`and ${counted(left, 'more scenario')}`] : [])].join('; ')
}

/** Their ids, each once. */
export function scenariosOf(checks: readonly ReportedCheck[]): string[] {
  return [...new Set(checks.map(({ scenario }) => scenario.id))]
}

/** The requirements that checks are about, each once. */
export function idsOf(checks: readonly ReportedCheck[]): string {
  return [...new Set(checks.map(({ check }) => check.requirement))].join(', ')
}

/** What a run did of one kind, against what its scenarios declare and its budget allows. Null: none, or not counted. */
interface Usage {
  readonly name: 'requests' | 'orders' | 'quotes' | 'webhooks'
  readonly declared: number | null
  readonly budget: number | null
  readonly used: number | null
}

/** @param keepsNothing in a sandbox of our own, what was made in copies of its world costs nothing and is not counted. */
export function usageOf({ plan, summary, created, target }: RunResult, keepsNothing = false): Usage[] {
  // A receiver only gets events about things.
  const things = target.environment === 'receiver' ? [] : created
  const made = (wanted: RunResult['created'][number]['kind']) =>
    keepsNothing ? null : things.filter(({ kind }) => kind === wanted).length
  return [
    { name: 'requests', declared: null, budget: plan.budget.requests, used: summary.requests },
    { name: 'orders', declared: plan.orders, budget: plan.budget.orders, used: made('order') },
    { name: 'quotes', declared: plan.quotes, budget: plan.budget.quotes, used: made('quote') },
    { name: 'webhooks', declared: plan.webhooks, budget: null, used: made('webhook') },
  ]
}

/** What every report for people says first. */
interface Headline {
  readonly tone: 'good' | 'bad' | 'doubt' | 'quiet'
  readonly verdict: string
  readonly sentence: string
}

/** @example headlineOf(model).verdict // 'non-conforming' */
export function headlineOf({ run, counts, failed, known }: ReportModel): Headline {
  const { passed, inconclusive, 'not run': notRun } = counts.requirements
  const total = OUTCOMES.reduce((sum, outcome) => sum + counts.requirements[outcome], 0)
  const open = [
    ...(inconclusive > 0 ? [`${inconclusive} inconclusive`] : []),
    ...(notRun > 0 ? [`${notRun} not run`] : []),
  ]
  const rest = open.length === 0 ? '' : ` ${open.join(', ')}.`
  const chosen = selectionPassed(run)
  if (run.verdict === 'void') return { tone: 'quiet', verdict: 'nothing ran', sentence: nothingRan(run) }
  if (run.verdict === 'conforming')
    return { tone: 'good', verdict: 'conforming', sentence: conformingBy(passed, total) }
  if (chosen !== null)
    return { tone: 'good', verdict: chosen, sentence: 'The other scenarios of the profile were not run.' }
  if (run.verdict === 'not_fully_verified')
    return {
      tone: 'doubt',
      verdict: 'not fully verified',
      sentence: `No requirement failed; ${passed} of ${counted(total, 'requirement')} passed.${rest}`,
    }
  if (failed.length === 0 && known.length > 0)
    return {
      tone: 'doubt',
      verdict: 'known failures only',
      sentence: `${counted(known.length, 'requirement')} failed; the baseline lists every failure.${rest}`,
    }
  const listed = known.filter(({ id }) => failed.every((one) => one.id !== id)).length
  const outside = failed.flatMap(({ id }) => (run.profile.requirements.includes(id) ? [] : [id]))
  const beyond = outside.length === 0 ? '' : `, ${outside.join(', ')} outside the profile`
  const besides = listed === 0 ? '' : ` The baseline lists the failures of ${counted(listed, 'other')}.`
  return {
    tone: 'bad',
    verdict: 'non-conforming',
    sentence: `${counted(failed.length, 'requirement')} failed${beyond}.${besides}${rest}`,
  }
}

function conformingBy(passed: number, total: number): string {
  if (passed === total)
    return `${total === 1 ? 'The one requirement' : `All ${total} requirements`} of this run passed.`
  const hidden = total - passed === 1 ? 'the other one' : `the other ${total - passed}`
  return `${passed} of ${counted(total, 'requirement')} passed; ${hidden} cannot be seen, by a choice that the document leaves to the target.`
}

/** What is wrong with a run that checked nothing; no report of it may look green. */
export function nothingRan(run: RunResult): string {
  const why = whyEnded(run) ?? whatMainLacks(run)
  return `${why === null ? '' : `${why}: `}No check ran, so this run has no verdict.`
}

/** The scopes without which nothing could run, from the notes of what was not; null if something could have. */
function whatMainLacks({ scenarios }: RunResult): string | null {
  const checks = scenarios.flatMap((scenario) => scenario.checks)
  if (checks.some(({ reason }) => reason === 'dry-run')) return null
  const notes = checks.flatMap(({ reason, note = '' }) => (reason === 'needs-scope' ? [note] : []))
  const ofMain = notes.flatMap((note) => /the credential main needs ([^;]*)/.exec(note)?.[1] ?? [])
  const scopes = new Set(ofMain.flatMap((words) => [...words.matchAll(/\bscope ([a-z]+)/g)].map(([, scope]) => scope)))
  if (scopes.size === 0) return null
  return `the credential main lacks the ${scopes.size === 1 ? 'scope' : 'scopes'} ${[...scopes].join(', ')}; use one that has them`
}

const BEFORE = / before this was (?:reached|over)$/

/**
 * Why a run ended before its time, from the notes of what it did not reach; null if it ran to its end, or if its log does not say.
 *
 * @example whyEnded(run) // 'http://127.0.0.1:1 gives no answer (no connection: ECONNREFUSED: nothing listens there)'
 */
function whyEnded({ scenarios }: Pick<RunResult, 'scenarios'>): string | null {
  const notes = scenarios.flatMap(({ checks }) =>
    checks.flatMap(({ reason, note = '' }) => (reason === 'interrupted' && BEFORE.test(note) ? [note] : [])),
  )
  return notes[0]?.replace(BEFORE, '') ?? null
}

/**
 * That a run ended before its time, said of it, and why where that is known; null if it ran to its end. A run that checked nothing
 * says so in its verdict.
 *
 * @example earlyEnd(run) // 'was interrupted'
 */
export function earlyEnd(run: RunResult): string | null {
  if (!run.interrupted || run.verdict === 'void') return null
  const why = whyEnded(run)
  return why === null || why === 'the run was interrupted' ? 'was interrupted' : `ended early, because ${why}`
}

/** In the order in which a reader asks. */
const COUNTED = ['passed', 'failed', 'inconclusive', 'not run', 'observed'] as const

/**
 * Counts in one line, those of nothing left out.
 *
 * @example countsText(model.counts.checks, { failed: '2 known' }) // '715 passed, 18 failed (2 known), 99 observed'
 */
export function countsText(counts: Counts, notes: Partial<Record<keyof Counts, string>> = {}): string {
  const words = COUNTED.filter((outcome) => counts[outcome] > 0).map((outcome) => {
    const note = notes[outcome]
    return `${counts[outcome]} ${outcome}${note ? ` (${note})` : ''}`
  })
  return words.length === 0 ? 'none' : words.join(', ')
}

/** The counts of checks, with what a reader has to know of them: how many failures are known, answers differ from their pin, and errors are the runner's own. */
export function checkCountsText({ counts, counted: checks }: ReportModel): string {
  const count = (is: (found: (typeof checks)[number]) => boolean, words: string) => {
    const found = checks.filter(is).length
    return found === 0 ? '' : `${found} ${words}`
  }
  return countsText(counts.checks, {
    failed: count(({ check }) => check.known !== undefined, 'known'),
    inconclusive: count(({ check }) => check.verdict === 'harness_error', 'by an error of the runner'),
    observed: count(({ check }) => check.verdict === 'drift', 'not as pinned'),
  })
}

/** The heading above what a run created. A receiver only gets events about it. */
export function createdTitle({ run }: ReportModel): string {
  return run.target.environment === 'receiver' ? 'Sent to the receiver' : 'Left on the target'
}

const THINGS_SHOWN = 3
const MAX_ID_CHARACTERS = 100

/** How a run names a thing of which the target showed no id. */
const NO_ID = 'unknown'

/** What a run created, by kind, the first few by id: the JSON report has them all. Things without an id cannot be counted. */
export function createdOf({ created }: RunResult): { readonly count: string; readonly ids: readonly string[] }[] {
  return [...grouped(created, ({ kind }) => kind)].map(([kind, things]) => {
    const noun = kind.replaceAll('_', ' ')
    const known = things.filter(({ id }) => id !== NO_ID)
    const shown = firstFew(
      known.map(({ id }) => shorten(id, MAX_ID_CHARACTERS)),
      THINGS_SHOWN,
    )
    const unnamed = known.length < things.length ? ['one or more whose id the target did not show'] : []
    const count = known.length === 0 ? `${noun}s` : counted(known.length, noun)
    // A partner has one registration, so that its own is gone.
    const replaced = kind === 'webhook' ? ' (in place of any before: register yours again)' : ''
    return { count: count + replaced, ids: [...shown, ...unnamed] }
  })
}

/** How a report is to be written; never what is in it. */
export interface RenderOptions extends Pick<LogSurroundings, 'invocation' | 'signing'> {
  /** ANSI colors. Only the reports for a terminal look at it. */
  color: boolean
  /** All ids, places, signed lines and observations, where a report for a terminal would count them. */
  verbose?: boolean
  keepsNothing?: LogSurroundings['keepsNothing']
  /** Folder of the scenarios of this package, as the names of their files begin: no reader has these files. */
  ownScenarios?: string
}

/** A report depends only on the outcome of the run. */
export interface Reporter {
  /** It shows calls that no check names too: the run has to keep them all (see RunOptions.transcript). */
  readonly wants?: 'every-exchange'
  /** The whole report, ending in a newline. */
  render(model: ReportModel, options: RenderOptions): string
  /**
   * Writes the report piece by piece while the run goes, for a report that has to be there even if the run is killed.
   * What it has written when `end` returns says what `render` would have said.
   */
  follow?(write: (text: string) => void, options: Omit<RenderOptions, 'color'>): ReturnType<typeof followRun>
}
