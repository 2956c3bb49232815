import { describe, expect, it } from 'vitest'
import { wallClock } from '../../../src/clock/wall-clock.ts'
import { runConformance } from '../../../src/conformance/engine/run.ts'
import { chosenForShard, selected } from '../../../src/conformance/engine/selection.ts'
import { mergeRuns } from '../../../src/conformance/log/merge-runs.ts'
import type { RunResult } from '../../../src/conformance/result/result.ts'
import { requestsOfScenario } from '../../../src/conformance/steps/step-kinds.ts'
import { ownTarget } from '../../../src/proof/self-test/own-target.ts'
import { startServer } from '../../../src/server.ts'
import { registry } from '../../support/referee.ts'
import { size } from '../../support/size.ts'
import { scenarios } from '../../support/suite.ts'

const cost = (shard: readonly (typeof scenarios)[number][]) =>
  shard.reduce((sum, loaded) => sum + requestsOfScenario({ loopback: false, target: { patience: {} } }, loaded), 0)

describe('shards', () => {
  it('have every scenario once between them, whatever their number', () => {
    for (const count of [1, 2, 3, 7]) {
      const parts = Array.from({ length: count }, (_, at) => chosenForShard(scenarios, { index: at + 1, count }))
      const ids = parts.flatMap((part) => part.map(({ id }) => id))
      expect(ids.sort()).toEqual(scenarios.map(({ id }) => id).sort())
    }
  })

  it('are the same for the same scenarios, in whatever order they come', () => {
    const shard = { index: 2, count: 3 }
    const reversed = chosenForShard([...scenarios].reverse(), shard).map(({ id }) => id)
    expect(reversed.sort()).toEqual(
      chosenForShard(scenarios, shard)
        .map(({ id }) => id)
        .sort(),
    )
  })

  it('cost about the same', () => {
    const costs = [1, 2, 3].map((index) => cost(chosenForShard(scenarios, { index, count: 3 })))
    const dearest = Math.max(...scenarios.map((loaded) => cost([loaded])))
    expect(Math.max(...costs) - Math.min(...costs)).toBeLessThanOrEqual(dearest)
  })

  it('share out what the other filters leave, and before what is done is left out', () => {
    const filter = { tags: ['quotes'], shard: { index: 1, count: 2 } }
    const part = selected(filter, scenarios).map(({ id }) => id)
    expect(part.length).toBeGreaterThan(0)
    const done = new Set([part[0] ?? ''])
    expect(selected({ ...filter, done }, scenarios).map(({ id }) => id)).toEqual(part.slice(1))
  })

  it('merged show just what the whole run shows, refused writes included', async () => {
    const filter = { scenarios: ['quotes/*', ...size([], ['scopes/*', 'orders/*', 'idempotency/*', 'checkout/*'])] }
    const parts = [1, 2, 3].map((index) => ({ ...filter, shard: { index, count: 3 } }))
    const server = await startServer({ port: 0, operatorPort: 0, rateLimit: null, inventory: 200 })
    try {
      const target = ownTarget(server)
      const run = (only: object): Promise<RunResult> =>
        runConformance({ target, scenarios, registry, only, wall: wallClock, toolVersion: '0.0.0' })
      const whole = await run(filter)
      const shards: RunResult[] = []
      for (const part of parts) shards.push(await run(part))
      expect(shards.every(({ verdict }) => verdict === 'not_fully_verified')).toBe(true)
      expect(statuses(mergeRuns(shards))).toEqual(statuses(whole))
      expect(whole.summary.checks).toMatchObject({ fail: 0, inconclusive: 0 })
    } finally {
      await server.close()
    }
  }, 60_000)
})

function statuses({ requirements }: RunResult): string[] {
  return requirements.map(({ id, status }) => `${id} ${status}`)
}
