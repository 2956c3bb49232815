import { escapeLine } from '../../conformance/reporters/escape.ts'
import { isRecord, type Row } from './records.ts'
import { type Column, money } from './table.ts'

/** A column with a member of each row as it stands. */
export function column(heading: string, name: string): Column<Row> {
  return { heading, cell: (row) => row[name] }
}

/** A column with a whole number of each row. */
export function countColumn(heading: string, name: string): Column<Row> {
  return { ...column(heading, name), align: 'right' }
}

/** A column with a member of each row that counts cents of the row's currency. */
export function moneyColumn(heading: string, name: string): Column<Row> {
  return { heading, cell: (row) => money(row[name], row['currency']), align: 'right' }
}

/**
 * How to go on reading a list, below its table; empty where the answer was the end of it.
 *
 * @example moreLine({ next_cursor: 'ord_9' }) // '(there are more: --cursor ord_9)\n'
 */
export function moreLine(answer: unknown): string {
  const next = isRecord(answer) ? answer['next_cursor'] : null
  return typeof next === 'string' ? `(there are more: --cursor ${escapeLine(next)})\n` : ''
}
