import type { Row } from './records.ts'
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
