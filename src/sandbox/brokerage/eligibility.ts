import { findListing } from '../inventory/listings.ts'
import { magicKind } from '../inventory/magic.ts'
import type { World } from '../kernel/world.ts'
import { currentCaseOf } from './store.ts'

/** Why a domain cannot be brokered (document: Brokerage). */
export const INELIGIBLE_REASONS = ['active_site', 'in_case'] as const

export type IneligibleReason = (typeof INELIGIBLE_REASONS)[number]

const ASKED: Record<IneligibleReason, (world: World, domain: string) => boolean> = {
  active_site: (world, domain) => findListing(world, domain)?.liveSite === true,
  in_case: (world, domain) => magicKind(domain) === 'in-a-case' || currentCaseOf(world.db, domain) !== null,
}

/**
 * Why a domain cannot be brokered, or null if it can (BRK-01). A name that is not in the shop can be: acquiring what is not
 * offers is what brokerage is for. So can one that was sold, from its new owner.
 */
export function ineligibleBecause(world: World, domain: string): IneligibleReason | null {
  return world.rules.brokerage.ineligible.find((reason) => ASKED[reason](world, domain)) ?? null
}
