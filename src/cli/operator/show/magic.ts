import { type Row, rowsOf } from '../../output/records.ts'
import { type Column, wrapped } from '../../output/table.ts'

const NOTE = `N is a number from 1 on: take a fresh one for each test.
Tags go into the buyer's e-mail address: jo+declines@example.test
`

/** The names with a fixed outcome. */
export function magicText(answer: unknown, widthCharacters: number | null): string {
  const domains = wrapped(rowsOf(answer, 'domains'), columnsUnder('DOMAIN'), widthCharacters)
  const buyers = wrapped(rowsOf(answer, 'buyers'), columnsUnder('BUYER TAG'), widthCharacters)
  return `${domains}\n${buyers}\n${NOTE}`
}

function columnsUnder(heading: string): Column<Row>[] {
  return [
    [heading, 'pattern'],
    ['ACTS', 'acts'],
    ['ON: WHAT IT DOES', (row) => `${row['on']}: ${row['does']}`],
  ]
}
