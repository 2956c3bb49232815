import { LISTING_CURRENCY } from '../inventory/draw-listing.ts'
import { type DateWindow, type Page, type Paging, readPage } from '../kernel/paging.ts'
import type { Credential, World } from '../kernel/world.ts'
import { partnerBalance } from '../ledger/ledger.ts'
import { commissionLineBySeq, commissionLinesWhere } from './store.ts'
import type { CommissionLine } from './types.ts'

/**
 * A page of the commission ledger, newest first (RPT-03). The balance of a line is that of the whole ledger up to it, however
 * little of it the filter shows.
 */
export function listCommissions(
  world: World,
  caller: Pick<Credential, 'partnerId'>,
  filter: DateWindow & Paging,
): Page<CommissionLine> & { balanceCents: number; currency: string } {
  const partnerId = world.rules.reports.shows === 'own' ? caller.partnerId : null
  const page = readPage(
    { ...filter, partnerId },
    (entryId) => lineOf(world, entryId),
    (part) => commissionLinesWhere(world.db, { ...filter, partnerId, ...part }),
  )
  return {
    rows: world.rules.reports.balance === 'ledger' ? page.rows : rebalanced(world, page.rows),
    hasMore: page.hasMore,
    balanceCents: partnerBalance(world, caller.partnerId),
    currency: LISTING_CURRENCY,
  }
}

function lineOf(world: World, entryId: string): CommissionLine | null {
  const seq = world.chance.numberOf('ledgerEntry', entryId)
  return seq === null ? null : commissionLineBySeq(world.db, seq)
}

/** For broken variants, whose balance sums up the page or the line alone. */
function rebalanced(world: World, rows: readonly CommissionLine[]): CommissionLine[] {
  return rows.map((row, position) => ({
    ...row,
    balanceCents:
      world.rules.reports.balance === 'line'
        ? row.amountCents
        : rows.slice(position).reduce((sum, { amountCents }) => sum + amountCents, 0),
  }))
}
