import { problem } from './problem.ts'

/** One row of a CSV file, and the line that it starts on. */
export interface CsvRow {
  readonly line: number
  readonly cells: readonly string[]
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A cell, in quotes or plain, and what ends it. The quoted one is unrolled, so that no text makes it go back. */
const CELL = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r\n|\n|$)/y

/**
 * Reads CSV (RFC 4180) strictly: UTF-8 with or without a byte order mark, commas, lines that end with LF or CRLF, cells
 * in double quotes where they hold a comma, a quote or the end of a line. Empty lines are left out.
 *
 * @throws Problem 400 that names the line.
 * @example readCsv(Buffer.from('domain,topics\r\na.test,"tea;green"\r\n'))[1] // { line: 2, cells: ['a.test', 'tea;green'] }
 */
export function readCsv(bytes: Uint8Array): CsvRow[] {
  const text = decoded(bytes)
  const rows: CsvRow[] = []
  let row: { line: number; cells: string[] } = { line: 1, cells: [] }
  let line = 1
  CELL.lastIndex = 0
  for (let at = 0; at < text.length || row.cells.length > 0; at = CELL.lastIndex) {
    const [whole, inQuotes, plain, end] = CELL.exec(text) ?? malformed(line)
    row.cells.push(inQuotes?.replaceAll('""', '"') ?? plain ?? '')
    line += whole.split('\n').length - 1
    if (end === ',') continue
    if (row.cells.length > 1 || row.cells[0] !== '') rows.push(row)
    row = { line, cells: [] }
  }
  return rows
}

function malformed(line: number): never {
  throw problem('not-csv', { line })
}

function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw problem('not-utf8')
  }
}
