import type { Services } from '../context/scenario-run.ts'
import type { LoadedScenario } from '../format/scenario.ts'
import { byId } from '../result/by-id.ts'
import type { RunResult, ScenarioResult } from '../result/result.ts'
import { NotRun } from '../result/signals.ts'
import { checkCapabilities } from '../steps/capabilities.ts'
import { identityOf } from './identity.ts'
import { observableAt } from './observable-at.ts'
import { closeRun, createRun, createServices } from './open-run.ts'
import { planOf } from './plan.ts'
import type { RunOptions } from './run-options.ts'
import { openingOf, reportRun } from './run-report.ts'
import { inOrder, selected } from './selection.ts'
import { filteredOut, notCarriedOut } from './settle-scenario.ts'

/**
 * What a run would do, without sending anything: every check says that it would be carried out (dry-run), or why not as far as
 * that is known without the target. Its verdict is void.
 */
export async function rehearse(given: RunOptions): Promise<RunResult> {
  const options = { ...given, ...observableAt(given) }
  const { wall, toolVersion, profile } = options
  const run = createRun(options, new Map())
  const chosen = selected(options.only, options.scenarios)
  const left = options.scenarios.filter((loaded) => !chosen.includes(loaded))
  try {
    const services = createServices(run)
    const { runId, target } = run
    const identity = identityOf({ runId, registry: given.registry, target, scenarios: options.scenarios })
    const known = { identity, plan: planOf(services, chosen), profile, startedAtMs: wall.nowMs(), toolVersion }
    options.onProgress?.({ kind: 'planned', ...openingOf(run, { ...known, selected: chosen, left }) })
    const { together, alone } = inOrder(chosen)
    const scenarios: ScenarioResult[] = []
    for (const loaded of [...together, ...alone]) scenarios.push(await rehearsed(services, loaded))
    return reportRun(run, {
      ...known,
      ...{ scenarios: [...scenarios, ...filteredOut(left)].sort(byId) },
      ...{ exchanges: new Map(), observations: [], keepsEveryExchange: false, durationMs: 0 },
    })
  } finally {
    await closeRun(run)
  }
}

/** Scenarios take of the budget in the order in which they would run. */
async function rehearsed(services: Services, loaded: LoadedScenario): Promise<ScenarioResult> {
  try {
    await checkCapabilities(services, loaded, ({ scopes }) => scopes)
    services.run.budget.reserve(loaded.scenario.effects ?? {})
    return notCarriedOut(loaded, { reason: 'dry-run' })
  } catch (error) {
    if (error instanceof NotRun) return notCarriedOut(loaded, { reason: error.reason, note: error.message })
    throw error
  }
}
