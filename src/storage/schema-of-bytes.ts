import { UnsoundDatabaseError } from './storage-error.ts'

/** How every database of ours is written; another form is refused, so that nothing but this one has to be read here. */
const PAGE_BYTES = 4_096
const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
const INTERIOR = 0x05
const LEAF = 0x0d

/** A row of sqlite_schema without its root page: type, name, tbl_name and sql. */
export type SchemaRow = readonly (string | null)[]

/**
 * The schema of a database in bytes.
 *
 * Read by hand, because SQLite itself evaluates expressions as soon as it reads a schema: a table called sqlite_stat1 may
 * have a generated column, and its rows are read before the first statement is prepared.
 *
 * @throws UnsoundDatabaseError where it cannot be read.
 */
export function schemaIn(bytes: Buffer): SchemaRow[] {
  refuseHeader(bytes)
  try {
    return rowsOf(bytes, 1, new Set())
  } catch (error) {
    // A length or a page number that leads out of the file.
    if (error instanceof RangeError) throw damaged('its schema cannot be read')
    throw error
  }
}

function damaged(what: string): UnsoundDatabaseError {
  return new UnsoundDatabaseError(`this database is damaged: ${what}`)
}

function refuseHeader(bytes: Buffer): void {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new UnsoundDatabaseError('this is not an SQLite database')
  }
  const [written, read, reserved] = [bytes[18] as number, bytes[19] as number, bytes[20]]
  if (written < 1 || written > 2 || read < 1 || read > 2) throw damaged('its header names an unknown file format')
  if (bytes.readUInt16BE(16) !== PAGE_BYTES || reserved !== 0 || bytes.readUInt32BE(56) > 1) {
    throw new UnsoundDatabaseError(
      `this database does not have pages of ${PAGE_BYTES} bytes with texts in UTF-8, as every world has`,
    )
  }
  refuseCutShort(bytes)
}

/** SQLite reads what is missing of a last page as zeros, and finds nothing wrong where no length of a row is among it. */
function refuseCutShort(bytes: Buffer): void {
  // The header's count of pages holds only if it was written by the latest change.
  const pages = bytes.readUInt32BE(24) === bytes.readUInt32BE(92) ? bytes.readUInt32BE(28) : 0
  const wanted = (pages || Math.ceil(bytes.length / PAGE_BYTES)) * PAGE_BYTES
  if (bytes.length < wanted) throw damaged(`it has ${bytes.length} of its ${wanted} bytes`)
}

/** What the rows of sqlite_schema say; all but where each thing begins. */
function rowsOf(bytes: Buffer, page: number, seen: Set<number>): SchemaRow[] {
  if (seen.has(page)) throw damaged('a page of its schema is there twice')
  seen.add(page)
  const start = (page - 1) * PAGE_BYTES
  const at = page === 1 ? HEADER_BYTES : start
  const kind = bytes.readUInt8(at)
  if (kind !== INTERIOR && kind !== LEAF) throw damaged('its schema cannot be read')
  const pointers = at + (kind === LEAF ? 8 : 12)
  const cells = Array.from({ length: bytes.readUInt16BE(at + 3) }, (_, n) => {
    return start + bytes.readUInt16BE(pointers + 2 * n)
  })
  if (kind === LEAF) return cells.map((cell) => rowAt(bytes, cell))
  const children = [...cells, at + 8].map((cell) => bytes.readUInt32BE(cell))
  return children.flatMap((child) => rowsOf(bytes, child, seen))
}

/** The five columns type, name, tbl_name, rootpage and sql, of which the fourth is left out. */
const COLUMNS = 5
const ROOT_PAGE = 3

function rowAt(bytes: Buffer, cell: number): SchemaRow {
  const payload = varintAt(bytes, cell)
  const rowid = varintAt(bytes, payload.next)
  const header = varintAt(bytes, rowid.next)
  // More than a page holds of a row goes on elsewhere; nothing of ours is that long.
  if (payload.value > PAGE_BYTES - 35) throw otherTables()
  let [typeAt, valueAt] = [header.next, rowid.next + header.value]
  const values = Array.from({ length: COLUMNS }, (_, column) => {
    const type = varintAt(bytes, typeAt)
    typeAt = type.next
    const from = valueAt
    valueAt += bytesOfType(type.value)
    if (column === ROOT_PAGE || type.value === 0) return null
    if (type.value < 13 || type.value % 2 === 0) throw otherTables()
    return bytes.toString('utf8', from, valueAt)
  })
  if (typeAt !== rowid.next + header.value) throw otherTables()
  return values.filter((_, column) => column !== ROOT_PAGE)
}

/** For every schema that is not ours. */
export function otherTables(): UnsoundDatabaseError {
  return new UnsoundDatabaseError(
    'the tables of this database are not those of a world of this version: it was changed by another program, or written by another build',
  )
}

function bytesOfType(type: number): number {
  if (type >= 12) return Math.floor((type - 12) / 2)
  return [0, 1, 2, 3, 4, 6, 8, 8, 0, 0][type] ?? 0
}

/** SQLite's own way of writing a number: seven bits a byte, the first bit says whether there are more. */
function varintAt(bytes: Buffer, at: number): { value: number; next: number } {
  let value = 0
  for (let next = at; next < at + 8; next++) {
    const byte = bytes.readUInt8(next)
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return { value, next: next + 1 }
  }
  throw damaged('its schema cannot be read')
}
