import { bytesOf, type Db } from './database.ts'
import { finish, removeDatabase, UNFINISHED, writeUnfinished } from './write-atomically.ts'

/**
 * Copies the rows of tables from one database to another of the same schema, in one transaction.
 *
 * @param isWanted says which tables.
 */
export function copyRows(from: Db, to: Db, isWanted: (table: string) => boolean): void {
  const tables = from.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'").pluck()
  to.transaction(() => {
    // Whichever table comes first, all rows are there in the end.
    to.pragma('defer_foreign_keys = ON')
    for (const table of tables.all() as string[]) {
      if (isWanted(table) && !table.startsWith('sqlite_')) copyTable(from, to, table)
    }
  })()
}

function copyTable(from: Db, to: Db, table: string): void {
  const select = from.prepare(`SELECT * FROM ${table}`)
  const names = select.columns().map(({ name }) => name)
  const insert = to.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
  for (const row of select.raw().iterate()) insert.run(row)
}

/**
 * Puts a database in the place of the one of a file. Both are closed then, and whoever wants it opens the file.
 *
 * @param next in memory, or the unfinished file of the one that it is to replace.
 * @throws where the file cannot be written; then it is as before.
 */
export function replaceDatabase(old: Db, next: Db, file: string): void {
  try {
    if (next.memory) writeUnfinished(file, bytesOf(next))
    next.close()
    // Nothing may be left in the log: it would be played into the new file if the process died now.
    if (!old.memory) old.pragma('wal_checkpoint(TRUNCATE)')
    // What stands in for a file that cannot be used is needed until that one is replaced.
    if (!old.memory) old.close()
    finish(file)
    old.close()
  } catch (error) {
    next.close()
    removeDatabase(file + UNFINISHED)
    throw error
  }
}
