import { type Page, type Paging, readPage } from '../kernel/paging.ts'
import type { Credential, World } from '../kernel/world.ts'
import { saleBySeq, totalsOf, transactionsWhere } from './store.ts'
import type { Totals, Transaction, TransactionFilter } from './types.ts'

/**
 * A page of a partner's sales, newest first, with totals over all that fit the filter, on this page or not (TXN-01, TXN-02).
 */
export function listTransactions(
  world: World,
  caller: Credential,
  filter: TransactionFilter & Paging,
): Page<Transaction> & { totals: Totals } {
  const { shows, models, totals } = world.rules.reports
  const scope = { partnerId: shows === 'own' ? caller.partnerId : null, models }
  const page = readPage(
    { ...filter, ...scope },
    (transactionId) => saleOf(world, transactionId),
    (part) => transactionsWhere(world.db, { ...filter, ...scope, ...part }),
  )
  if (totals === 'page') return { ...page, totals: sumOf(page.rows) }
  return { ...page, totals: totalsOf(world.db, totals === 'filter' ? { ...filter, ...scope } : scope) }
}

function saleOf(world: World, transactionId: string): { seq: number; partnerId: string } | null {
  const seq = world.chance.numberOf('transaction', transactionId)
  return seq === null ? null : saleBySeq(world.db, seq)
}

function sumOf(rows: readonly Transaction[]): Totals {
  return {
    count: rows.length,
    gmvCents: rows.reduce((sum, row) => sum + row.salePriceCents, 0),
    commissionCents: rows.reduce((sum, row) => sum + row.commissionCents, 0),
  }
}
