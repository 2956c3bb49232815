import { counted } from '../../contract/words.ts'
import type {
  CheckResult,
  CheckVerdict,
  NotRunReason,
  RedactedExchange,
  RequirementResult,
  RequirementStatus,
  RunResult,
  ScenarioResult,
} from '../result/result.ts'
import { whenAsked } from '../result/when-asked.ts'
import { adviceFor } from './advice.ts'

/** A check with the scenario, requirement and exchange that it names. */
export interface CheckInContext {
  scenario: ScenarioResult
  check: CheckResult
  /** Undefined for an id that the registry of requirements does not have. */
  requirement: RequirementResult | undefined
  exchange: RedactedExchange | undefined
}

/** Every check of a run, in the order in which they ran. */
export function allChecks(result: RunResult): CheckInContext[] {
  const requirements = new Map(result.requirements.map((requirement) => [requirement.id, requirement]))
  const exchanges = whenAsked(() => new Map(result.exchanges.map((exchange) => [exchange.id, exchange])))
  return result.scenarios.flatMap((scenario) =>
    scenario.checks.map((check) => ({
      scenario,
      check,
      requirement: requirements.get(check.requirement),
      get exchange() {
        return check.exchange === null ? undefined : exchanges().get(check.exchange)
      },
    })),
  )
}

/** Those with one of these verdicts. */
export function checksWith(result: RunResult, verdicts: readonly CheckVerdict[]): CheckInContext[] {
  return allChecks(result).filter(({ check }) => verdicts.includes(check.verdict))
}

/** Those of them that no baseline names. */
export function newChecks(result: RunResult, verdicts: readonly CheckVerdict[]): CheckInContext[] {
  return checksWith(result, verdicts).filter(({ check }) => check.known === undefined)
}

/** The items by what they have in common, in the order of the first of each. */
export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

/**
 * The run without what its selection or profile left out, for tools that would count that as skipped. Outside of a narrowed
 * profile only what is wrong counts, as it does for the verdict.
 */
export function withinProfile(result: RunResult): RunResult {
  const about = new Set(result.profile.requirements)
  const outside = new Set(
    result.requirements.flatMap(({ id, level }) => (level === 'must' && !about.has(id) ? id : [])),
  )
  const isPart = ({ reason, requirement, verdict }: CheckResult): boolean =>
    reason !== 'filtered' && (!outside.has(requirement) || OUTSIDE_TOO.includes(verdict))
  const scenarios = result.scenarios.map((scenario) => ({ ...scenario, checks: scenario.checks.filter(isPart) }))
  return { ...result, scenarios: scenarios.filter(({ checks }) => checks.length > 0) }
}

const OUTSIDE_TOO: readonly CheckVerdict[] = ['fail', 'harness_error', 'drift']

/** Requirements that were not shown for one and the same reason. */
export interface Unverified {
  reason: string
  /** The reason where they did not run. */
  code: NotRunReason | undefined
  requirements: string[]
  /** The notes of their checks, each once. */
  notes: string[]
  /** What would change that. */
  todo: string
  /** True if the selection left it out: the reader chose this. */
  chosen: boolean
}

/** What each reason means, for a person. */
const REASONS: Readonly<Record<NotRunReason, string>> = {
  'needs-scope': 'no credential with the required scope',
  'needs-partner': 'no credential of a second partner',
  'needs-environment': 'no credential of a second environment',
  'needs-operator': 'no operator to move orders or time',
  'needs-receiver': 'no receiver that the target can reach',
  'needs-fixture': 'no domain of the required kind',
  'needs-dialect': 'the shape of an answer is not known',
  'read-only': 'the run may only read',
  'open-point': 'the target handles this open point differently',
  budget: 'the budget was used up',
  filtered: 'left out by the selection',
  interrupted: 'the run ended before this check',
  'dry-run': 'a dry run sends nothing',
}

const INCONCLUSIVE = 'inconclusive: ran, but the result decides nothing'
const FILTERED = `filtered: ${REASONS.filtered}`

/** The verdicts that leave a requirement in this state. */
const OPEN_BY: Partial<Record<RequirementStatus, readonly CheckVerdict[]>> = {
  inconclusive: ['inconclusive', 'harness_error'],
  not_exercised: ['not_run', 'harness_error', 'tolerated'],
}

/** Why each `must` requirement that was neither shown nor violated was not, grouped by reason, most frequent first. */
export function unverified(result: RunResult): Unverified[] {
  const checksById = grouped(allChecks(result), ({ check }) => check.requirement)
  const rows = result.requirements.flatMap(({ id, status }) => {
    const verdicts = OPEN_BY[status]
    if (!verdicts || !result.profile.requirements.includes(id)) return []
    const checks = (checksById.get(id) ?? [])
      .map(({ check }) => check)
      .filter(({ verdict }) => verdicts.includes(verdict))
    if (checks.length === 0) return [{ id, reason: 'this run has no check for it', checks }]
    return [...grouped(checks, reasonOf)].map(([reason, own]) => ({ id, reason, checks: own }))
  })
  return [...grouped(rows, ({ reason }) => reason)]
    .map(([reason, own]) => ({
      reason,
      code: own[0]?.checks[0]?.reason,
      todo:
        reason === INCONCLUSIVE
          ? 'See the section Inconclusive; each entry has its own reason.'
          : adviceFor(own[0]?.checks[0]),
      requirements: own.map(({ id }) => id),
      notes: reason === INCONCLUSIVE ? [] : notesOf(own.flatMap(({ checks }) => checks)),
      chosen: reason === FILTERED,
    }))
    .sort((a, b) => b.requirements.length - a.requirements.length)
}

function notesOf(checks: readonly CheckResult[]): string[] {
  return [...new Set(checks.flatMap(({ note }) => note ?? []))]
}

function reasonOf(check: CheckResult): string {
  if (check.verdict === 'not_run') return check.reason ? `${check.reason}: ${REASONS[check.reason]}` : 'not run'
  if (check.verdict === 'harness_error') return 'harness error: the runner failed'
  if (check.verdict === 'tolerated') return 'tolerated: another sentence of the document allows it'
  return INCONCLUSIVE
}

/** One sentence for a check that did not run or was inconclusive: the answer, the reason, what to do. */
export function whyNot(check: CheckResult, exchange?: RedactedExchange): string {
  const { actual, note } = check
  if (check.verdict === 'inconclusive') return `${seenAndWhy(check)}. To do: ${adviceFor(check, exchange)}`
  if (check.verdict === 'tolerated') return seenAndWhy(check)
  if (check.verdict === 'harness_error') return `${reasonOf(check)}; ${note ?? actual}`
  return note === undefined ? reasonOf(check) : `${reasonOf(check)}; ${note}`
}

/** What the target answered, and why that is inconclusive. */
export function seenAndWhy({ actual, note }: CheckResult): string {
  return note === undefined ? actual : `${actual}; ${note}`
}

/** Checks of which the same is to be said, as one: with the requirements of all, and the places of the first. */
export function saidTogether(
  found: readonly CheckInContext[],
): (CheckInContext & { requirements: string; steps: string })[] {
  const groups = grouped(found, ({ check }) => JSON.stringify([check.verdict, seenAndWhy(check), check.todo]))
  const unique = (words: readonly string[]) => [...new Set(words)]
  return [...groups.values()].flatMap((own) =>
    own.slice(0, 1).map((first) => {
      const here = own.filter(({ scenario }) => scenario.id === first.scenario.id)
      const more = unique(own.map(({ scenario }) => scenario.id)).length - 1
      const steps = unique(here.map(({ check }) => check.step)).join(', ')
      return {
        ...first,
        requirements: unique(own.map(({ check }) => check.requirement)).join(', '),
        steps: more === 0 ? steps : `${steps} and ${counted(more, 'more scenario')}`,
      }
    }),
  )
}

/** Why a run saw nothing of an open point: each reason once. Empty where no check of it was part of the run. */
export function unseenReasons(result: RunResult, requirement: string): string[] {
  const checks = checksWith(result, ['not_run', 'inconclusive', 'harness_error'])
  const own = checks.filter(({ check }) => check.requirement === requirement)
  return [...new Set(own.map(({ check, exchange }) => whyNot(check, exchange)))]
}

/** The heading above what a run created. A receiver only gets events about it. */
export function createdTitle({ target: { environment } }: RunResult): string {
  return environment === 'receiver' ? 'Sent to the receiver' : 'Left on the target'
}
