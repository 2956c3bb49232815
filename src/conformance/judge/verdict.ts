import { grouped } from '../../contract/words.ts'
import type { RequirementRegistry } from '../format/requirements.ts'
import {
  type CheckResult,
  type CheckVerdict,
  isOutside,
  type RequirementResult,
  type RunResult,
  rowOf,
  type ScenarioResult,
} from '../result/result.ts'

/** Name of the profile that includes every row. */
export const WHOLE_PROFILE = 'all'

/** From best to worst: a scenario is as good as its worst check. */
const SEVERITY: readonly CheckVerdict[] = [
  'observed',
  'pass',
  'tolerated',
  'drift',
  'not_run',
  'inconclusive',
  'fail',
  'harness_error',
]

/**
 * The verdict of a scenario. One without checks proves nothing.
 *
 * @example worstOf(['pass', 'not_run']) // 'not_run'
 */
export function worstOf(verdicts: readonly CheckVerdict[]): CheckVerdict {
  if (verdicts.length === 0) return 'inconclusive'
  return verdicts.reduce((worst, verdict) => (SEVERITY.indexOf(verdict) > SEVERITY.indexOf(worst) ? verdict : worst))
}

/**
 * What is known of a requirement: violated, else inconclusive, else not exercised, else shown. A check of it that could not be
 * run keeps it from counting as shown, however many others passed, unless the target was free to choose that, or the check is
 * only one more place of the same rule.
 */
function statusOf(checks: readonly JudgedCheck[]): RequirementResult['status'] {
  const verdicts = new Set(checks.map(({ verdict }) => verdict))
  if (verdicts.has('fail')) return 'violated'
  if (verdicts.has('inconclusive') || verdicts.has('harness_error')) return 'inconclusive'
  // What could not be seen because the target chose otherwise where it may does not count.
  const counted = checks.filter(({ reason }) => reason !== 'open-point')
  // A row, or an optional step, tries a rule in one place of many. A place that this target or this run does not offer keeps nothing
  // from being shown, if the rule was seen elsewhere. A scope is its list of operations, so each row about one counts; so does what
  // was left out by hand.
  const isMissed = counted.some(
    ({ verdict, isRow, optional = isRow, reason, requirement }) =>
      verdict === 'not_run' &&
      (!optional || requirement.startsWith('SCOPE-') || isOutside({ reason }) || reason === 'interrupted'),
  )
  return counted.some(({ verdict }) => verdict !== 'not_run') && !isMissed ? 'shown' : 'not_exercised'
}

/** A check, and whether its scenario is a row of a file. */
type JudgedCheck = Pick<CheckResult, 'requirement' | 'verdict' | 'reason' | 'optional'> & { readonly isRow: boolean }

/** A row for every requirement, exercised or not, in the order of the registry. */
export function requirementResults(
  registry: RequirementRegistry,
  scenarios: readonly Pick<ScenarioResult, 'id' | 'checks'>[],
): RequirementResult[] {
  const judged = scenarios.flatMap(({ id, checks }) => checks.map((check) => ({ ...check, isRow: rowOf(id) !== null })))
  const byId = grouped<JudgedCheck>(judged, ({ requirement }) => requirement)
  return [...registry.requirements.values()].map(({ id, level, text, section }) => {
    const own = byId.get(id) ?? []
    const unobservable = registry.unobservable.get(id)
    const row = {
      id,
      level,
      text,
      section,
      status: statusOf(own),
      checks: own.filter(({ verdict }) => verdict !== 'not_run').length,
    }
    return unobservable === undefined ? row : { ...row, unobservable }
  })
}

/**
 * The verdict of a run, which is about the requirements of its profile: all observable `must` rows unless others are
 * named (see RunResult). Nothing carried out is void; one violation anywhere is non-conforming, be it of a row that the
 * profile leaves out; only all of them shown conform.
 */
export function runVerdictOf(
  requirements: readonly RequirementResult[],
  checks: readonly CheckResult[],
  profile: RunResult['profile'],
): RunResult['verdict'] {
  const judging = checks.filter(({ verdict }) => verdict !== 'not_run' && verdict !== 'observed' && verdict !== 'drift')
  if (judging.some(({ verdict }) => verdict === 'fail')) return 'non_conforming'
  if (checks.every(({ verdict }) => verdict === 'not_run')) return 'void'
  const counted = requirements.filter(({ id }) => profile.requirements.includes(id))
  const hangsOnChoice = (id: string): boolean => {
    const own = checks.filter(({ requirement }) => requirement === id)
    return own.length > 0 && own.every(({ reason }) => reason === 'open-point')
  }
  const conforms =
    counted.some(({ status }) => status === 'shown') &&
    counted.every(({ id, status }) => status === 'shown' || hangsOnChoice(id))
  // What was cut off might have been a violation of any requirement.
  const clean = !checks.some(
    ({ verdict, requirement, reason }) =>
      verdict === 'harness_error' ||
      reason === 'interrupted' ||
      // What is left open, and was to be observed, counts if no profile narrows the run.
      (verdict === 'inconclusive' && (profile.name === WHOLE_PROFILE || profile.requirements.includes(requirement))),
  )
  return judging.length > 0 && conforms && clean ? 'conforming' : 'not_fully_verified'
}
