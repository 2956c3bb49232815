import type { Steps } from '../../contract/steps.ts'
import { lastEventSeq } from '../events/events.ts'
import type { Happening, ScheduledTask, TaskSource } from '../kernel/scheduled-task.ts'
import type { World } from '../kernel/world.ts'
import { runSettlement } from './settlement-runs.ts'
import { lastSettlementRun } from './store.ts'

/**
 * Settlement runs that come round by themselves, counted from the last run or from the moment at which progress was set. A
 * world that was asleep makes up for the rounds that it missed: if there was nothing to settle, the last stands for all (SET-01).
 */
export const settlementRuns: TaskSource = {
  kind: 'settlement.run',
  peek(world) {
    const { settleEveryMs, sinceMs } = world.settings.progress
    if (settleEveryMs === null) return null
    const ranAtMs = lastSettlementRun(world.db)?.ranAtMs ?? sinceMs
    return { atMs: Math.max(ranAtMs, sinceMs) + settleEveryMs, id: 'settlement' }
  },
  runInSteps: runAt,
  lastRoundBefore(world, item, untilMs) {
    if (hasNews(world)) return item
    const everyMs = world.settings.progress.settleEveryMs as number
    const rounds = Math.max(0, Math.ceil((untilMs - item.atMs) / everyMs) - 1)
    return { ...item, atMs: item.atMs + rounds * everyMs }
  },
  count: (world) => (world.settings.progress.settleEveryMs === null ? 0 : 1),
  // Everything to settle came with an event.
  isIdle: (world) => world.settings.progress.settleEveryMs === null || !hasNews(world),
}

function* runAt(world: World, { atMs }: ScheduledTask): Steps<Happening[]> {
  const { runId, settled } = yield* runSettlement(world)
  const orders = settled.length === 1 ? '1 order' : `${settled.length} orders`
  return [{ atMs, kind: 'settlement.run', id: runId, summary: `the settlement run settled ${orders}` }]
}

function hasNews(world: World): boolean {
  return lastEventSeq(world) > (lastSettlementRun(world.db)?.eventSeq ?? 0)
}
