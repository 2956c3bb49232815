import { formatInstant, LATEST_MS } from '../clock/instant.ts'
import type { ResetWorld, WorldSummary } from '../operator-api/rows/worlds.ts'
import { casesByState } from '../sandbox/brokerage/cases.ts'
import { sessionsByState } from '../sandbox/checkout/sessions.ts'
import { lastEventSeq } from '../sandbox/events/events.ts'
import { ordersByState } from '../sandbox/sales/orders.ts'
import { deliveriesByState } from '../sandbox/webhooks/deliveries.ts'
import type { Environment } from '../sandbox/worlds/environment.ts'

/** The state of a world in numbers. */
export function summarizeWorld(world: Environment): WorldSummary {
  const logged = world.log.latest()
  return {
    orders: ordersByState(world),
    checkout_sessions: sessionsByState(world),
    cases: casesByState(world),
    deliveries: deliveriesByState(world),
    requests: { logged: logged.length, refused: logged.filter(({ call }) => call.refusedBy !== null).length },
    due: dueByKind(world),
  }
}

/** How much of its history a world holds, by kind: what a reset removes. */
export function countHistory(world: Environment): ResetWorld['removed'] {
  const requests = world.log.entries
  // A file that cannot be used cannot be counted.
  if (world.problem !== null) return { orders: 0, events: 0, deliveries: 0, requests }
  return {
    orders: sumOf(ordersByState(world)),
    events: lastEventSeq(world),
    deliveries: sumOf(deliveriesByState(world)),
    requests,
  }
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

function dueByKind({ scheduler }: Environment): WorldSummary['due'] {
  const counts = scheduler.countByKind()
  // What is due after the end of time never is.
  const tasks = scheduler.earliestByKind().filter(({ atMs }) => atMs <= LATEST_MS)
  return tasks.map(({ atMs, kind, id }) => ({ at: formatInstant(atMs), kind, id, count: counts[kind] ?? 0 }))
}
