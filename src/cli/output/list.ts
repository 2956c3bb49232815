import { escapeLine } from '../../conformance/reports/escape.ts'
import { membersOf, type Row, rowsOf } from './records.ts'
import { type Column, table } from './table.ts'

/** How a list is shown. */
export interface ListView {
  /** The member of the answer that holds it. */
  readonly list: string
  /** What is said instead of an empty table. */
  readonly none?: string
  readonly columns: readonly Column<Row>[]
}

/** A page of a list as a table, and below it how to read on. */
export function listText(answer: unknown, { list, none, columns }: ListView): string {
  const rows = rowsOf(answer, list)
  return rows.length === 0 && none !== undefined ? `${none}\n` : table(rows, columns) + moreLine(answer)
}

/** @example moreLine({ next_cursor: 'ord_9' }) // '(there are more: --cursor ord_9)\n' */
function moreLine(answer: unknown): string {
  const next = membersOf(answer)['next_cursor']
  return typeof next === 'string' ? `(there are more: --cursor ${escapeLine(next)})\n` : ''
}
