import type { GapChoices } from '../../../contract/gaps.ts'
import { isUndone } from '../../../contract/order-states.ts'
import type { PaymentModel } from '../../../contract/payment-models.ts'
import type { DealRow, OrderRow } from './store.ts'

/** Something that does not reconcile: what the history says it must be, and what was found. */
export type Difference = { what: string; id: string } & (
  | { expectedCents: number; foundCents: number }
  | { expected: string | number; found: string | number }
)

/** A ledger that was lost differs in every line, and a million lines are of no use. */
const MOST_KEPT = 1_000

/** What does not reconcile. */
export class Findings {
  readonly differences: Difference[] = []
  /** How many more there are than are kept. */
  leftOut = 0

  /** Notes two amounts that are not the same. */
  cents(what: string, id: string, expectedCents: number, foundCents: number): void {
    if (expectedCents !== foundCents) this.#note({ what, id, expectedCents, foundCents })
  }

  /** Notes two other facts that are not the same. */
  facts(what: string, id: string, expected: string | number, found: string | number): void {
    if (expected !== found) this.#note({ what, id, expected, found })
  }

  #note(difference: Difference): void {
    if (this.differences.length < MOST_KEPT) this.differences.push(difference)
    else this.leftOut++
  }
}

/**
 * What happened to a sale, by its events and never by the ledger. Moments are sequence numbers of
 * events, which have an order also where the clock stands still.
 */
export interface SaleHistory {
  /** The order or the case. */
  id: string
  partnerId: string
  paymentModel: PaymentModel
  /** Null where nothing prevents another sale of it. */
  domain: string | null
  priceCents: number
  commissionCents: number
  bornAt: number
  /** When its commission became payable: the sale or its delivery, as an open point decides, or the close of the deal. */
  payableAt: number | null
  settledAt: number | null
  undoneAt: number | null
  /** The refund that its partner asked for. */
  refundId: string | null
  /** The share on which its case was opened; null for an order, whose rate only its sale knows. */
  rateBasisPoints: number | null
}

/** The histories of the orders in these rows; notes where row, timeline and events disagree. */
export function orderHistories(
  rows: readonly OrderRow[],
  { lastEvent, payableFrom }: { lastEvent: number; payableFrom: GapChoices['payable-from'] },
  findings: Findings,
): SaleHistory[] {
  const histories: SaleHistory[] = []
  for (let start = 0; start < rows.length; ) {
    let end = start + 1
    while (end < rows.length && rows[end]?.publicId === rows[start]?.publicId) end++
    const history = orderHistory(rows.slice(start, end), lastEvent, findings)
    if (history) histories.push(payableFrom === 'the sale' ? { ...history, payableAt: history.bornAt } : history)
    start = end
  }
  return histories
}

function orderHistory(rows: readonly OrderRow[], lastEvent: number, findings: Findings): SaleHistory | null {
  const [first, last] = [rows[0] as OrderRow, rows.at(-1) as OrderRow]
  const { publicId: id, partnerId, paymentModel, domain, commissionCents } = first
  findings.facts('order.status', id, last.reached ?? 'none', first.status)
  if (first.eventSeq === null || first.toldCents === null) {
    findings.facts('order.first_event', id, 1, 0)
    return null
  }
  const priceCents = first.toldCents
  findings.cents('order.sale_price', id, priceCents, first.priceCents)
  const told = rows.filter((row) => row.eventSeq !== null && row.eventSeq <= lastEvent)
  for (const row of told) findings.cents('event.sale_price', id, priceCents, row.toldCents ?? 0)
  const when = (fits: (row: OrderRow) => boolean) => told.find(fits)?.eventSeq ?? null
  return {
    id,
    partnerId,
    paymentModel,
    domain,
    priceCents,
    commissionCents,
    bornAt: first.eventSeq,
    payableAt: when(({ reached }) => reached === 'TRANSFER_COMPLETED'),
    settledAt: when(({ reached }) => reached === 'SETTLED'),
    undoneAt: when(({ reached }) => reached !== null && isUndone(reached)),
    refundId: told.find(({ refundId }) => refundId !== null)?.refundId ?? null,
    rateBasisPoints: null,
  }
}

/** The history of a closed deal; null where it was closed after the audit began. */
export function dealHistory(row: DealRow, lastEvent: number, findings: Findings): SaleHistory | null {
  const { caseId: id, partnerId, eventSeq, toldPriceCents, toldCutCents } = row
  if (eventSeq === null || toldPriceCents === null || toldCutCents === null) {
    findings.facts('case.completed_event', id, 1, 0)
    return null
  }
  if (eventSeq > lastEvent) return null
  findings.cents('case.deal_price', id, toldPriceCents, row.priceCents)
  findings.cents('case.partner_cut', id, toldCutCents, row.commissionCents)
  return {
    id,
    partnerId,
    paymentModel: 'brokerage',
    domain: null,
    priceCents: toldPriceCents,
    commissionCents: toldCutCents,
    bornAt: eventSeq,
    payableAt: eventSeq,
    settledAt: null,
    undoneAt: null,
    refundId: null,
    rateBasisPoints: row.rateBasisPoints,
  }
}

/** Notes every domain that was sold while an earlier sale of it still counted. */
export function checkSoldOnce(histories: Iterable<SaleHistory>, findings: Findings): void {
  const soldUntil = new Map<string, number>()
  for (const { domain, bornAt, undoneAt } of histories) {
    if (domain === null) continue
    const standing = (soldUntil.get(domain) ?? 0) > bornAt
    if (standing) findings.facts('domain.sales_at_once', domain, 1, 2)
    soldUntil.set(domain, undoneAt ?? Number.POSITIVE_INFINITY)
  }
}
