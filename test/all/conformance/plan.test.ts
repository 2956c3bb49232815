import { describe, expect, it } from 'vitest'
import { dryRunLines } from '../../../src/cli/output/dry-run.ts'
import { wallClock } from '../../../src/clock/wall-clock.ts'
import { rehearse, runConformance } from '../../../src/conformance/engine/run.ts'
import type { LoadedScenario } from '../../../src/conformance/format/scenario.ts'
import type { RunResult } from '../../../src/conformance/result/result.ts'
import type { Target } from '../../../src/conformance/target/target.ts'
import { ownTarget } from '../../../src/proof/self-test/own-target.ts'
import { startServer } from '../../../src/server.ts'
import { registry } from '../../support/referee.ts'
import { sampleOf } from '../../support/size.ts'
import { scenarios } from '../../support/suite.ts'

interface Told {
  plan: RunResult['plan']
  result: RunResult
}

async function run(target: Target, chosen: readonly LoadedScenario[]): Promise<Told> {
  let plan: RunResult['plan'] | undefined
  const result = await runConformance({
    target,
    scenarios: chosen,
    registry,
    wall: wallClock,
    toolVersion: '0.0.0',
    onProgress(progress) {
      if (progress.kind === 'planned') plan = progress.plan
    },
  })
  if (!plan) throw new Error('the run told no plan')
  return { plan, result }
}

const created = ({ result }: Told, kind: string): number => result.created.filter((thing) => thing.kind === kind).length

/** What the runner makes beside its scenarios: it tries each kind of write, and an order that is to be changed, first. */
const OWN_TRIES = 3

function isWithin(told: Told): boolean {
  const { plan } = told
  return created(told, 'order') <= plan.orders + OWN_TRIES && created(told, 'quote') <= plan.quotes + OWN_TRIES
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
  it('is hardly exceeded by a single scenario, in orders or quotes', async () => {
    const exceeded: string[] = []
    const queue = sampleOf(scenarios, 16)
    const worker = async (target: Target): Promise<void> => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const told = await run(target, [next])
        const { plan, result } = told
        if (!isWithin(told))
          exceeded.push(`${next.id}: ${JSON.stringify(plan)} against ${result.created.length} things`)
      }
    }
    await Promise.all(Array.from({ length: 4 }, () => atOwnSandbox(worker)))
    expect(exceeded).toEqual([])
  }, 300_000)

  it('is hardly exceeded by many of them together', async () => {
    const told = await atOwnSandbox((target) => run(target, sampleOf(scenarios, 12)))
    expect(isWithin(told), JSON.stringify([told.plan, told.result.summary, told.result.created.length])).toBe(true)
  }, 120_000)

  it('is no order, quote or webhook where the run only reads', async () => {
    const { plan, result } = await atOwnSandbox((target) => run({ ...target, mode: 'read' }, scenarios))
    expect(plan).toMatchObject({ orders: 0, quotes: 0, webhooks: 0 })
    expect(result.created).toEqual([])
  }, 60_000)

  it('has what the scenarios declare and what the budget allows; a dry run says what would be written', async () => {
    const result = await atOwnSandbox((target) =>
      rehearse({
        target: { ...target, budget: { ...target.budget, orders: 3 } },
        scenarios,
        registry,
        wall: wallClock,
        toolVersion: '0.0.0',
      }),
    )
    const { plan } = result
    expect(plan.orders).toBeGreaterThan(50)
    expect(plan.budget.orders).toBe(3)
    expect(dryRunLines(result)).toContain(`They declare ${plan.orders} orders, ${plan.quotes} quotes and `)
  })
})
