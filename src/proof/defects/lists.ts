import { findListing } from '../../sandbox/inventory/listings.ts'
import { type Fields, HOUR_MS, later } from './answers.ts'
import { counting, type Defect, defect, type Tampered } from './defect.ts'
import {
  asking,
  eachOf,
  isOfLaterPartner,
  isOfThirtyDays,
  keeping,
  type ListId,
  listing,
  listingByKey,
  listingEveryones,
} from './routes.ts'

/** A defect, the list that is wrong, and the requirement that it breaks. */
type ListMistake = readonly [id: string, list: ListId, requirement: string]

/** Mistakes that any list may make, each with the lists that make it. */
export const listMistakes: readonly Defect[] = [
  ...inEach(
    [
      ['list-shows-everyones-orders', 'orders.list', 'ORD-06'],
      ['transaction-list-shows-everyones', 'transactions.list', 'TXN-01'],
      ['case-list-shows-everyones-cases', 'brokerage.list', 'BRKL-01'],
      ['history-shows-everyones-events', 'events.list', 'EVT-02'],
    ],
    (list) => `The answer of ${list} has the rows of all partners.`,
    listingEveryones,
  ),
  ...inEach(
    [
      ['attributed-sales-of-one-partner-only', 'me.sales', 'RPT-02'],
      ['ledger-of-one-partner-only', 'me.commissions', 'RPT-03'],
    ],
    (list) => `Of all partners, one has rows in ${list}.`,
    (list) => keeping(list, (_, input) => !isOfLaterPartner(input)),
  ),
  ...inEach(
    [
      ['list-is-that-of-the-key', 'orders.list', 'ORD-08'],
      ['transactions-are-those-of-the-key', 'transactions.list', 'TXN-01'],
      ['history-is-that-of-the-key', 'events.list', 'EVT-03'],
    ],
    (list) => `The answer of ${list} has the orders of the credential that asks, and not those of its partner.`,
    (list) => listingByKey('orders.create', list, 'public_id'),
  ),
  ...inEach(
    [['case-list-is-that-of-the-key', 'brokerage.list', 'BRKL-01']],
    (list) => `The answer of ${list} has the cases of the credential that asks, and not those of its partner.`,
    (list) => listingByKey('brokerage.create', list, 'case_id'),
  ),
  ...inEach(
    [
      ['list-goes-back-thirty-days', 'orders.list', 'ORD-08'],
      ['transactions-go-back-thirty-days', 'transactions.list', 'TXN-01'],
      ['statements-go-back-thirty-days', 'settlements.list', 'SET-02'],
      ['case-list-goes-back-thirty-days', 'brokerage.list', 'BRKL-01'],
      ['attributed-sales-of-thirty-days', 'me.sales', 'RPT-02'],
      ['ledger-of-thirty-days', 'me.commissions', 'RPT-03'],
    ],
    (list) => `Without dates, ${list} has the rows of the last thirty days.`,
    (list) => keeping(list, (row, input) => isOfThirtyDays(row['period_end'] ?? row['created_at'], input)),
  ),
  ...inEach(
    [
      ['list-excludes-from', 'orders.list', 'ORD-07'],
      ['transactions-swap-from-and-to', 'transactions.list', 'TXN-02'],
    ],
    (list) => `The filters from and to of ${list} are swapped.`,
    (list) => asking(list, withDatesSwapped),
  ),
  ...inEach(
    [
      ['list-shows-the-price-of-the-day', 'orders.list', 'ORD-01'],
      ['transactions-show-the-price-of-the-day', 'transactions.list', 'TXN-01'],
    ],
    (list) => `The rows of ${list} show what their domains are listed for now.`,
    (list) =>
      eachOf(list, (row, { world }) => ({
        ...row,
        sale_price_cents: findListing(world, String(row['domain']))?.priceCents ?? row['sale_price_cents'],
      })),
  ),
  ...inEach(
    [
      ['transactions-have-another-date-at-each-reading', 'transactions.list', 'TXN-01'],
      ['payouts-have-another-date-at-each-reading', 'payouts.list', 'PAY-01'],
      ['referral-payouts-have-another-date-at-each-reading', 'me.payouts', 'RPT-04'],
    ],
    (list) => `The rows of ${list} have a date that is an hour later each time they are read.`,
    datedByTheirReading,
  ),
  ...inEach(
    [
      ['long-pages-of-orders-have-the-last-twice', 'orders.list', 'ORD-08'],
      ['long-pages-of-cases-have-the-last-twice', 'brokerage.list', 'BRKL-01'],
      ['long-pages-of-links-have-the-last-twice', 'links.list', 'LINK-02'],
    ],
    (list) => `A page of more than two rows of ${list} has its last one twice.`,
    (list) => listing(list, (rows) => (rows.length > 2 ? [...rows, ...rows.slice(-1)] : rows)),
  ),
]

function inEach(
  rows: readonly ListMistake[],
  words: (list: ListId) => string,
  mistake: (list: ListId) => Tampered,
): Defect[] {
  return rows.map(([id, list, requirement]) => defect(id, [requirement], { summary: words(list), ...mistake(list) }))
}

function withDatesSwapped({ from, to, ...query }: Fields): Fields {
  return { ...query, ...(to !== undefined && { from: to }), ...(from !== undefined && { to: from }) }
}

function datedByTheirReading(list: ListId): Tampered {
  const readings = counting()
  return eachOf(list, (row, { world }) => {
    const name = 'paid_at' in row ? 'paid_at' : 'created_at'
    return { ...row, [name]: later(row[name], readings(world) * HOUR_MS) }
  })
}
