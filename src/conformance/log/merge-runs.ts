import { summaryOf } from '../engine/run-report.ts'
import { EXCHANGE_ID } from '../http/exchange.ts'
import { requirementResults, runVerdictOf, worstOf } from '../judge/verdict.ts'
import {
  byId,
  type CheckResult,
  type CreatedThing,
  type Observation,
  type RedactedExchange,
  type RunPlan,
  type RunResult,
  type ScenarioResult,
} from '../result/result.ts'
import { oneLine } from './read-lines.ts'
import { registryOf } from './unfinished-run.ts'

/** The runs do not judge the same thing by the same rules; the message names what differs. */
export class UnmergeableRunsError extends Error {
  override name = 'UnmergeableRunsError'

  constructor(message: string) {
    super(oneLine(message))
  }
}

/**
 * One run made of several that shared the work out: shards, or the parts of a run that was interrupted and resumed. What
 * one of them left out is taken from another; where two carried out the same check, the one that says most counts, and a
 * failure counts most. Requirements, verdict and counts are computed again.
 *
 * @throws UnmergeableRunsError if the runs differ in the requirements, scenarios, target, profile or tool.
 * @example mergeRuns([first, second]).verdict
 */
export function mergeRuns(results: readonly RunResult[]): RunResult {
  const [first, ...rest] = results
  if (!first) throw new UnmergeableRunsError('no run to merge')
  if (rest.length === 0) return first
  for (const other of rest) checkAlike(first, other)
  const exchanges = mergeExchanges(results)
  const merged = mergeScenarios(results, exchanges)
  const checks = merged.flatMap((scenario) => scenario.checks)
  const requirements = requirementResults(registryOf(first.requirements), checks)
  return {
    verdict: runVerdictOf(requirements, checks, first.profile),
    tool: first.tool,
    target: first.target,
    profile: first.profile,
    plan: planOfAll(results),
    identity: { ...first.identity, runId: unique(results.map(({ identity }) => identity.runId)).join('+') },
    interrupted: merged.some((scenario) => isCutShort(scenario, results)),
    startedAt: results.map(({ startedAt }) => startedAt).reduce((a, b) => (a < b ? a : b)),
    durationMs: sum(results.map(({ durationMs }) => durationMs)),
    summary: summaryOf(requirements, checks, first.profile, sum(results.map(({ summary }) => summary.requests))),
    requirements,
    scenarios: merged,
    observations: unique<Observation>(results.flatMap((result) => result.observations)),
    created: unique<CreatedThing>(results.flatMap((result) => result.created)),
    exchanges: exchanges.all,
  }
}

/** What must be the same, and what a person calls it. */
const ALIKE: readonly (readonly [name: string, of: (result: RunResult) => string])[] = [
  ['the requirements (edition)', ({ identity }) => identity.edition],
  ['the scenarios', ({ identity }) => identity.scenarios],
  ['the target', ({ identity, target }) => `${identity.target} ${target.url}`],
  ['the profile', ({ profile }) => `${profile.name} of ${profile.requirements.length} requirements`],
  ['the version of the tool', ({ tool }) => `${tool.name} ${tool.version}`],
]

function checkAlike(first: RunResult, other: RunResult): void {
  for (const [name, of] of ALIKE) {
    if (of(first) === of(other)) continue
    const runs = `${first.identity.runId} and ${other.identity.runId}`
    throw new UnmergeableRunsError(
      `the runs ${runs} cannot be merged: they differ in ${name} (${of(first)}, ${of(other)})`,
    )
  }
}

function mergeScenarios(results: readonly RunResult[], exchanges: Exchanges): ScenarioResult[] {
  const versions = new Map<string, ScenarioResult[]>()
  for (const [run, { scenarios }] of results.entries()) {
    for (const scenario of scenarios) {
      const own = { ...scenario, checks: scenario.checks.map((check) => exchanges.renamed(run, check)) }
      versions.set(scenario.id, [...(versions.get(scenario.id) ?? []), own])
    }
  }
  return [...versions.values()].map((own) => own.reduce(mergedScenario)).sort(byId)
}

function mergedScenario(one: ScenarioResult, other: ScenarioResult): ScenarioResult {
  checkSameChecks(one, other)
  const checks = one.checks.map((check, at) => moreTelling(check, other.checks[at] ?? check))
  const verdict = checks.length === 0 ? one.verdict : worstOf(checks.map((check) => check.verdict))
  return { ...one, verdict, durationMs: one.durationMs + other.durationMs, checks }
}

/** The digest of the scenarios promises it; a log is a file, and may have been changed. */
function checkSameChecks(one: ScenarioResult, other: ScenarioResult): void {
  const declared = ({ checks }: ScenarioResult) =>
    checks.map(({ step, requirement }) => `${step} ${requirement}`).join()
  if (declared(one) === declared(other)) return
  throw new UnmergeableRunsError(`the runs cannot be merged: the scenario "${one.id}" has different checks in them`)
}

/** From what says least to what says most. A failure anywhere is a failure. */
const BY_WEIGHT: readonly CheckResult['verdict'][] = [
  'not_run',
  'harness_error',
  'inconclusive',
  'observed',
  'pass',
  'tolerated',
  'drift',
  'fail',
]

function moreTelling(one: CheckResult, other: CheckResult): CheckResult {
  return weightOf(other) > weightOf(one) ? other : one
}

/** A check that was left out or cut off shows nothing; why it could not run is worth knowing. */
function weightOf({ verdict, reason }: CheckResult): number {
  if (reason === 'filtered' || reason === 'dry-run') return -2
  return reason === 'interrupted' ? -1 : BY_WEIGHT.indexOf(verdict)
}

/** Whether the end of a run kept some check from being carried out. */
function isCutShort({ id, checks }: ScenarioResult, results: readonly RunResult[]): boolean {
  if (checks.some(({ reason }) => reason === 'interrupted')) return true
  if (!checks.some(({ verdict }) => verdict === 'inconclusive')) return false
  const those = results.filter(({ scenarios }) => scenarios.some((own) => own.id === id && wasTried(own)))
  return those.length > 0 && those.every(({ interrupted }) => interrupted)
}

function wasTried({ checks }: ScenarioResult): boolean {
  return checks.some((check) => weightOf(check) >= 0)
}

/** Each shard has its own budget. A resumed run shares the budget of the interrupted one, and was in its plan already. */
function planOfAll(results: readonly RunResult[]): RunPlan {
  const inTime = [...results].sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
  const first = inTime.filter((part, at) => !inTime.slice(0, at).some((earlier) => goesOnWith(earlier, part)))
  return sumOfPlans(first.map(({ plan }) => plan))
}

function goesOnWith(earlier: RunResult, part: RunResult): boolean {
  if (!earlier.interrupted) return false
  const [before, now] = [selectedIn(earlier), selectedIn(part)]
  return now.size < before.size && [...now].every((id) => before.has(id))
}

function selectedIn({ scenarios }: RunResult): Set<string> {
  return new Set(
    scenarios.flatMap(({ id, checks }) => (checks.some(({ reason }) => reason !== 'filtered') ? [id] : [])),
  )
}

function sumOfPlans(plans: readonly RunPlan[]): RunPlan {
  const all = (of: (plan: RunPlan) => number) => sum(plans.map(of))
  const wanted = (name: 'requests' | 'orders' | 'quotes') =>
    plans.some((plan) => plan[`${name}Wanted`] !== undefined) && {
      [`${name}Wanted`]: all((plan) => plan[`${name}Wanted`] ?? plan[`${name}AtMost`]),
    }
  return {
    scenarios: all((plan) => plan.scenarios),
    requestsAtMost: all((plan) => plan.requestsAtMost),
    ordersAtMost: all((plan) => plan.ordersAtMost),
    quotesAtMost: all((plan) => plan.quotesAtMost),
    webhooksAtMost: all((plan) => plan.webhooksAtMost),
    ...wanted('requests'),
    ...wanted('orders'),
    ...wanted('quotes'),
    longestWaitMs: Math.max(...plans.map((plan) => plan.longestWaitMs)),
    questionsAtMost: all((plan) => plan.questionsAtMost),
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

function unique<Value>(values: readonly Value[]): Value[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}

/** The calls of several runs under ids that no two of them share. */
interface Exchanges {
  readonly all: RedactedExchange[]
  /** A check of one of the runs, naming its call by the id that it has now. */
  renamed(run: number, check: CheckResult): CheckResult
}

/** Every run counts its calls from one: those of the later runs get the number of their run in front where it takes that. */
function mergeExchanges(results: readonly RunResult[]): Exchanges {
  const taken = new Map<string, string>()
  const names = results.map((result, run) => namesOf(result, run, taken))
  const all = new Map<string, RedactedExchange>()
  for (const [run, { exchanges }] of results.entries()) {
    for (const exchange of exchanges) {
      const id = names[run]?.get(exchange.id) ?? exchange.id
      all.set(id, id === exchange.id ? exchange : { ...exchange, id })
    }
  }
  return {
    all: [...all.values()],
    renamed(run, check) {
      const own = names[run] ?? new Map<string, string>()
      const { exchange, twin, note } = check
      return {
        ...check,
        exchange: exchange === null ? null : (own.get(exchange) ?? exchange),
        ...(twin === undefined ? {} : { twin: inWords(twin, own) }),
        ...(note === undefined ? {} : { note: inWords(note, own) }),
      }
    },
  }
}

/** Sentences name calls too: "a sound call was accepted in ce2". */
function inWords(sentence: string, names: ReadonlyMap<string, string>): string {
  return sentence.replaceAll(EXCHANGE_ID, (word) => names.get(word) ?? word)
}

/** What each id of a run, also one that only a check names, is called among all; notes down what is taken. */
function namesOf(result: RunResult, run: number, taken: Map<string, string>): Map<string, string> {
  const names = new Map<string, string>()
  const contents = new Map(result.exchanges.map((exchange) => [exchange.id, JSON.stringify(exchange)]))
  const checks = result.scenarios.flatMap((scenario) => scenario.checks)
  const named = checks.flatMap(({ exchange }) => (exchange === null ? [] : [exchange]))
  for (const id of new Set([...contents.keys(), ...named])) {
    // A call that is not in the log gets a name of its own.
    const content = contents.get(id) ?? `not in run ${run + 1}`
    let name = id
    for (let prefix = run + 1; taken.has(name) && taken.get(name) !== content; prefix += 1) name = `r${prefix}${id}`
    taken.set(name, content)
    names.set(id, name)
  }
  return names
}
