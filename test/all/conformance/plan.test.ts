import { describe, expect, it } from 'vitest'
import { dryRunLines } from '../../../src/cli/run/judge.ts'
import { wallClock } from '../../../src/clock/wall-clock.ts'
import { rehearse } from '../../../src/conformance/engine/dry-run.ts'
import { runConformance } from '../../../src/conformance/engine/run.ts'
import type { LoadedScenario } from '../../../src/conformance/format/scenario.ts'
import type { RunPlan, RunResult } from '../../../src/conformance/result/result.ts'
import type { Target } from '../../../src/conformance/target/target.ts'
import { ownTarget } from '../../../src/proof/self-test/own-target.ts'
import { startServer } from '../../../src/server.ts'
import { registry } from '../../support/referee.ts'
import { sampleOf } from '../../support/size.ts'
import { scenarios } from '../../support/suite.ts'

interface Told {
  plan: RunPlan
  result: RunResult
}

async function run(target: Target, chosen: readonly LoadedScenario[]): Promise<Told> {
  let plan: RunPlan | undefined
  const result = await runConformance({
    ...{ target, scenarios: chosen, registry, wall: wallClock, toolVersion: '0.0.0' },
    onProgress(progress) {
      if (progress.kind === 'planned') plan = progress.plan
    },
  })
  if (!plan) throw new Error('the run told no plan')
  return { plan, result }
}

const created = ({ result }: Told, kind: string): number => result.created.filter((thing) => thing.kind === kind).length

function isWithin(told: Told): boolean {
  const { plan, result } = told
  const made = [result.summary.requests, created(told, 'order'), created(told, 'quote')] as const
  return made[0] <= plan.requestsAtMost && made[1] <= plan.ordersAtMost && made[2] <= plan.quotesAtMost
}

async function atOwnSandbox<Value>(work: (target: Target) => Promise<Value>): Promise<Value> {
  const own = { webhookDeadlineMs: 1_000 }
  const server = await startServer({ port: 0, operatorPort: 0, rateLimit: null, inventory: 50, wall: wallClock }, own)
  try {
    return await work({ ...ownTarget(server), ...own })
  } finally {
    await server.close()
  }
}

describe('what a run announces', () => {
  it('is never exceeded by a single scenario, in requests, orders or quotes', async () => {
    const exceeded: string[] = []
    const queue = sampleOf(scenarios, 16)
    const worker = async (target: Target): Promise<void> => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const told = await run(target, [next])
        const { plan, result } = told
        if (!isWithin(told))
          exceeded.push(`${next.id}: ${JSON.stringify(plan)} against ${result.summary.requests} requests`)
      }
    }
    await Promise.all(Array.from({ length: 4 }, () => atOwnSandbox(worker)))
    expect(exceeded).toEqual([])
  }, 300_000)

  it('is never exceeded by many of them together', async () => {
    const told = await atOwnSandbox((target) => run(target, sampleOf(scenarios, 12)))
    expect(isWithin(told), JSON.stringify([told.plan, told.result.summary, told.result.created.length])).toBe(true)
  }, 120_000)

  it('is no order, quote or webhook where the run only reads', async () => {
    const { plan, result } = await atOwnSandbox((target) => run({ ...target, mode: 'read' }, scenarios))
    expect(plan).toMatchObject({ ordersAtMost: 0, quotesAtMost: 0, webhooksAtMost: 0 })
    expect(result.summary.requests).toBeLessThanOrEqual(plan.requestsAtMost)
    expect(result.created).toEqual([])
  }, 60_000)

  it('names what the whole would take where the budget caps it', async () => {
    const { plan, result } = await atOwnSandbox((target) =>
      rehearse({
        ...{ target: { ...target, budget: { ...target.budget, orders: 3 } }, scenarios, registry },
        ...{ wall: wallClock, toolVersion: '0.0.0' },
      }).then((dry) => ({ plan: dry.plan, result: dry })),
    )
    expect(plan.ordersAtMost).toBe(3)
    expect(plan.ordersWanted).toBeGreaterThan(50)
    expect(plan).not.toHaveProperty('quotesWanted')
    expect(dryRunLines(result)).toContain(
      `\nAt most 3 orders (limited by the budget; all scenarios need ${plan.ordersWanted}).\n`,
    )
  })

  it('is less for a scenario than for all, and of the same order as what is sent', async () => {
    const one = scenarios.filter(({ id }) => id === 'auth/sound-read')
    const { plan, result } = await atOwnSandbox((target) => run(target, one))
    expect(plan.requestsAtMost).toBeLessThan(20)
    expect(result.summary.requests).toBeGreaterThan(0)
  })
})
