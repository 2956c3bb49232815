import { ApiError } from '../../contract/errors.ts'
import { EVENT_DATA, expectedBuyer, orderBuyer, payingBuyer, readRanges, wrongRetry } from '../../contract/kept-json.ts'
import type { Schema } from '../../contract/schema.ts'
import { isScope } from '../../contract/scopes.ts'
import type { Db } from '../../storage/database.ts'
import { UnsoundDatabaseError } from '../../storage/storage-error.ts'
import { faultEffect } from '../wire/fault.ts'
import { parseStrictly } from '../wire/json-body.ts'
import { type FormatName, fitsFormat, quoted, validated } from '../wire/validation.ts'
import { ruleOf, type ValueRule } from './stored-values.ts'

const SCHEMAS = new Map<string, Schema<unknown>>([
  ...Object.entries({ orderBuyer, expectedBuyer, payingBuyer, faultEffect, readRanges, wrongRetry }),
  ...EVENT_DATA.flatMap(({ types, data }) => types.map((type) => [type, data] as const)),
])

/** A turn of the event loop comes after so many rows. */
const ROWS_A_TURN = 5_000

/**
 * Looks at every value of a database with our tables as strictly as the API looks at what it is sent (see
 * {@link ruleOf}), with a turn of the event loop at intervals.
 *
 * @throws UnsoundDatabaseError that names table, row and column of the first that no world has.
 */
export function* judgingValues(db: Db): Generator<void> {
  for (const table of judgedTables(db)) yield* judgingTable(db, table)
}

/** All of them; of the index of listings only its settings. */
export function judgedTables(db: Db): string[] {
  const tables = db.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND (name NOT GLOB 'listing_index*' OR name GLOB '*_config')",
  )
  return tables.pluck().all() as string[]
}

/** The same for one table. */
export function* judgingTable(db: Db, table: string): Generator<void> {
  addFunctions(db)
  const key = keyOf(db, table)
  const columns = columnsOf(db, table).map((column) => [column, ruleOf(table, column)] as const)
  const conditions = columns.map(([column, { sql }]) => `(${sql(column)})`)
  const select = `SELECT ${[...key, ...conditions].join(', ')} FROM ${table} WHERE NOT (${conditions.join(' AND ')})`
  for (const { after, upTo } of partsOf(db, table, key)) {
    const bounds = [...(after ? [bound(key, '>')] : []), ...(upTo ? [bound(key, '<=')] : [])]
    const find = db.prepare(`${[select, ...bounds].join(' AND ')} LIMIT 1`).raw()
    const found = find.get(...(after ?? []), ...(upTo ?? [])) as unknown[] | undefined
    if (found) throw odd(table, found.slice(0, key.length), columns[found.indexOf(0, key.length) - key.length])
    yield
  }
}

export function columnsOf(db: Db, table: string): string[] {
  return db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[]
}

/** The columns that identify a row. */
function keyOf(db: Db, table: string): readonly string[] {
  const names = db.prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk').pluck().all(table)
  return names.length > 0 ? (names as string[]) : ['rowid']
}

/** The rows after a key up to another one, that included; null for no bound. */
interface Part {
  readonly after: readonly unknown[] | null
  readonly upTo: readonly unknown[] | null
}

function* partsOf(db: Db, table: string, key: readonly string[]): Generator<Part> {
  const lastOf = (after: Part['after']) => {
    const where = after === null ? '' : `WHERE ${bound(key, '>')}`
    const sql = `SELECT ${key.join(', ')} FROM ${table} ${where} ORDER BY ${key.join(', ')} LIMIT 1 OFFSET ${ROWS_A_TURN - 1}`
    const last = db.prepare(sql).raw().safeIntegers()
    return last.get(...(after ?? [])) as unknown[] | undefined
  }
  let after: Part['after'] = null
  for (let upTo = lastOf(after); upTo !== undefined; upTo = lastOf(after)) {
    yield { after, upTo }
    after = upTo
  }
  yield { after, upTo: null }
}

function bound(key: readonly string[], comparison: '>' | '<='): string {
  return `(${key.join(', ')}) ${comparison} (${key.map(() => '?').join(', ')})`
}

function odd(table: string, row: readonly unknown[], rule: readonly [column: string, ValueRule] | undefined): Error {
  const [column = '?', says] = [rule?.[0], rule?.[1].says ?? '']
  const key = row.map((part) => (typeof part === 'string' ? quoted(part) : String(part))).join(', ')
  return new UnsoundDatabaseError(`row ${key} of ${table}: ${column} must be ${says}`)
}

function addFunctions(db: Db): void {
  // Null says nothing against a column that may be null.
  const add = (name: string, fits: (...given: string[]) => boolean) =>
    db.function(name, { varargs: true, deterministic: true }, (...given: unknown[]) =>
      given.includes(null)
        ? null
        : Number(given.every((one) => typeof one === 'string') && fits(...(given as string[]))),
    )
  add('fits_format', (name, value) => fitsFormat(name as FormatName, value))
  add('fits_schema', (name, value) => fitsSchema(SCHEMAS.get(name), value))
  add('fits_scopes', (value) => value === '' || value.split(' ').every(isScope))
}

function fitsSchema(schema: Schema<unknown> | undefined, json: string): boolean {
  try {
    const value: unknown = JSON.parse(json)
    // What we wrote ourselves has nothing that parsing would hide.
    if (JSON.stringify(value).length !== json.length) parseStrictly(json)
    return schema !== undefined && validated(schema, value, 'body') !== undefined
  } catch (error) {
    if (error instanceof ApiError || error instanceof SyntaxError) return false
    throw error
  }
}
