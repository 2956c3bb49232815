import { escapeLine } from '../../conformance/reports/escape.ts'
import { moneyText } from '../../contract/money.ts'
import { membersOf, type OutputRow, rowsOf } from './records.ts'

/**
 * A column: its heading, the member of a row below it, or what makes it of the row, and how that is written if
 * not as it stands. Both kinds of numbers stand to the right.
 */
export type Column<Item> = readonly [
  heading: string,
  cell: (keyof Item & string) | ((row: Item) => unknown),
  as?: 'money' | 'count',
]

/**
 * Items as aligned columns with a heading line. Every cell is made safe for a terminal.
 *
 * @param widthCharacters to which cells are cut, except those of the first column; null for as wide as it gets.
 * @example table([{ id: 'a' }], [['ID', 'id']]) // 'ID\na\n'
 */
export function table<Item extends object>(
  rows: readonly Item[],
  columns: readonly Column<Item>[],
  widthCharacters: number | null = null,
): string {
  const lines = [
    columns.map(([heading]) => heading),
    ...rows.map((row) => columns.map((column, at) => (at === 0 ? firstText : cellText)(valueIn(row, column)))),
  ]
  const needed = columns.map((_, at) => Math.max(...lines.map((line) => (line[at] ?? '').length)))
  const widths = widthCharacters === null ? needed : narrowed(needed, widthCharacters)
  const pad = (text: string, at: number) => {
    const width = widths[at] ?? 0
    const shown = text.length > width ? cut(text, width) : text
    return columns[at]?.[2] ? shown.padStart(width) : shown.padEnd(width)
  }
  return lines.map((line) => `${line.map(pad).join('  ').trimEnd()}\n`).join('')
}

/** A narrower cell says too little; this one has room for an instant without its year and seconds. */
const NARROWEST_CELL = 'MM-DD HH:MM'.length

const INSTANT = /^\d{4}-(\d\d-\d\d)T(\d\d:\d\d):[\d.]+Z$/

/** A text without its end. Of an instant, month to minute are left: its beginning is the same in all rows of a day. */
function cut(text: string, widthCharacters: number): string {
  const [, day, time] = INSTANT.exec(text) ?? []
  return time === undefined ? `${text.slice(0, widthCharacters - 1)}…` : `${day} ${time}`
}

/** Takes from the widest column, again and again, until a line fits. */
function narrowed(widths: readonly number[], widthCharacters: number): number[] {
  const left = [...widths]
  let over = left.reduce((sum, width) => sum + width + '  '.length, -'  '.length) - widthCharacters
  for (; over > 0; over--) {
    const widest = left.indexOf(Math.max(...left.slice(1)), 1)
    const width = left[widest] ?? 0
    if (width <= NARROWEST_CELL) break
    left[widest] = width - 1
  }
  return left
}

export interface ListView {
  readonly list: string
  /** What is said instead of an empty table. */
  readonly none?: string
  readonly columns: readonly Column<OutputRow>[]
  /** Flags that the next page needs, too. */
  readonly again?: readonly string[]
  /** Lines about the answer below the table. */
  readonly below?: (answer: unknown) => string
}

/** A page of a list as a table, and below it how to read on. */
export function listText(
  answer: unknown,
  { list, none, columns, again = [], below }: ListView,
  options: Readonly<Record<string, unknown>>,
  widthCharacters: number | null,
): string {
  const rows = rowsOf(answer, list)
  if (rows.length === 0 && none !== undefined) return `${none}\n`
  const flags = again.map((name) => (options[name] === true ? `--${name} ` : '')).join('')
  const more = moreLine(membersOf(answer)['next_cursor'], flags)
  return table(rows, columns, widthCharacters) + more + (below?.(answer) ?? '')
}

/**
 * @param next the cursor of the next page; null at the end.
 * @param command what goes before the flag, if that is another command.
 * @example moreLine('ord_9') // '(there are more: --cursor ord_9)\n'
 */
export function moreLine(next: unknown, command = ''): string {
  return typeof next === 'string' ? `(there are more: ${escapeLine(command)}--cursor ${escapeLine(next)})\n` : ''
}

/** What a row has in a column; cents are of the row's currency. */
function valueIn<Item extends object>(row: Item, [, cell, as]: Column<Item>): unknown {
  const value: unknown = typeof cell === 'function' ? cell(row) : row[cell]
  return as === 'money' ? money(value, 'currency' in row ? row.currency : undefined) : value
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

/** Lines below the name of what they belong to. */
export function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}

/**
 * Cents of an answer as a person reads them; the currency stays what the answer says.
 *
 * @example money(129900, 'USD') // 'USD 1,299.00'
 */
export function money(cents: unknown, currency: unknown): string {
  if (typeof cents !== 'number') return '-'
  return moneyText(cents, typeof currency === 'string' ? currency : null)
}

/** A narrower column does not help. */
const LEAST_CHARACTERS = 24
/** How wide the columns before it may be, the first that leaves it room. */
const EARLIER_CHARACTERS = [Number.POSITIVE_INFINITY, 24, 18]
const NARROWEST = 12

/**
 * A table whose last column is a sentence: it goes on below itself where the terminal ends. Where that leaves it too
 * little, the columns before it are folded as well.
 *
 * @param widthCharacters of the terminal; null for one line a row, as programs like it.
 * @example wrapped([{ a: 'x', b: 'some words' }], columns, 80)
 */
export function wrapped<Item extends object>(
  rows: readonly Item[],
  columns: readonly Column<Item>[],
  widthCharacters: number | null,
): string {
  if (widthCharacters === null) return table(rows, columns)
  const texts = rows.map((row) => columns.map((column) => cellText(valueIn(row, column))))
  const foldedTo = (most: number) => texts.map((cells) => cells.map((text) => fold(text, most)))
  const earlier =
    EARLIER_CHARACTERS.map(foldedTo).find((rows) => widthCharacters - indentOf(rows, columns) >= LEAST_CHARACTERS) ??
    foldedTo(NARROWEST)
  const roomCharacters = Math.max(LEAST_CHARACTERS, widthCharacters - indentOf(earlier, columns))
  const folded = earlier.map((cells, at) => [
    ...cells.slice(0, -1),
    fold(texts[at]?.[columns.length - 1] ?? '', roomCharacters),
  ])
  return table(folded.flatMap(linesOf), columnsOf(columns))
}

/** The lines of each cell of a row. */
type Folded = readonly (readonly string[])[]

/** Where the last column begins. */
function indentOf<Item>(rows: readonly Folded[], columns: readonly Column<Item>[]): number {
  const before = columns.slice(0, -1).map(([heading], at) => {
    const lengths = rows.flatMap((cells) => (cells[at] ?? []).map((line) => line.length))
    return Math.max(heading.length, ...lengths) + '  '.length
  })
  return before.reduce((sum, width) => sum + width, 0)
}

/** A row as so many lines of a table; a space counts as empty there, while an empty cell is a dash. */
function linesOf(cells: Folded): string[][] {
  const height = Math.max(...cells.map((lines) => lines.length))
  return Array.from({ length: height }, (_, line) => cells.map((lines) => lines[line] ?? ' '))
}

function columnsOf<Item>(columns: readonly Column<Item>[]): Column<string[]>[] {
  return columns.map(([heading, , as], at) => {
    const cell = (cells: string[]) => cells[at]
    return as ? [heading, cell, 'count'] : [heading, cell]
  })
}

/** Cuts at spaces; a word that is longer than the room stays whole. */
function fold(text: string, roomCharacters: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= roomCharacters) lines.push(`${lines.pop()} ${word}`)
    else lines.push(word)
  }
  return lines
}
