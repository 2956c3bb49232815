/** The outcome of a run, as plain data: reporters are functions of it alone. */

export const CHECK_VERDICTS = [
  'pass',
  'fail',
  'tolerated',
  'inconclusive',
  'not_run',
  'observed',
  'drift',
  'harness_error',
] as const

export type CheckVerdict = (typeof CHECK_VERDICTS)[number]

export const REQUIREMENT_STATUSES = ['violated', 'inconclusive', 'not_exercised', 'shown'] as const

export const RUN_VERDICTS = ['conforming', 'non_conforming', 'not_fully_verified', 'void'] as const

export const NOT_RUN_REASONS = [
  'needs-scope',
  'needs-partner',
  'needs-environment',
  'needs-operator',
  'needs-receiver',
  'needs-fixture',
  'needs-dialect',
  'read-only',
  /** The check assumes one choice where the document leaves several open, and the target made another: not counted against it. */
  'open-point',
  'budget',
  'filtered',
  /** A rule of the whole run that none of its calls could break. */
  'no-occasion',
  /** The run ended before its turn came. */
  'interrupted',
  /** It could be carried out; the run was only to say so. */
  'dry-run',
] as const

/** Why a check was not run. */
export type NotRunReason = (typeof NOT_RUN_REASONS)[number]

/** One requirement judged at one step. */
export interface CheckResult {
  /** Id of the step within its scenario. */
  step: string
  requirement: string
  verdict: CheckVerdict
  /** The text of the requirement, in one line. */
  expected: string
  /** What the target did, in one line, without secrets. */
  actual: string
  /** Id of the exchange that decided; null if none was made. */
  exchange: string | null
  /** Set with `not_run`. */
  reason?: NotRunReason
  /** Set where it was not carried out and is one more place of a rule that others show (see `optional` of a step). */
  optional?: boolean
  /** A sentence for a person: the missing capability, the likely cause, or why nothing follows from what was seen. */
  note?: string
  /** What would make an inconclusive check prove something next time, if the case at hand shows it. */
  todo?: string
  /** What the twin of a refused step got. */
  twin?: string
  /** A baseline names this check and says why it is not green (see baseline.ts). */
  known?: { reason: string; until: string }
}

export interface ScenarioResult {
  /** Path under scenarios/ without the ending, e.g. `auth/nonce-reuse`. */
  id: string
  title: string
  /** The file it was read from, as given to the runner. */
  file: string
  /** The worst verdict of its checks. */
  verdict: CheckVerdict
  durationMs: number
  checks: CheckResult[]
}

export interface RequirementResult {
  id: string
  level: 'must' | 'open'
  text: string
  /** Heading of the API document that it comes from. */
  section: string
  status: (typeof REQUIREMENT_STATUSES)[number]
  /** How many checks of it were carried out. */
  checks: number
  /** Why no caller could ever see it; absent where one can. */
  unobservable?: string
}

export interface Observation {
  gap: string
  value: unknown
  scenario: string
}

export const CREATED_KINDS = ['order', 'quote', 'webhook', 'checkout_session', 'case', 'link', 'refund'] as const

export interface RunResult {
  verdict: (typeof RUN_VERDICTS)[number]
  tool: { name: string; version: string }
  target: { url: string; environment: string }
  /** What makes two runs comparable: the judge, the target and the edition of the suite. Digests are short and reveal no secret. */
  identity: {
    /** The word in everything that the run created. */
    runId: string
    /** Digest of the requirements. */
    edition: string
    /** Digest of all scenarios that were given, selected or not. */
    scenarios: string
    /** Digest of what the target file says, secrets left out. */
    target: string
  }
  /** The requirements that the verdict covers. */
  profile: {
    /** `all` if no profile narrows it. */
    name: string
    requirements: readonly string[]
  }
  /** What a run may do to a target, reported before anything is sent. */
  plan: {
    scenarios: number
    /** What the scenarios that may run declare. The runner itself makes one of a kind that it has to try first. */
    orders: number
    quotes: number
    webhooks: number
    /** Where the run stops; null for no limit. */
    budget: Record<'requests' | 'orders' | 'quotes', number | null>
    longestWaitMs: number
    /** The questions to a person. */
    questions: number
  }
  /** It was ended before its time: what had not been reached counts as not run. */
  interrupted: boolean
  startedAt: string
  durationMs: number
  summary: {
    checks: Record<CheckVerdict, number>
    requirements: Record<RequirementResult['status'], number>
    requests: number
  }
  requirements: RequirementResult[]
  scenarios: ScenarioResult[]
  observations: Observation[]
  created: { kind: (typeof CREATED_KINDS)[number]; id: string }[]
  /**
   * Redacted: those that checks name, or every one where the run kept its transcript (see RunOptions.transcript).
   */
  exchanges: RedactedExchange[]
}

/** What a scenario is called and which checks it declares, however it is carried out. */
export interface Outline extends Pick<ScenarioResult, 'id' | 'title' | 'file'> {
  checks: readonly Pick<CheckResult, 'step' | 'requirement' | 'optional'>[]
}

/** All that is known of a run before anything is sent. */
export interface RunOpening extends Pick<RunResult, 'tool' | 'target' | 'identity' | 'profile' | 'plan' | 'startedAt'> {
  /** As they are before the first check. */
  requirements: RequirementResult[]
  /** `selected` is false if a filter left it out. */
  scenarios: (Outline & { selected: boolean })[]
}

/** An exchange with every secret and signature taken out. */
export interface RedactedExchange {
  id: string
  /** The scenario that made it, or a word for the runner's own calls. */
  scenario: string
  /** When it was sent, ISO 8601. */
  sentAt: string
  method: string
  target: string
  requestHeaders: (readonly [string, string])[]
  requestBody: string
  canonicalString: string | null
  /** Null if the connection broke; `broken` says how. */
  status: number | null
  responseHeaders: (readonly [string, string])[]
  responseBody: string
  broken: string | null
  tookMs: number
  /** Where the request went, if not to the API. */
  origin?: string
  /** A delivery: the target asked, and the runner answered. */
  speaker?: 'target'
  /** What is special about it, so that no ordinary client sends it. */
  oddity?: string
}

/** The oddity of an exact copy: a reader can make one, too. */
export const SENT_AGAIN = 'the bytes of an earlier call, sent again'

/** The order of scenarios in all lists. */
export function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1
}

/** The id of the file that a scenario comes from: of a row, the part before the bracket. */
export function baseOf(id: string): string {
  return id.split('[', 1)[0] as string
}

/** The name of the row; null for a scenario without rows. */
export function rowOf(id: string): string | null {
  return /\[(.*)\]$/.exec(id)?.[1] ?? null
}

/** The checks that a selection (`--only`, `--tag`, ...) left in the run and that a verdict is about. */
interface SelectedChecks {
  passed: number
  total: number
}

/** Not counted: what a target may choose (observed, drifted, tolerated answers), and what a baseline names. */
export function selectedChecks({ scenarios }: RunResult): SelectedChecks {
  const verdicts = scenarios
    .flatMap(({ checks }) => checks)
    .filter((check) => !isOutside(check) && check.known === undefined)
    .map(({ verdict }) => verdict)
    .filter((verdict) => verdict !== 'observed' && verdict !== 'drift' && verdict !== 'tolerated')
  return { passed: verdicts.filter((verdict) => verdict === 'pass').length, total: verdicts.length }
}

/** Whether a selection left a check out. */
export function isLeftOut({ reason }: Pick<CheckResult, 'reason'>): boolean {
  return reason === 'filtered'
}

/** Whether a check was not part of the run, so that it is counted nowhere: it was left out, or there was nothing to judge. */
export function isOutside({ reason }: { readonly reason?: NotRunReason | undefined }): boolean {
  return reason === 'filtered' || reason === 'no-occasion'
}

/** Whether the run chose among the scenarios of its profile, so that its verdict cannot be about all of it. */
export function isSelection({ profile, scenarios }: RunResult): boolean {
  const inRun = new Set<string>()
  const left = new Set<string>()
  for (const check of scenarios.flatMap(({ checks }) => checks))
    (isLeftOut(check) ? left : inRun).add(check.requirement)
  return profile.requirements.some((id) => left.has(id) || !inRun.has(id))
}

/** `59 of 59 selected checks passed`; null if one did not, none was carried out, or the whole profile was run. Known failures do not count. */
export function selectionPassed(run: RunResult): string | null {
  const { passed, total } = selectedChecks(run)
  const isKnown = run.scenarios.some(({ checks }) => checks.some(({ known }) => known !== undefined))
  const isNothing = passed === 0 && !isKnown
  if (run.verdict !== 'not_fully_verified' || isNothing || passed < total || !isSelection(run)) return null
  return `${passed} of ${total} selected checks passed`
}

/**
 * What is worked out when it is first asked for, and once.
 *
 * @example const exchanges = whenAsked(() => kept.map(redacted))
 */
export function whenAsked<Value>(work: () => Value): () => Value {
  let known: { value: Value } | undefined
  return () => {
    known ??= { value: work() }
    return known.value
  }
}

/** Where a check says which of how many items is wrong. */
export const NAMED_ITEM = /\b(?:number|line) (\d+) of (\d+)\b/
