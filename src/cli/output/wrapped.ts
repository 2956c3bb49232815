import { type Column, cellText, table, valueIn } from './table.ts'

/** Narrower than this a column is no help any more. */
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
export function wrapped<Row extends object>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
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
function indentOf<Row>(rows: readonly Folded[], columns: readonly Column<Row>[]): number {
  const before = columns.slice(0, -1).map(([heading], at) => {
    const lengths = rows.flatMap((cells) => (cells[at] ?? []).map((line) => line.length))
    return Math.max(heading.length, ...lengths) + '  '.length
  })
  return before.reduce((sum, width) => sum + width, 0)
}

/** A row as so many lines of a table; a space is nothing there, where an empty cell is a dash. */
function linesOf(cells: Folded): string[][] {
  const height = Math.max(...cells.map((lines) => lines.length))
  return Array.from({ length: height }, (_, line) => cells.map((lines) => lines[line] ?? ' '))
}

function columnsOf<Row>(columns: readonly Column<Row>[]): Column<string[]>[] {
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
