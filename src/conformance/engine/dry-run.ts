import type { Services } from '../context/scenario-run.ts'
import { effectsOf } from '../format/derived.ts'
import type { LoadedScenario } from '../format/scenario.ts'
import { outlineOf } from '../format/step-facts.ts'
import { isOpen } from '../result/open.ts'
import { byId, type RunResult, type ScenarioResult } from '../result/result.ts'
import { checkCapabilities } from '../steps/capabilities.ts'
import { type BegunRun, withRun } from './begin-run.ts'
import type { RunOptions } from './run-options.ts'
import { reportRun } from './run-report.ts'
import { filteredOut, notCarriedOut } from './settle-scenario.ts'

/**
 * What a run would do, without sending anything: every check says that it would run (dry-run), or why not as far as
 * that is known without the target. Its verdict is void.
 */
export function rehearse(given: RunOptions): Promise<RunResult> {
  return withRun(given, rehearseAll)
}

async function rehearseAll({ services, schedule, known }: BegunRun): Promise<RunResult> {
  const scenarios = filteredOut(schedule.left.map(outlineOf))
  for (const loaded of [...schedule.together, ...schedule.alone]) scenarios.push(await rehearsed(services, loaded))
  const nothing = { exchanges: [], observations: [], keepsEveryExchange: false, durationMs: 0 }
  return reportRun(services.run, known, { scenarios: scenarios.sort(byId), ...nothing })
}

/** Scenarios take of the budget in the order in which they would run. */
async function rehearsed(services: Services, loaded: LoadedScenario): Promise<ScenarioResult> {
  try {
    await checkCapabilities(services, loaded, ({ scopes }) => scopes)
    services.run.budget.reserve(effectsOf(loaded.scenario))
    return notCarriedOut(outlineOf(loaded), { reason: 'dry-run' })
  } catch (error) {
    if (isOpen(error, 'not_run')) {
      const { reason = 'dry-run', note } = error
      return notCarriedOut(outlineOf(loaded), { reason, note })
    }
    throw error
  }
}
