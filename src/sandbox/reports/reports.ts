import { LISTING_CURRENCY } from '../inventory/draw-listing.ts'
import { type DateWindow, type Page, type Paging, readPage } from '../kernel/paging.ts'
import type { Credential, World } from '../kernel/world.ts'
import { partnerBalance } from '../ledger/ledger.ts'
import { clickTotals } from '../referral/links.ts'
import {
  attributedSaleByPublicId,
  attributedSalesWhere,
  attributedTotals,
  commissionLineBySeq,
  commissionLinesWhere,
  countLinkedCheckouts,
  saleBySeq,
  totalsOf,
  transactionsWhere,
} from './store.ts'
import type { AttributedSale, CommissionLine, Totals, Transaction, TransactionFilter } from './types.ts'

/**
 * A page of a partner's sales, newest first, with totals over all that fit the filter, on this page or not (TXN-01, TXN-02).
 */
export function listTransactions(
  world: World,
  caller: Credential,
  filter: TransactionFilter & Paging,
): Page<Transaction> & { totals: Totals } {
  const { partnerId } = caller
  const page = readPage(
    { ...filter, partnerId },
    (transactionId) => saleOf(world, transactionId),
    (part) => transactionsWhere(world.db, { ...filter, partnerId, ...part }),
  )
  return { ...page, totals: totalsOf(world.db, { ...filter, partnerId }) }
}

function saleOf(world: World, transactionId: string): { seq: number; partnerId: string } | null {
  const seq = world.chance.numberOf('transaction', transactionId)
  return seq === null ? null : saleBySeq(world.db, seq)
}

/** A page of the sales that a partner's links led to, newest first (RPT-02). */
export function listAttributedSales(
  world: World,
  caller: Credential,
  filter: DateWindow & Paging,
): Page<AttributedSale> {
  const { partnerId } = caller
  return readPage(
    { ...filter, partnerId },
    (publicId) => attributedSaleByPublicId(world.db, publicId),
    (page) => attributedSalesWhere(world.db, { ...filter, partnerId, ...page }),
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
  const { count, gmvCents, commissionCents } = attributedTotals(world.db, { ...window, partnerId })
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

/**
 * A page of the commission ledger, newest first (RPT-03). The balance of a line is that of the whole ledger up to it, however
 * little of it the filter shows.
 */
export function listCommissions(
  world: World,
  caller: Pick<Credential, 'partnerId'>,
  filter: DateWindow & Paging,
): Page<CommissionLine> & { balanceCents: number; currency: string } {
  const { partnerId } = caller
  const page = readPage(
    { ...filter, partnerId },
    (entryId) => lineOf(world, entryId),
    (part) => commissionLinesWhere(world.db, { ...filter, partnerId, ...part }),
  )
  return { ...page, balanceCents: partnerBalance(world, partnerId), currency: LISTING_CURRENCY }
}

function lineOf(world: World, entryId: string): CommissionLine | null {
  const seq = world.chance.numberOf('ledgerEntry', entryId)
  return seq === null ? null : commissionLineBySeq(world.db, seq)
}
