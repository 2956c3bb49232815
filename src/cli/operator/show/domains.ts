import { isObject } from '../../../contract/is-object.ts'
import { membersOf, type OutputRow, rowsOf } from '../../output/records.ts'
import { type Column, type ListView, wrapped } from '../../output/table.ts'
import { facts } from './facts.ts'

export const DOMAINS: ListView = {
  list: 'domains',
  none: 'no domains',
  columns: [
    ['DOMAIN', 'domain'],
    ['PRICE', 'price_cents', 'money'],
    ['FLOOR', 'floor_price_cents', 'money'],
    ['LISTED', 'listed'],
    ['STATUS', standing],
    ['TOPICS', 'topics'],
  ],
}

export function domainText(answer: unknown): string {
  const domain = membersOf(answer)
  const { sold_by: _order, reserved_by: _quote, ...shown } = domain
  return facts({ ...shown, status: standing(domain) })
}

/**
 * Whether it can be bought, and if not, what is in the way.
 *
 * @example standing({ status: 'sold', sold_by: 'ord_1' }) // 'sold (ord_1)'
 */
function standing({ status, sold_by: order, reserved_by: quote }: OutputRow): unknown {
  if (status === 'sold' && typeof order === 'string') return `sold (${order})`
  if (status !== 'reserved' || !isObject(quote)) return status
  return `reserved until ${String(quote['until'])} (${String(quote['quote_id'])} of ${String(quote['partner_id'])})`
}

const NOTE = `N is a number from 1 on: take a fresh one for each test.
Tags go into the buyer's e-mail address: jo+declines@example.test
`

export function magicText(answer: unknown, widthCharacters: number | null): string {
  const domains = wrapped(rowsOf(answer, 'domains'), columnsUnder('DOMAIN'), widthCharacters)
  const buyers = wrapped(rowsOf(answer, 'buyers'), columnsUnder('BUYER TAG'), widthCharacters)
  return `${domains}\n${buyers}\n${NOTE}`
}

function columnsUnder(heading: string): Column<OutputRow>[] {
  return [
    [heading, 'pattern'],
    ['ACTS', 'acts'],
    ['ON: WHAT IT DOES', (row) => `${row['on']}: ${row['does']}`],
  ]
}
