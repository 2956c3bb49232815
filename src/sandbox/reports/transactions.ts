import { type Page, type Paging, pageOf, startOf } from '../kernel/paging.ts'
import type { Credential, World } from '../kernel/world.ts'
import { saleByTransactionId, totalsOf, transactionsWhere } from './store.ts'
import type { Totals, Transaction, TransactionFilter } from './types.ts'

/**
 * A page of a partner's sales, newest first, with totals over all that fit the filter, on this page or not (TXN-01, TXN-02).
 *
 * @throws ApiError validation_error for a cursor that is none of these sales.
 * @example listTransactions(world, caller, { paymentModel: 'hosted_checkout', limit: 20 }).totals.gmvCents
 */
export function listTransactions(
  world: World,
  caller: Credential,
  filter: TransactionFilter & Paging,
): Page<Transaction> & { totals: Totals } {
  const { shows, models, totals } = world.rules.reports
  const scope = { partnerId: shows === 'own' ? caller.partnerId : null, models }
  const beforeSeq = startOf(filter.cursor, (id) => {
    const last = saleByTransactionId(world.db, id)
    return last && (scope.partnerId === null || last.partnerId === scope.partnerId) ? last.seq : null
  })
  const page = pageOf(
    transactionsWhere(world.db, { ...filter, ...scope, beforeSeq, limit: filter.limit + 1 }),
    filter.limit,
  )
  if (totals === 'page') return { ...page, totals: sumOf(page.rows) }
  return { ...page, totals: totalsOf(world.db, totals === 'filter' ? { ...filter, ...scope } : scope) }
}

function sumOf(rows: readonly Transaction[]): Totals {
  return {
    count: rows.length,
    gmvCents: rows.reduce((sum, row) => sum + row.salePriceCents, 0),
    commissionCents: rows.reduce((sum, row) => sum + row.commissionCents, 0),
  }
}
