import { formatInstant } from '../../clock/instant.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Schema } from '../../contract/schema.ts'
import { unknownName, utf8In } from '../../contract/words.ts'
import { fromWire } from '../../operator-api/camel-case.ts'
import type { BodyOf, ParamsOf } from '../../operator-api/operations.ts'
import { CSV_LIMITS, newListing } from '../../operator-api/rows/domains.ts'
import type { Environment } from '../../sandbox/app/environment.ts'
import {
  addListing,
  findListing,
  type ListingInput,
  listListings,
  removeListing,
  setListing,
  standingOf,
} from '../../sandbox/inventory/listings.ts'
import type { Listing } from '../../sandbox/inventory/types.ts'
import { normalizeDomain } from '../../sandbox/kernel/domain-name.ts'
import { canonical } from '../../sandbox/wire/fields.ts'
import { validated } from '../../sandbox/wire/validation.ts'
import { Problem, problem, required } from '../problems.ts'
import { created, DONE, type HandlersOf, ok } from '../route.ts'

const USUAL_PAGE = 50

export const domainHandlers: HandlersOf<'domains'> = {
  'domains.list'({ world, query }) {
    const { q, cursor: after, limit = USUAL_PAGE } = query
    const page = listListings(world, { limit, ...(q !== undefined && { q }), ...(after !== undefined && { after }) })
    return ok({ domains: page.listings.map((listing) => presentListing(world, listing)), next_cursor: page.next })
  },
  'domains.show': ({ world, params }) =>
    ok(presentListing(world, required(findListing(world, nameOf(params)), 'no-listing'))),
  'domains.create'({ world, body, bytes }) {
    if (bytes) return created({ added: addAll(world, readListingsCsv(bytes, newListing)) })
    return created(world.commits.commitNow(() => presentListing(world, addListing(world, listingFrom(body)))))
  },
  'domains.set'({ world, params, body }) {
    const name = nameOf(params)
    return ok(world.commits.commitNow(() => presentListing(world, setListing(world, name, fromWire(body)))))
  },
  'domains.delete'({ world, params }) {
    const name = nameOf(params)
    world.commits.commitNow(() => removeListing(world, name))
    return DONE
  },
}

/** All of them, or none: the first that cannot be added is named with its line. */
function addAll(world: Environment, rows: readonly { line: number; listing: BodyOf<'domains.create'> }[]): number {
  return world.commits.commitNow(() => {
    for (const { line, listing } of rows) {
      try {
        addListing(world, listingFrom(listing))
      } catch (error) {
        const isConflict = error instanceof ApiError && error.code === 'conflict'
        throw problem(isConflict ? 'csv-conflict' : 'csv-mistakes', { message: atLine(line, error) })
      }
    }
    return rows.length
  })
}

function listingFrom(written: BodyOf<'domains.create'>): ListingInput {
  return { ...fromWire(written), domain: canonical(written.domain) }
}

/** The name in the path, as it is stored; what is not a name is not listed. */
function nameOf(params: ParamsOf<'domains.show'>): string {
  return required(normalizeDomain(params.name), 'no-listing')
}

/** A listing, and whether it can be bought now. */
function presentListing(world: Environment, listing: Listing) {
  const { status, soldBy, reservation } = standingOf(world, listing)
  return {
    domain: listing.domain,
    price_cents: listing.priceCents,
    floor_price_cents: listing.floorPriceCents,
    currency: listing.currency,
    listed: listing.listed,
    live_site: listing.liveSite,
    topics: [...listing.topics],
    status,
    sold_by: soldBy,
    reserved_by: reservation && {
      quote_id: world.chance.id('quote', reservation.quoteSeq),
      partner_id: reservation.partnerId,
      until: formatInstant(reservation.expiresAtMs),
    },
  }
}

/** How each column is read; the names are those of a listing in JSON. */
const COLUMNS = {
  domain: String,
  price_cents: wholeNumber,
  floor_price_cents: wholeNumber,
  currency: String,
  listed: yesOrNo,
  live_site: yesOrNo,
  topics: words,
} as const

type CsvColumn = keyof typeof COLUMNS

const REQUIRED: readonly CsvColumn[] = ['domain', 'price_cents']
const MOST_TOLD = 10

/**
 * Reads a CSV file of listings: the names of the columns first, then a listing a line. A cell that is empty says
 * nothing; topics are in one cell with semicolons between them.
 *
 * @param schema of a listing in JSON.
 * @throws Problem 400 that names line and field of the first ten mistakes.
 */
function readListingsCsv<Listing>(bytes: Uint8Array, schema: Schema<Listing>): { line: number; listing: Listing }[] {
  const [header, ...rows] = readCsv(bytes)
  if (!header) throw problem('csv-empty', { columns: Object.keys(COLUMNS).join(', ') })
  const columns = readHeader(header)
  if (rows.length > CSV_LIMITS.rows) throw problem('csv-too-long', { rows: CSV_LIMITS.rows })
  if (rows.length === 0) throw problem('csv-without-listing')
  const mistakes: string[] = []
  const read = rows.flatMap((row) => {
    try {
      return [{ line: row.line, listing: validated(schema, withNames(row, columns), 'body') }]
    } catch (error) {
      mistakes.push(atLine(row.line, error))
      return []
    }
  })
  refuse(mistakes)
  return read
}

/** Says of which line a refusal is; everything else is passed on. */
function atLine(line: number, error: unknown): string {
  if (error instanceof ApiError || error instanceof Problem) return `line ${line}: ${error.message}`
  throw error
}

function refuse(mistakes: readonly string[]): void {
  if (mistakes.length === 0) return
  const left = mistakes.length - MOST_TOLD
  const told = mistakes.slice(0, MOST_TOLD).join('; ')
  throw problem('csv-mistakes', { message: left > 0 ? `${told}; and ${left} more lines` : told })
}

function readHeader({ cells, line }: CsvRow): CsvColumn[] {
  const names = Object.keys(COLUMNS) as CsvColumn[]
  const columns = cells.map((cell) => {
    const found = names.find((name) => name === cell)
    if (found) return found
    const isSeparator = /[;\t|]/.test(cell)
    const message = isSeparator
      ? unknownName('column', cell, [], 'columns are separated by commas')
      : unknownName('column', cell, names)
    throw problem('csv-unknown-column', { line, message })
  })
  const twice = columns.find((name, i) => columns.indexOf(name) !== i)
  if (twice) throw problem('csv-column-twice', { line, name: twice })
  const missing = REQUIRED.find((name) => !columns.includes(name))
  if (missing) throw problem('csv-column-missing', { line, name: missing })
  return columns
}

function withNames({ cells }: CsvRow, columns: readonly CsvColumn[]): Record<string, unknown> {
  if (cells.length !== columns.length) throw problem('csv-cell-count', { cells: cells.length, columns: columns.length })
  const said = columns.flatMap((name, i) => (cells[i] === '' ? [] : [[name, COLUMNS[name](cells[i] as string)]]))
  return Object.fromEntries(said)
}

/** What is not a number stays as it is, so that the schema can say what is wrong with it. */
function wholeNumber(cell: string): unknown {
  return /^-?\d{1,15}$/.test(cell) ? Number(cell) : cell
}

function yesOrNo(cell: string): unknown {
  return cell === 'true' || (cell === 'false' ? false : cell)
}

function words(cell: string): string[] {
  return cell.split(';').map((word) => word.trim())
}

/** One row of a CSV file, and the line that it starts on. */
interface CsvRow {
  readonly line: number
  readonly cells: readonly string[]
}

/** A cell, in quotes or plain, and what ends it. The quoted one is unrolled, so that no text makes it go back. */
const CELL = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r\n|\n|$)/y

/**
 * Reads CSV (RFC 4180) strictly: UTF-8 with or without a byte order mark, commas, lines that end with LF or CRLF, cells
 * in double quotes where they hold a comma, a quote or the end of a line. Empty lines are left out.
 *
 * @throws Problem 400 that names the line.
 * @example readCsv(Buffer.from('domain,topics\r\na.test,"tea;green"\r\n'))[1] // { line: 2, cells: ['a.test', 'tea;green'] }
 */
function readCsv(bytes: Uint8Array): CsvRow[] {
  const text = utf8In(bytes)?.replace(/^\ufeff/, '')
  if (text === undefined) throw problem('not-utf8')
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
