import { type DateWindow, type Page, type Paging, pageOf, startOf } from '../kernel/paging.ts'
import type { Credential, World } from '../kernel/world.ts'
import { payoutById, payoutsWhere, totalPaid } from './store.ts'
import type { Payout } from './types.ts'

/** A page of payouts, with what all of them come to that fit the filter, on this page or not (PAY-01, RPT-04). */
export interface PayoutPage extends Page<Payout> {
  totalPaidCents: number
}

/**
 * A page of what was paid to a partner, newest first.
 *
 * @throws ApiError validation_error for a cursor that is none of these payouts.
 */
export function listPayouts(world: World, caller: Credential, filter: DateWindow & Paging): PayoutPage {
  const { shows, total } = world.rules.payouts
  const partnerId = shows === 'own' ? caller.partnerId : null
  const beforeSeq = startOf(filter.cursor, (payoutId) => {
    const last = payoutById(world.db, payoutId)
    return last && (partnerId === null || last.partnerId === partnerId) ? last.seq : null
  })
  const page = pageOf(
    payoutsWhere(world.db, { ...filter, partnerId, beforeSeq, limit: filter.limit + 1 }),
    filter.limit,
  )
  const totalPaidCents =
    total === 'page'
      ? page.rows.reduce((sum, { amountCents }) => sum + amountCents, 0)
      : totalPaid(world.db, total === 'filter' ? { ...filter, partnerId } : { partnerId })
  return { ...page, totalPaidCents }
}
