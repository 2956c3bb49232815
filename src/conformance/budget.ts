import { sleep, type WallClock } from '../clock/wall-clock.ts'
import type { Effects } from './scenario.ts'
import { NotRun } from './signals.ts'
import type { Budget } from './target.ts'

/** Counts what a run does to a target, and stops it at the limit. */
export interface BudgetMeter {
  /** Requests sent so far. */
  readonly requests: number
  /** Sets aside what a scenario may leave behind. @throws NotRun where there is not enough left. */
  reserve(effects: Pick<Effects, 'orders' | 'quotes'>): void
  /** Waits for its turn to send one request. @throws NotRun where none is left. */
  request(signal?: AbortSignal): Promise<void>
}

/** What has been used of a budget. */
export type Spent = Pick<Budget, 'orders' | 'quotes' | 'requests'>

const NOTHING: Spent = { orders: 0, quotes: 0, requests: 0 }

/** @example const meter = createBudget(target.budget, wallClock) */
export function createBudget(budget: Budget, wall: WallClock, spent = NOTHING): BudgetMeter {
  const left = { orders: budget.orders - spent.orders, quotes: budget.quotes - spent.quotes }
  let requests = 0
  let nextAtMs = 0
  return {
    get requests() {
      return requests
    },
    reserve({ orders = 0, quotes = 0 }) {
      if (orders > left.orders)
        throw new NotRun('budget', `${orders} orders are needed and the budget has ${Math.max(0, left.orders)} left`)
      if (quotes > left.quotes)
        throw new NotRun('budget', `${quotes} quotes are needed and the budget has ${Math.max(0, left.quotes)} left`)
      left.orders -= orders
      left.quotes -= quotes
    },
    async request(signal) {
      if (requests + spent.requests >= budget.requests)
        throw new NotRun('budget', `the budget of ${budget.requests} requests is used up`)
      requests++
      if (budget.perSecond === null) return
      const now = wall.monotonicMs()
      const at = Math.max(now, nextAtMs)
      nextAtMs = at + 1_000 / budget.perSecond
      if (at > now) await sleep(at - now, signal)
    },
  }
}
