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
 * Why a domain cannot be brokered, or null where it can (BRK-01). The document has two reasons and no others: a name that is
 * not in the shop can be brokered, since acquiring what nobody offers is what brokerage is for, and so can one that was sold,
 * from its new owner.
 *
 * @param domain a normalised name.
 */
export function ineligibleBecause(world: World, domain: string): IneligibleReason | null {
  return world.rules.brokerage.ineligible.find((reason) => ASKED[reason](world, domain)) ?? null
}
