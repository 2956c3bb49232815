import type { RequirementRegistry } from '../../conformance/requirements.ts'
import type { LoadedScenario } from '../../conformance/scenario.ts'
import { type CoverageRow, coverageOf, isUncovered } from '../../conformance/suite-coverage.ts'
import { table } from '../output/table.ts'

/** Requirement by scenario, as a table or as JSON; what has neither a scenario nor a reason is named at the end. */
export function coverageText(
  scenarios: readonly LoadedScenario[],
  registry: RequirementRegistry,
  asJson: boolean,
): string {
  const rows = coverageOf(scenarios, registry)
  if (asJson) return `${JSON.stringify(rows, null, 2)}\n`
  const lines = table(rows, [
    { heading: 'REQUIREMENT', cell: ({ id }) => id },
    { heading: 'LEVEL', cell: ({ level }) => level },
    { heading: 'SCENARIOS', cell: scenariosCell },
  ])
  return `${lines}\n${countLine(rows, 'must', 'requirements have a scenario')}${countLine(rows, 'open', 'open points have an observation')}${uncoveredLine(rows)}`
}

function scenariosCell({ scenarios, unobservable }: CoverageRow): string {
  return scenarios.join(' ') || (unobservable === null ? 'none' : 'cannot be observed')
}

function countLine(rows: readonly CoverageRow[], level: CoverageRow['level'], words: string): string {
  const of = rows.filter((row) => row.level === level)
  return `${of.filter(({ scenarios }) => scenarios.length > 0).length} of ${of.length} ${words}\n`
}

function uncoveredLine(rows: readonly CoverageRow[]): string {
  const left = rows.filter(isUncovered).map(({ id }) => id)
  return left.length === 0 ? '' : `neither a scenario nor a reason: ${left.join(' ')}\n`
}
