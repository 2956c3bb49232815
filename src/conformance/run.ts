import { setMaxListeners } from 'node:events'
import { byId } from './by-id.ts'
import type { Exchange } from './exchange.ts'
import { identityOf } from './identity.ts'
import { observableAt } from './observable-at.ts'
import { closeCampaign, createCampaign, createDesk, sayHello } from './open-campaign.ts'
import { planOf } from './plan.ts'
import type { RunResult } from './result.ts'
import type { RunOptions } from './run-options.ts'
import { openingOf, reportRun } from './run-report.ts'
import { runAll } from './schedule.ts'
import { selected } from './selection.ts'
import type { Desk } from './session.ts'
import { filteredOut, neverReached, observed, settled } from './settle-scenario.ts'

/**
 * Replays the scenarios against the target and judges, requirement by requirement, what it does.
 *
 * @throws TargetUnreachableError where the very first call gets no answer at all, OperatorUnusableError where the operator
 * that was named has no such world, CredentialRefusedError (see `doubtsCredentials`).
 * @example const { verdict } = await runConformance({ target, scenarios, registry, wall: wallClock, toolVersion })
 */
export async function runConformance(given: RunOptions): Promise<RunResult> {
  const options = { ...given, ...observableAt(given) }
  if (options.signal) setMaxListeners(0, options.signal) // Every call under way listens.
  const { wall } = options
  const startedAtMs = wall.nowMs()
  const startedMs = wall.monotonicMs()
  const chosen = selected(options.only, options.scenarios)
  const exchanges = new Map<string, Exchange>()
  const campaign = createCampaign(options, exchanges)
  const { runId, target } = campaign
  const identity = identityOf({ runId, registry: given.registry, target, scenarios: options.scenarios })
  try {
    const desk = createDesk(campaign)
    const plan = planOf(desk, chosen)
    const left = options.scenarios.filter((loaded) => !chosen.includes(loaded))
    const { toolVersion, profile } = options
    const known = { identity, plan, profile, startedAtMs, toolVersion }
    options.onProgress?.({ kind: 'planned', ...openingOf(campaign, { ...known, selected: chosen, left }) })
    if (chosen.length > 0) await greet(desk, options)
    const { clockOffsetMs: byMs } = campaign.learnt
    if (byMs !== 0) options.onProgress?.({ kind: 'clock-differs', byMs })
    const runs = await runAll(desk, chosen, options)
    const reached = new Set(runs.map(({ loaded }) => loaded))
    const scenarios = [
      ...runs.map((run) => settled(campaign, run)),
      ...neverReached(
        campaign,
        chosen.filter((loaded) => !reached.has(loaded)),
      ),
      ...filteredOut(left),
    ].sort(byId)
    for (const { id, checks } of scenarios)
      for (const check of checks) options.onProgress?.({ kind: 'check', scenario: id, check })
    return reportRun(campaign, {
      ...known,
      ...{ scenarios, exchanges },
      keepsEveryExchange: options.transcript === 'all',
      observations: observed(campaign, runs),
      durationMs: Math.round(wall.monotonicMs() - startedMs),
    })
  } finally {
    await closeCampaign(campaign)
  }
}

/** Who stops a run at its first calls has interrupted it, like anybody later. */
async function greet(desk: Desk, { doubtsCredentials = false, signal }: RunOptions): Promise<void> {
  try {
    await sayHello(desk, doubtsCredentials)
  } catch (error) {
    if (!signal?.aborted) throw error
  }
}
