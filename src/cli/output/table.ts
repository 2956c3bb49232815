import { escapeLine } from '../../conformance/reporters/escape.ts'

/** One column: its heading and the text of a row in it. */
export interface Column<Row> {
  heading: string
  cell(row: Row): unknown
  /** Numbers stand to the right. */
  align?: 'right'
}

/**
 * Rows as aligned columns with a heading line. Whatever a cell holds is made safe for a terminal.
 *
 * @example table([{ id: 'a' }], [{ heading: 'ID', cell: (row) => row.id }]) // 'ID\na\n'
 */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const lines = [
    columns.map(({ heading }) => heading),
    ...rows.map((row) => columns.map(({ cell }, at) => (at === 0 ? firstText : cellText)(cell(row)))),
  ]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => (line[at] ?? '').length)))
  return lines
    .map(
      (line) =>
        `${line
          .map((text, at) => pad(text, widths[at] ?? 0, columns[at]?.align))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

/**
 * Names and values below each other, values aligned. Null and undefined are shown as a dash, true and false as yes and no.
 *
 * @example fields([['mode', 'frozen'], ['now', null]]) // 'mode  frozen\nnow   -\n'
 */
export function fields(rows: readonly (readonly [name: string, value: unknown])[]): string {
  const safe = rows.map(([name, value]) => [escapeLine(name), cellText(value)] as const)
  const width = Math.max(0, ...safe.map(([name]) => name.length))
  return safe.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('')
}

/** The same at the beginning of a line, where a CI system would take `::error::` for a command. */
function firstText(value: unknown): string {
  const text = cellText(value)
  return /^(?:::|##\[)/.test(text) ? JSON.stringify(text) : text
}

/** A value as a cell shows it, safe for a terminal. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cellText).join(', ')
  if (typeof value === 'object') return Object.keys(value).length === 0 ? '-' : escapeLine(JSON.stringify(value))
  return escapeLine(String(value))
}

function pad(text: string, width: number, align: 'right' | undefined): string {
  return align === 'right' ? text.padStart(width) : text.padEnd(width)
}

/**
 * Cents as a person reads them; the currency stays what the answer says.
 *
 * @example money(129900, 'USD') // '1299.00 USD'
 */
export function money(cents: unknown, currency: unknown): string {
  if (typeof cents !== 'number') return '-'
  const units = `${cents < 0 ? '-' : ''}${Math.floor(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, '0')}`
  return typeof currency === 'string' ? `${units} ${currency}` : units
}
