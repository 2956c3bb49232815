import { HEADERS, headerIn } from '../../contract/headers.ts'
import { environmentOf } from '../../contract/ids.ts'
import { redactedValue } from '../../contract/redact.ts'
import type { Run } from '../context/run.ts'
import { type GuessedPlace, placeInWords } from '../format/expectations/check.ts'
import { editionOf, type RequirementRegistry } from '../format/requirements.ts'
import type { LoadedScenario } from '../format/scenario.ts'
import { type Exchange, exchangesIn } from '../http/exchange.ts'
import { digest } from '../http/json-body.ts'
import { redactedCheck } from '../http/redact.ts'
import type { PlacedCheck } from '../judge/placed-check.ts'
import { evidenceOf } from '../judge/twin.ts'
import { requirementResults, runVerdictOf, worstOf } from '../judge/verdict.ts'
import {
  byId,
  CHECK_VERDICTS,
  type CheckResult,
  isOutside,
  type Observation,
  type Outline,
  REQUIREMENT_STATUSES,
  type RequirementResult,
  type RunOpening,
  type RunResult,
  type ScenarioResult,
  whenAsked,
} from '../result/result.ts'
import { noteWith } from '../result/target-addition.ts'
import type { Target } from '../target/target.ts'
import type { FinishedScenario } from './run-scenario.ts'

/** What came of a run. */
interface RunOutcome extends Pick<RunResult, 'scenarios' | 'observations' | 'durationMs'> {
  exchanges: readonly Exchange[]
  /** Also those that no check names. */
  keepsEveryExchange: boolean
}

/** The outcome of a run as plain data. */
export function reportRun(run: Run, opening: RunOpening, outcome: RunOutcome): RunResult {
  const { tool, target, identity, profile, plan, startedAt } = opening
  const { scenarios, observations, durationMs, keepsEveryExchange } = outcome
  const checks = scenarios.flatMap((scenario) => scenario.checks)
  const requirements = requirementResults(run.registry, scenarios)
  const named = new Set([...checks.map(({ exchange }) => exchange), ...besideFailures(checks, outcome.exchanges)])
  // Most reports of a green run show none of them.
  const exchanges = whenAsked(() =>
    outcome.exchanges
      .filter(({ id }) => keepsEveryExchange || named.has(id))
      .map((exchange) => run.redactor.exchange(exchange)),
  )
  return {
    verdict: runVerdictOf(requirements, checks, profile),
    tool,
    target,
    identity,
    profile,
    plan,
    startedAt,
    interrupted: checks.some(({ reason }) => reason === 'interrupted'),
    durationMs,
    summary: summaryOf(requirements, checks, profile, run.budget.requests),
    requirements,
    scenarios,
    observations,
    created: createdBy(run),
    get exchanges() {
      return exchanges()
    },
  }
}

/** The exchanges that show what a failure was compared with: valid calls, and those with the same Idempotency-Key. */
function besideFailures(checks: readonly CheckResult[], exchanges: readonly Exchange[]): string[] {
  const failed = checks.filter(({ verdict }) => verdict === 'fail')
  const ids = new Set(failed.map(({ exchange }) => exchange))
  const keyOf = ({ request }: Exchange) => headerIn(request.headers, HEADERS.idempotencyKey)
  const keys = new Set(exchanges.flatMap((exchange) => (ids.has(exchange.id) ? (keyOf(exchange) ?? []) : [])))
  const alike = keys.size === 0 ? [] : exchanges.filter((exchange) => keys.has(keyOf(exchange) ?? ''))
  return [...failed.flatMap(({ twin }) => exchangesIn(twin)), ...alike.map(({ id }) => id)]
}

/** What a run reports before its first call. */
export function openingOf(
  { registry, target: { url, credentials } }: Run,
  {
    startedAtMs,
    toolVersion,
    ...known
  }: Pick<RunOpening, 'identity' | 'profile' | 'plan'> & { startedAtMs: number; toolVersion: string },
  chosen: readonly Outline[],
  left: readonly Outline[],
): RunOpening {
  const main = credentials.find(({ name }) => name === 'main')
  return {
    tool: { name: 'partner-sandbox', version: toolVersion },
    target: { url, environment: environmentOf(main?.keyId ?? '') ?? 'unknown' },
    ...known,
    startedAt: new Date(startedAtMs).toISOString(),
    requirements: requirementResults(registry, []),
    scenarios: [
      ...chosen.map((outline) => ({ ...outline, selected: true })),
      ...left.map((outline) => ({ ...outline, selected: false })),
    ],
  }
}

/**
 * The counts of a report: checks of the selected scenarios by verdict, requirements of the profile by status. A violated
 * requirement counts even outside the profile, because the verdict does not overlook it either.
 */
export function summaryOf(
  requirements: readonly RequirementResult[],
  checks: readonly CheckResult[],
  profile: RunResult['profile'],
  requests: number,
): RunResult['summary'] {
  const counted = requirements.filter(({ id, status }) => profile.requirements.includes(id) || status === 'violated')
  return {
    checks: tally(
      CHECK_VERDICTS,
      checks.filter((check) => !isOutside(check)).map(({ verdict }) => verdict),
    ),
    requirements: tally(
      REQUIREMENT_STATUSES,
      counted.map(({ status }) => status),
    ),
    requests,
  }
}

function tally<Word extends string>(words: readonly Word[], found: readonly Word[]): Record<Word, number> {
  return Object.fromEntries(words.map((word) => [word, found.filter((one) => one === word).length])) as Record<
    Word,
    number
  >
}

/**
 * Settles the checks of a scenario: what hung on an acceptance elsewhere in the run is decided by whether it was seen. Their words are
 * redacted when a report shows them.
 */
export function settled(run: Run, finished: FinishedScenario): ScenarioResult {
  const settledChecks = finished.checks.map((check) => (check.waitsFor ? decided(run, check) : check))
  const checks = whenAsked(() => settledChecks.map((check) => redactedCheck(check, run.redactor)))
  const { id, title, file } = finished.outline
  return {
    id,
    title,
    file,
    verdict: worstOf(settledChecks.map(({ verdict }) => verdict)),
    durationMs: Math.round(finished.durationMs),
    get checks() {
      return checks()
    },
  }
}

function decided(run: Run, { waitsFor: { acceptance, places } = {}, ...check }: PlacedCheck): CheckResult {
  if (check.verdict === 'fail' && places) return ifConfirmed(run, check, places)
  if (acceptance === undefined) return check
  const seen = evidenceOf({ run }, acceptance)
  if (seen?.kind === 'worked') return { ...check, twin: seen.words }
  // What the rest of the run would have shown is unknown.
  const { why } = run.end
  if (why !== null) return { ...check, ...notReached(why) }
  const what = acceptance.op ?? 'any operation'
  const note = `no valid call of ${what} was accepted in this run, so this refusal decides nothing`
  const todo = `Make the target accept a valid call of ${what}: see its answers in other scenarios, and set another body or other names in the target file, under dialect.`
  return { ...check, verdict: 'inconclusive', note, todo }
}

/** A place that the runner found without a hint is not enough for a failure: some check has to have shown it to be right. */
function ifConfirmed({ dialect, end }: Run, check: CheckResult, places: readonly GuessedPlace[]): CheckResult {
  const unsure = places.filter((place) => !dialect.confirmed.has(placeInWords(place)))
  if (unsure.length === 0) return check
  if (end.why !== null) return { ...check, ...notReached(end.why) }
  const roles = Object.fromEntries(unsure.map(({ name, at }) => [name, at]))
  const note = noteWith(
    `the runner guessed the place of ${unsure.map(placeInWords).join(', ')}, and nothing confirms it, so say whether it is right`,
    { dialect: { roles } },
  )
  return { ...check, verdict: 'not_run', reason: 'needs-dialect', note: check.note ? `${check.note}; ${note}` : note }
}

/** What was seen of the open points. */
export function observed(run: Run, runs: readonly Pick<FinishedScenario, 'observations'>[]): Observation[] {
  return runs.flatMap(({ observations }) =>
    observations.map((observation) => ({
      ...observation,
      value: redactedValue(observation.value, run.redactor.text),
    })),
  )
}

/** What the run has made so far, by ids that the target chose. */
export function createdBy({ created, redactor }: Run): RunResult['created'] {
  return created.map(({ kind, id }) => ({ kind, id: redactor.text(id) }))
}

/** One whose turn never came says so. */
export function neverReached({ end }: Run, outline: Outline): ScenarioResult {
  return notCarriedOut(outline, notReached(end.why ?? 'the run ended'))
}

/** Why a check was not carried out. */
type WhyNot = Pick<CheckResult, 'reason' | 'note'>

function notReached(why: string): Required<WhyNot> & Pick<CheckResult, 'verdict' | 'actual'> {
  return {
    verdict: 'not_run',
    actual: 'not carried out',
    reason: 'interrupted',
    note: `${why} before this was reached`,
  }
}

/** A scenario of which nothing was done. */
export function notCarriedOut({ id, title, file, checks }: Outline, why: WhyNot): ScenarioResult {
  return {
    id,
    title,
    file,
    verdict: 'not_run',
    durationMs: 0,
    checks: checks.map((declared) => ({
      ...declared,
      verdict: 'not_run',
      expected: title,
      actual: 'not carried out',
      exchange: null,
      ...why,
    })),
  }
}

/**
 * What makes two runs comparable. Scenarios and requirements are taken by their content, so a file that moved or was only
 * formatted again gives the same digest; of the target everything counts but secrets and tokens.
 *
 * @example identityOf({ runId: '3f2a', registry, scenarios, target }).edition // 'b1946ac92492'
 */
export function identityOf(run: {
  runId: string
  registry: RequirementRegistry
  scenarios: readonly LoadedScenario[]
  target: Target
}): RunResult['identity'] {
  const { runId, registry, target } = run
  // Many reports show none of them, and to read all scenarios takes a while.
  const edition = whenAsked(() => editionOf(registry))
  const scenarios = whenAsked(() => digest([...run.scenarios].sort(byId).map(({ id, scenario }) => [id, scenario])))
  const ofTarget = whenAsked(() => digest(withoutSecrets(target)))
  return {
    runId,
    get edition() {
      return edition()
    },
    get scenarios() {
      return scenarios()
    },
    get target() {
      return ofTarget()
    },
  }
}

function withoutSecrets({ credentials, operator, knownSecrets: _, ...target }: Target): unknown {
  return {
    ...target,
    credentials: credentials.map(({ secret: __, ...rest }) => rest),
    operator: operator && { url: operator.url, world: operator.world, actions: Object.keys(operator.actions).sort() },
  }
}
