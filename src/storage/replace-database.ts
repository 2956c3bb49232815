import { bytesOf, type Db, openDatabase } from './database.ts'
import { finish, writeUnfinished } from './place-file.ts'

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
 * Puts a database in the place of another one, which is closed: as its file, where it has one.
 *
 * @param next in memory, or the unfinished file of the one that it is to replace.
 * @param file of the old one; null for one that is in memory for good.
 * @returns the database to work with from now on.
 * @throws where the file cannot be written; then the old one is as before, and open.
 */
export function replaceDatabase(old: Db, next: Db, file: string | null): Db {
  if (file === null) {
    old.close()
    return next
  }
  if (next.memory) writeUnfinished(file, bytesOf(next))
  next.close()
  // Nothing may be left in the log: it would be played into the new file if the process died now.
  if (!old.memory) old.pragma('wal_checkpoint(TRUNCATE)')
  old.close()
  finish(file)
  return openDatabase(file)
}
