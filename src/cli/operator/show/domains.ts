import { column, moneyColumn, moreLine } from '../../output/columns.ts'
import { isRecord, type Row, rowsOf } from '../../output/records.ts'
import { table } from '../../output/table.ts'
import { facts } from './facts.ts'

/** A page of the inventory. */
export function domainList(answer: unknown): string {
  const domains = rowsOf(answer, 'domains')
  if (domains.length === 0) return 'no domains\n'
  return (
    table(domains, [
      column('DOMAIN', 'domain'),
      moneyColumn('PRICE', 'price_cents'),
      moneyColumn('FLOOR', 'floor_price_cents'),
      column('LISTED', 'listed'),
      { heading: 'STATUS', cell: standing },
      column('TOPICS', 'topics'),
    ]) + moreLine(answer)
  )
}

/** One domain, with who has it. */
export function domainText(answer: unknown): string {
  const domain = isRecord(answer) ? answer : {}
  const { sold_by: _order, reserved_by: _quote, ...shown } = domain
  return facts({ ...shown, status: standing(domain) })
}

/**
 * Whether it can be bought, and if not, what stands in the way.
 *
 * @example standing({ status: 'sold', sold_by: 'ord_1' }) // 'sold (ord_1)'
 */
function standing({ status, sold_by: order, reserved_by: quote }: Row): unknown {
  if (status === 'sold' && typeof order === 'string') return `sold (${order})`
  if (status !== 'reserved' || !isRecord(quote)) return status
  return `reserved until ${String(quote['until'])} (${String(quote['quote_id'])} of ${String(quote['partner_id'])})`
}
