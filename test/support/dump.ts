import type { Db } from '../../src/storage/db.ts'

/** Not part of a history: what was used up in wall time. */
const NO_HISTORY = ['nonces', 'nonce_generations']

/** Every row of every table, in the order of the tables' keys, as text that two equal databases share. */
export function dump(db: Db, without: readonly string[] = NO_HISTORY): Record<string, string[]> {
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name")
    .pluck()
    .all() as string[]
  return Object.fromEntries(
    tables.filter((table) => !without.includes(table)).map((table) => [table, rowsOf(db, table)]),
  )
}

function rowsOf(db: Db, table: string): string[] {
  const keys = db.prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk').pluck().all(table)
  const order = keys.length > 0 ? ` ORDER BY ${keys.join(', ')}` : ''
  return (db.prepare(`SELECT * FROM ${table}${order}`).raw().all() as unknown[][]).map((row) =>
    row.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value))).join('|'),
  )
}
