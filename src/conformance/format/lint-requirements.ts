import { didYouMean } from '../../contract/words.ts'
import type { DocumentPath, Report } from '../yaml/read-yaml.ts'
import type { RequirementRegistry } from './requirements.ts'
import type { Scenario } from './scenario.ts'
import { expectationsOf, observationsOf, showsOf } from './step-names.ts'

/** Steps show exactly what `proves` announces; ids exist and have the right level. */
export function lintRequirements(scenario: Scenario, registry: RequirementRegistry | undefined, report: Report): void {
  const shown = new Set<string>()
  scenario.steps.forEach((step, index) => {
    const path: DocumentPath = ['steps', index]
    const ids = expectationsOf(step).flatMap(showsOf)
    if (step.twin_shows !== undefined) ids.push(step.twin_shows)
    for (const id of ids) {
      shown.add(id)
      if (!scenario.proves.includes(id))
        report([...path, 'expect'], `shows ${id}, which is not in proves${didYouMean(id, scenario.proves)}`)
    }
    for (const { gap } of observationsOf(step)) checkLevel(gap, 'open', [...path, 'observe'], registry, report)
  })
  scenario.proves.forEach((id, index) => {
    if (!shown.has(id)) report(['proves', index], `no step shows ${id}`)
    checkLevel(id, 'must', ['proves', index], registry, report)
  })
  const observes = scenario.steps.some((step) => observationsOf(step).length > 0)
  if (scenario.proves.length === 0 && !observes)
    report(['proves'], 'a scenario that neither shows nor observes anything does nothing')
}

function checkLevel(
  id: string,
  level: 'must' | 'open',
  path: DocumentPath,
  registry: RequirementRegistry | undefined,
  report: Report,
): void {
  if (registry === undefined) return
  const row = registry.requirements.get(id)
  if (row === undefined) report(path, `"${id}" is not a requirement${didYouMean(id, registry.requirements.keys())}`)
  else if (row.level !== level) {
    report(
      path,
      level === 'must'
        ? `${id} is an open point: observe it, it cannot be proved`
        : `${id} is a must: use shows, it is not an open point`,
    )
  }
}
