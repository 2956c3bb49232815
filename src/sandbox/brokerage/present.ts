import { formatInstant } from '../../clock/instant.ts'
import { presentTimeline } from '../events/events.ts'
import type { World } from '../kernel/world.ts'
import { type BrokerageCase, caseTimelines, progressUrl } from './cases.ts'

/**
 * A case on the wire: the document's fields by its names, then ours.
 *
 * @param timeline where it was read with those of a page.
 */
export function presentCase(world: World, shown: BrokerageCase, timeline = caseTimelines.of(world.db, shown.seq)) {
  return {
    case_id: shown.caseId,
    tier: shown.tier,
    buyer_email: shown.buyerEmail,
    budget: shown.budgetCents,
    domain: shown.domain,
    currency: shown.currency,
    status: shown.status,
    progress_url: progressUrl(world, shown),
    partner_share_basis_points: shown.shareBasisPoints,
    deal_price_cents: shown.dealPriceCents,
    partner_cut_cents: shown.partnerCutCents,
    created_at: formatInstant(shown.createdAtMs),
    updated_at: formatInstant(shown.updatedAtMs),
    timeline: presentTimeline(world, timeline),
  }
}
