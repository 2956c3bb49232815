import { type DateWindow, type Page, type Paging, readPage } from '../kernel/paging.ts'
import type { Credential, World } from '../kernel/world.ts'
import { payoutById, payoutsWhere, totalPaid } from './store.ts'
import type { Payout } from './types.ts'

/** A page of payouts, with what all of them come to that fit the filter, on this page or not (PAY-01, RPT-04). */
export interface PayoutPage extends Page<Payout> {
  totalPaidCents: number
}

/** A page of what was paid to a partner, newest first. */
export function listPayouts(world: World, caller: Credential, filter: DateWindow & Paging): PayoutPage {
  const { shows, total } = world.rules.payouts
  const partnerId = shows === 'own' ? caller.partnerId : null
  const page = readPage(
    { ...filter, partnerId },
    (payoutId) => payoutById(world.db, payoutId),
    (part) => payoutsWhere(world.db, { ...filter, partnerId, ...part }),
  )
  const { fromMs, toMs } = total === 'filter' ? filter : {}
  const totalPaidCents =
    total === 'page'
      ? page.rows.reduce((sum, { amountCents }) => sum + amountCents, 0)
      : totalPaid(world.db, { partnerId, fromMs, toMs })
  return { ...page, totalPaidCents }
}
