import { runVerdictOf } from '../judge/verdict.ts'
import type { CheckResult, NotRunReason, RunResult } from '../result/result.ts'

/** A failure that is known, and why it is left as it is for a while. */
export interface BaselineEntry {
  /** Scenario and step, `orders/price-mismatch/too_high`; without it the entry is about every check of the requirement. */
  check?: string
  requirement: string
  /** How the checks fail, in short. Those that fail in another way are new. Without it an entry of a requirement lists any failure. */
  fingerprint?: string
  reason: string
  /** The last day on which it counts, `2030-06-30`, in UTC. */
  until: string
}

/** A run in the light of a baseline. */
export interface BaselinedRun {
  /** The same run, whose known failures say why they are known. Its verdict stays what it was. */
  result: RunResult
  /** Entries whose check passes now: they have to go. */
  stale: BaselineEntry[]
  /** Entries whose check fails in another way than they say. */
  changed: ChangedFailure[]
  /** Entries whose last day is over; the failures they were about are no longer known. */
  expired: BaselineEntry[]
  /** Entries whose check was not carried out, or proved nothing: they neither hide anything nor are stale. */
  unseen: BaselineEntry[]
  /** What the verdict would be without the requirements whose failures are all known. */
  verdictBesides: RunResult['verdict']
}

interface ChangedFailure {
  entry: BaselineEntry
  /** How it fails now. */
  fingerprint: string
}

/**
 * Sets known failures apart from news.
 *
 * @param nowMs the wall clock, which expiry goes by.
 * @example applyBaseline(result, entries, wall.nowMs()).stale
 */
export function applyBaseline(result: RunResult, entries: readonly BaselineEntry[], nowMs: number): BaselinedRun {
  const expired = entries.filter(({ until }) => isOver(until, nowMs))
  const valid = entries.filter((entry) => !expired.includes(entry))
  const covered = new Set(valid.flatMap((entry) => checksOf(result, entry).filter((check) => isListed(check, entry))))
  const judged = valid.map((entry) => ({ entry, ...stateOf(entry, checksOf(result, entry), covered) }))
  const known = new Map(judged.flatMap(({ entry, listed }) => listed.map((check) => [check, entry] as const)))
  const of = (state: EntryState['state']) => judged.filter((one) => one.state === state).map(({ entry }) => entry)
  const over = expired.flatMap((entry) => {
    const listed = checksOf(result, entry).filter((check) => isListed(check, entry) && !covered.has(check))
    return listed.map((check) => [check, entry] as const)
  })
  return {
    result: withKnown(result, known, new Map(over)),
    stale: of('stale'),
    changed: judged.flatMap(({ entry, otherwise }) => (otherwise ? [{ entry, fingerprint: otherwise }] : [])),
    expired,
    unseen: of('unseen'),
    verdictBesides: verdictBesides(result, covered),
  }
}

/**
 * What a finished run says of its known failures, as its log does; null if it knows none. Stale entries are not in it: the
 * run itself has reported them.
 */
export function baselinedBefore(result: RunResult): BaselinedRun | null {
  const known = result.scenarios.flatMap(({ checks }) => checks.filter((check) => check.known !== undefined))
  if (known.length === 0) return null
  return {
    result,
    stale: [],
    changed: [],
    expired: [],
    unseen: [],
    verdictBesides: verdictBesides(result, new Set(known)),
  }
}

/** What a run would add to a baseline: each requirement that fails, with each way in which it does. */
export function newEntries(result: RunResult): Omit<BaselineEntry, 'reason' | 'until'>[] {
  const entries = result.scenarios.flatMap(({ checks }) =>
    checks
      .filter(({ verdict, known }) => verdict === 'fail' && !known)
      .map((check) => ({ requirement: check.requirement, fingerprint: fingerprintOf(check) })),
  )
  return [...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values()]
}

/** Whether a text is a day such as 2030-06-30. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const ms = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

/** Whether a day, in UTC, is over. */
export function isOver(day: string, nowMs: number): boolean {
  return nowMs >= Date.parse(`${day}T00:00:00Z`) + DAY_MS
}

const DAY_MS = 86_400_000

interface EntryState {
  state: 'covers' | 'changed' | 'stale' | 'unseen'
  /** The failures that the entry lists. */
  listed: CheckResult[]
  otherwise?: string
}

/** @param covered failures that some entry lists. */
function stateOf(entry: BaselineEntry, checks: readonly CheckResult[], covered: ReadonlySet<CheckResult>): EntryState {
  const listed = checks.filter((check) => isListed(check, entry))
  if (listed.length > 0) return { state: 'covers', listed }
  const failing = checks.filter(({ verdict }) => verdict === 'fail')
  const other = failing.find((check) => !covered.has(check))
  if (other) return { state: 'changed', listed, otherwise: fingerprintOf(other) }
  return { state: isSettled(checks) ? 'stale' : 'unseen', listed }
}

function isListed(check: CheckResult, { fingerprint }: BaselineEntry): boolean {
  return check.verdict === 'fail' && (fingerprint === undefined || fingerprintOf(check) === fingerprint)
}

/** Whether checks were carried out and none of them could still fail: what a run cannot do, it could not do before either. */
function isSettled(checks: readonly CheckResult[]): boolean {
  const ran = checks.filter(({ verdict }) => verdict !== 'not_run')
  const isSure = ({ verdict, reason }: CheckResult): boolean =>
    verdict === 'not_run'
      ? reason !== undefined && !MAY_RUN_NEXT_TIME.includes(reason)
      : verdict !== 'inconclusive' && verdict !== 'harness_error'
  return ran.length > 0 && checks.every(isSure)
}

const MAY_RUN_NEXT_TIME: readonly NotRunReason[] = ['filtered', 'no-occasion', 'interrupted', 'budget', 'dry-run']

function checksOf({ scenarios }: RunResult, { check, requirement }: BaselineEntry): CheckResult[] {
  return scenarios.flatMap(({ id, checks }) =>
    checks.filter((one) => one.requirement === requirement && (check === undefined || `${id}/${one.step}` === check)),
  )
}

/** @param over what was known for so long, which a note says. */
function withKnown(
  result: RunResult,
  known: ReadonlyMap<CheckResult, BaselineEntry>,
  over: ReadonlyMap<CheckResult, BaselineEntry>,
): RunResult {
  const marked = (check: CheckResult): CheckResult => {
    const entry = known.get(check)
    if (entry) return { ...check, known: { reason: entry.reason, until: entry.until } }
    const past = over.get(check)
    if (!past) return check
    const note = `it was known until ${past.until}, and its entry of the baseline is over: ${past.reason}`
    return { ...check, note: check.note === undefined ? note : `${note}; ${check.note}` }
  }
  return {
    ...result,
    scenarios: result.scenarios.map((scenario) => ({ ...scenario, checks: scenario.checks.map(marked) })),
  }
}

/** A requirement whose failures are all known is not asked after, whatever else its checks say. */
function verdictBesides(result: RunResult, known: ReadonlySet<CheckResult>): RunResult['verdict'] {
  const failing = result.scenarios.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict === 'fail'))
  const anew = new Set(failing.filter((check) => !known.has(check)).map(({ requirement }) => requirement))
  const excused = new Set([...known].map(({ requirement }) => requirement).filter((id) => !anew.has(id)))
  const rest = result.scenarios.flatMap(({ checks }) => checks.filter(({ requirement }) => !excused.has(requirement)))
  const profile = { ...result.profile, requirements: result.profile.requirements.filter((id) => !excused.has(id)) }
  // All that the run is about is known: nothing else is there to be verified.
  if (excused.size > 0 && profile.requirements.length === 0 && rest.length === 0) return 'conforming'
  const verdict = runVerdictOf(result.requirements, rest, profile)
  // What is known ran, too.
  return verdict === 'void' && excused.size > 0 ? 'not_fully_verified' : verdict
}

/**
 * How a check fails, in words that stay the same from run to run: what came instead of what, without the ids, names, times
 * and amounts that change in every run. Two failures with one fingerprint are the same failure.
 *
 * @example fingerprintOf(check) // '409 conflict instead of accepted (any 2xx); order.public_id is ...'
 */
export function fingerprintOf({ actual, expected }: Pick<CheckResult, 'actual' | 'expected'>): string {
  const withoutText = actual
    .replace(/^([1-5]\d\d [a-z][a-z0-9_]*): .*$/s, '$1')
    .replace(/^(another answer than \S+ got|.* should not be there): .*$/s, '$1')
  return `${shortened(stableText(withoutText))} instead of ${shortened(stableText(expected))}`
}

/** What stands for everything that is another one in each run. */
const ANY = '...'

type Pattern = readonly [RegExp, string]

/** Ids and times. In this order: a later pattern must not eat part of what an earlier one takes whole. */
const IDS: readonly Pattern[] = [
  [/\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?/g, ANY],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, ANY],
  [/\bconf-[0-9a-f]{10}[\w.-]*/g, ANY],
  [/\b[a-z]{2,5}_(?=[A-Za-z]*\d)[A-Za-z0-9]{6,}/g, ANY],
  [/\b(?=[a-z]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b/g, ANY],
]

const PASSING: readonly Pattern[] = [
  [/"[^"]*"/g, ANY],
  [/\bhttps?:\/\/\S+/g, ANY],
  ...IDS,
  [/(domain(?: is(?: not)?)?) [a-z0-9-]+(?:\.[a-z0-9-]+)+/g, `$1 ${ANY}`],
  // One thing of a kind is of the same kind as several.
  [/\b(1|none of 1) ((?:[a-z]+ )?(?:event|answer))\b(?!\.)/g, '$1 $2s'],
  [/\b(1|none of 1) delivery\b(?!\.)/g, '$1 deliveries'],
  [/\bnumber \d+ of \d+/g, 'one'],
  [/\bnone of \d+/g, 'none'],
]

/**
 * A text without ids and times, which are others in each run.
 *
 * @example withoutIds('https://shop.example/done?session_id=cs_9f2c71ab') // 'https://shop.example/done?session_id=...'
 */
export function withoutIds(text: string): string {
  return IDS.reduce((left, [pattern, stand]) => left.replace(pattern, stand), text)
}

/**
 * A text without what is another one in each run: ids, names, times and amounts.
 *
 * @example stableText('144 orders.items add up to 9') // '# orders.items add up to #'
 */
export function stableText(text: string): string {
  const words = PASSING.reduce((left, [pattern, stand]) => left.replace(pattern, stand), text.replaceAll(/\s+/g, ' '))
  return words
    .trim()
    .replace(NUMBER, (number, at: number) =>
      isTelling(number, words.slice(0, at), words.slice(at + number.length)) ? number : '#',
    )
}

const NUMBER = /(?<![\w.])-?\d+(?:\.\d+)?(?!\w)/g

/** None, one and the statuses of HTTP distinguish failures; other numbers are amounts and counts, such as `144 orders.items`. */
function isTelling(number: string, before: string, after: string): boolean {
  if (number === '0' || number === '1') return true
  if (/^ \w+\.\w/.test(after)) return false
  return /^[1-5]\d\d$/.test(number) && /(?:^|status |with |refused: |answered |changed: |,)$/.test(before)
}

const MAX_CHARACTERS = 160

function shortened(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - ANY.length)}${ANY}`
}
