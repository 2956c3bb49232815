import { type Column, table } from './table.ts'

/** Narrower than this a column is no help any more. */
const LEAST_CHARACTERS = 24

/**
 * A table whose last column is a sentence: it goes on below itself where the terminal ends.
 *
 * @param widthCharacters of the terminal; null for one line a row, as programs like it.
 * @example wrapped([{ a: 'x', b: 'some words' }], columns, 80)
 */
export function wrapped<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  widthCharacters: number | null,
): string {
  const text = table(rows, columns)
  if (widthCharacters === null) return text
  const indent = table(rows, [...columns.slice(0, -1), { heading: '|', cell: () => '|' }]).indexOf('\n') - 1
  const roomCharacters = Math.max(LEAST_CHARACTERS, widthCharacters - indent)
  return text
    .split('\n')
    .map((line) => line.slice(0, indent) + fold(line.slice(indent), roomCharacters).join(`\n${' '.repeat(indent)}`))
    .join('\n')
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
