import { LISTING_CURRENCY } from '../inventory/draw-listing.ts'
import { type DateWindow, type Page, type Paging, readPage } from '../kernel/paging.ts'
import type { Credential, World } from '../kernel/world.ts'
import { clickTotals } from '../referral/links.ts'
import { attributedSaleByPublicId, attributedSalesWhere, attributedTotals, countLinkedCheckouts } from './store.ts'
import type { AttributedSale } from './types.ts'

/** A page of the sales that a partner's links led to, newest first (RPT-02). */
export function listAttributedSales(
  world: World,
  caller: Credential,
  filter: DateWindow & Paging,
): Page<AttributedSale> {
  const { shows, sales } = world.rules.reports
  const scope = { partnerId: shows === 'own' ? caller.partnerId : null, sales }
  return readPage(
    { ...filter, ...scope },
    (publicId) => attributedSaleByPublicId(world.db, publicId, sales),
    (page) => attributedSalesWhere(world.db, { ...filter, ...scope, ...page }),
  )
}

/** From the click to the sale. */
export type Funnel = ReturnType<typeof funnel>

/** Of the conversion rate: four. */
const PLACES = 10_000

/** Clicks and checkouts of a stretch of time, and exactly the sales that {@link listAttributedSales} lists (RPT-05). */
export function funnel(world: World, caller: Credential, window: DateWindow) {
  const { partnerId } = caller
  const clicks = clickTotals(world, partnerId, window).total
  const { count, gmvCents, commissionCents } = attributedTotals(world.db, {
    ...window,
    partnerId,
    sales: world.rules.reports.sales,
  })
  return {
    clicks,
    checkouts: countLinkedCheckouts(world.db, { ...window, partnerId }),
    sales: count,
    conversionRate: clicks === 0 ? 0 : Math.round((count / clicks) * PLACES) / PLACES,
    gmvCents,
    commissionCents,
    currency: LISTING_CURRENCY,
  }
}
