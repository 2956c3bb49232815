import type { Report } from '../yaml/read-yaml.ts'
import { derivedEffects } from './derived.ts'
import type { Effects, Scenario } from './scenario.ts'

/** What a file says about its effects is the most: it may not be nothing where a step leaves something behind. */
export function lintEffects(scenario: Scenario, report: Report): void {
  for (const [kind, value] of Object.entries(derivedEffects(scenario))) {
    const said = scenario.effects?.[kind as keyof Effects]
    if (said === 0 || said === false)
      report(['effects', kind], `the steps leave more behind (${kind}: ${value}); leave ${kind} out, or say how many`)
  }
}
