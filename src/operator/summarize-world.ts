import { formatInstant, LATEST_MS } from '../clock/instant.ts'
import type { WorldSummary } from '../operator-api/rows/worlds.ts'
import { casesByState } from '../sandbox/brokerage/cases.ts'
import { sessionsByState } from '../sandbox/checkout/sessions.ts'
import { ordersByState } from '../sandbox/sales/orders.ts'
import { deliveriesByState } from '../sandbox/webhooks/deliveries.ts'
import type { Environment } from '../sandbox/worlds/environment.ts'

/** How a world stands, in numbers. */
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

function dueByKind({ scheduler }: Environment): WorldSummary['due'] {
  const counts = scheduler.countByKind()
  // What is due after the end of time never is.
  const tasks = scheduler.earliestByKind().filter(({ atMs }) => atMs <= LATEST_MS)
  return tasks.map(({ atMs, kind, id }) => ({ at: formatInstant(atMs), kind, id, count: counts[kind] ?? 0 }))
}
