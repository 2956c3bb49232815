import { sleep, type WallClock } from '../../clock/wall-clock.ts'
import type { Scenario } from '../format/scenario.ts'
import { Open } from '../result/open.ts'
import type { Target } from './target.ts'

/** Counts what a run does to a target, and stops it at the limit. */
export interface BudgetMeter {
  /** Requests sent so far. */
  readonly requests: number
  /** Sets aside what a scenario may leave behind. @throws Open (not_run) if there is not enough left. */
  reserve(effects: Pick<NonNullable<Scenario['effects']>, 'orders' | 'quotes'>): void
  /** Waits for its turn to send one request. @throws Open (not_run) if none is left. */
  request(signal?: AbortSignal): Promise<void>
}

/** @example const meter = createBudget(target.budget, wallClock) */
export function createBudget(budget: Target['budget'], wall: WallClock, pause: typeof sleep = sleep): BudgetMeter {
  const left = { orders: budget.orders, quotes: budget.quotes }
  let requests = 0
  let nextAtMs = 0
  const latestMs: number[] = []
  return {
    get requests() {
      return requests
    },
    reserve({ orders = 0, quotes = 0 }) {
      if (orders > left.orders) throw tooFew('order', orders, left.orders)
      if (quotes > left.quotes) throw tooFew('quote', quotes, left.quotes)
      left.orders -= orders
      left.quotes -= quotes
    },
    async request(signal) {
      if (requests >= budget.requests)
        throw Open.notRun('budget', `the budget of ${budget.requests} requests is used up`)
      requests++
      const now = wall.monotonicMs()
      const at = Math.max(now, nextAtMs, roomAtMs(latestMs, budget.inTenSeconds))
      if (budget.perSecond !== null) nextAtMs = at + 1_000 / budget.perSecond
      if (budget.inTenSeconds !== undefined) latestMs.push(at)
      if (at > now) await pause(at - now, signal)
    },
  }
}

const TEN_SECONDS_MS = 10_000

/** When a window of ten seconds has room for one more; the times of requests that have left it are forgotten. */
function roomAtMs(latestMs: number[], most = Number.POSITIVE_INFINITY): number {
  if (latestMs.length > most) latestMs.splice(0, latestMs.length - most)
  return latestMs.length < most ? 0 : (latestMs[0] as number) + TEN_SECONDS_MS
}

function tooFew(noun: 'order' | 'quote', needed: number, left: number): Open {
  const wish = needed === 1 ? `1 ${noun} is needed` : `${needed} ${noun}s are needed`
  const rest = `${Math.max(0, left)} of the budget ${left === 1 ? 'is' : 'are'} left`
  return Open.notRun('budget', `${wish} and ${rest}; what scenarios set aside counts, whether they made it or not`)
}
