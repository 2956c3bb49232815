import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openFile } from '../../src/storage/check-file.ts'
import { openDatabase, setDurability } from '../../src/storage/db.ts'
import { SCHEMA_VERSION } from '../../src/storage/schema.ts'
import { withAddonAdvice } from '../../src/storage/storage-error.ts'
import { tempFolder } from '../support/temp-folder.ts'

function tempFile(): string {
  const folder = tempFolder()
  return join(folder, 'world.sqlite')
}

test('a file is opened with WAL and full synchronisation', () => {
  const db = openDatabase(tempFile())
  expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
  expect(db.pragma('synchronous', { simple: true })).toBe(2)
  setDurability(db, 'process-death')
  expect(db.pragma('synchronous', { simple: true })).toBe(1)
  db.close()
})

test('a second opener of the same file is told that it is in use', () => {
  const file = tempFile()
  const db = openDatabase(file)
  expect(() => openDatabase(file)).toThrow(
    `${file} is in use by another partner-sandbox; stop it or choose another data directory`,
  )
  db.close()
  openDatabase(file).close()
})

test('a file that is no database is refused', () => {
  const file = tempFile()
  writeFileSync(file, 'this is no database, and it is long enough to be read as one'.repeat(20))
  expect(() => openDatabase(file)).toThrow('this is not an SQLite database')
  // And nobody holds it any more.
  expect(() => openDatabase(file)).toThrow('this is not an SQLite database')
})

test.each([
  ['of another program', 'PRAGMA application_id = 0', 'a database of something else'],
  ['of an older schema', `PRAGMA user_version = ${SCHEMA_VERSION - 1}`, 'an older partner-sandbox'],
  ['of a newer schema', `PRAGMA user_version = ${SCHEMA_VERSION + 1}`, 'a newer partner-sandbox'],
  ['with a table more', 'CREATE TABLE t (a)', 'are not those of a world'],
  ['with an index on an expression', 'CREATE INDEX i ON orders (abs(seq))', 'are not those of a world'],
  [
    'with an order of no link',
    "PRAGMA foreign_keys = OFF; INSERT INTO clicks VALUES (1, 'lnk_1', 'ptr_1', 0)",
    'row 1',
  ],
])('a file %s is refused', (_what, sql, reason) => {
  const file = tempFile()
  openDatabase(file).close()
  openFile(file).exec(sql).close()
  expect(() => openFile(file)).toThrow(reason)
})

test('a pipe or device is refused before it is opened', () => {
  expect(() => openFile('/dev/null')).toThrow('this is a pipe or device, not a file')
})

test('a file of another program is left as it is, to the last byte', () => {
  const file = tempFile()
  const other = new Database(file).exec('CREATE TABLE t (a)')
  other.close()
  const before = readFileSync(file)
  expect(() => openFile(file)).toThrow('a database of something else')
  expect(readFileSync(file)).toEqual(before)
})

test('the schema itself sells a domain once and reserves it once', () => {
  const db = openDatabase(null)
  const order = db.prepare(
    `INSERT INTO orders (seq, public_id, partner_id, domain, status, sale_price_cents, currency, payment_model, buyer, commission_cents, created_at, updated_at)
     VALUES (?, ?, 'ptr_a', 'a.test', ?, 1, 'USD', 'partner_collected', '{}', 0, 0, 0)`,
  )
  order.run(1, 'ord_1', 'REFUNDED')
  order.run(2, 'ord_2', 'EXTERNALLY_PAID')
  expect(() => order.run(3, 'ord_3', 'SETTLED')).toThrow('UNIQUE constraint failed')
  const quote = db.prepare(
    `INSERT INTO quotes (seq, partner_id, domain, price_cents, currency, created_at, expires_at, state)
     VALUES (?, 'ptr_a', 'a.test', 1, 'USD', 0, 0, 'open')`,
  )
  quote.run(1)
  expect(() => quote.run(2)).toThrow('UNIQUE constraint failed')
})

test('a binary of another release of Node is told from one that is not there', () => {
  const message = 'The module was compiled against a different Node.js version using\nNODE_MODULE_VERSION 115.'
  const error = Object.assign(new Error(message), { code: 'ERR_DLOPEN_FAILED' })
  expect(withAddonAdvice(error)).toMatchObject({
    name: 'MissingAddonError',
    message: expect.stringContaining(`installed with another release of Node than ${process.versions.node}`),
  })
})
