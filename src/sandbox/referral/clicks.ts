import type { DateWindow } from '../kernel/paging.ts'
import type { World } from '../kernel/world.ts'
import { clicksByLink, insertClick } from './store.ts'
import type { Link } from './types.ts'

export interface ClickTotals {
  total: number
  /** Links that were followed at all, newest link first. */
  byLink: { linkId: string; clicks: number }[]
}

/** Counts that a link was followed now. Whether this is a new visit is for the visit to know (visits.ts). */
export function countClick(world: World, link: Link): void {
  insertClick(world.db, link, world.clock.nowMs())
}

/**
 * How often a partner's links were followed (RPT-01).
 *
 * @param partnerId null for all partners.
 * @example clickTotals(world, caller.partnerId, { fromMs: Date.UTC(2026, 0, 1) }).total
 */
export function clickTotals(world: World, partnerId: string | null, window: DateWindow): ClickTotals {
  const byLink = clicksByLink(world.db, partnerId, window)
  return { total: byLink.reduce((sum, { clicks }) => sum + clicks, 0), byLink }
}
