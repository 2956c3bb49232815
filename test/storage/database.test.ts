import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase, setDurability } from '../../src/storage/database.ts'
import { MIGRATIONS, SCHEMA_VERSION } from '../../src/storage/schema.ts'

function tempFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'partner-sandbox-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
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
    `${file} is in use by another partner-sandbox; stop it or choose another --data directory`,
  )
  db.close()
  openDatabase(file).close()
})

test('a file that is no database is refused by name', () => {
  const file = tempFile()
  writeFileSync(file, 'this is no database, and it is long enough to be read as one'.repeat(20))
  expect(() => openDatabase(file)).toThrow(`${file} is no usable database`)
})

test('a database of another program is refused', () => {
  const file = tempFile()
  new Database(file).exec('CREATE TABLE t (a)').close()
  expect(() => openDatabase(file)).toThrow(`${file} is a database of something else`)
})

test('a database of a newer schema is refused', () => {
  const file = tempFile()
  const db = openDatabase(file)
  db.pragma(`user_version = ${SCHEMA_VERSION + 1}`)
  db.close()
  expect(() => openDatabase(file)).toThrow('use the newer program')
})

/** A file as the first version of the schema left it. */
function oldFile(): string {
  const file = tempFile()
  const db = new Database(file)
  db.exec(MIGRATIONS[0])
  db.pragma('application_id = 0x50536278')
  db.pragma('user_version = 1')
  db.prepare("INSERT INTO meta (key, value) VALUES ('world', ?)").run(
    JSON.stringify({ name: 'default', settings: { commissionBasisPoints: 2_000, inventory: 5 } }),
  )
  db.close()
  return file
}

test('a database of the first schema gets what was added since, rates and a page key of its own included', () => {
  const db = openDatabase(oldFile())
  const { value } = db.prepare("SELECT value FROM meta WHERE key = 'world'").get() as { value: string }
  const facts = JSON.parse(value)
  expect(facts.settings).toMatchObject({ inventory: 5, commission: { partnerCollectedBasisPoints: 2_000 } })
  expect(facts.settings.commissionBasisPoints).toBeUndefined()
  expect(facts.pageKey).toMatch(/^[0-9a-f]{64}$/)
  expect(db.pragma('user_version', { simple: true })).toBe(SCHEMA_VERSION)
  db.close()
})

test('a database of the first schema that holds orders is refused, because nobody booked them', () => {
  const file = oldFile()
  const db = new Database(file)
  db.prepare(
    `INSERT INTO orders (seq, public_id, partner_id, domain, status, sale_price_cents, currency, payment_model, buyer, commission_cents, created_at, updated_at)
     VALUES (1, 'ord_1', 'ptr_a', 'a.test', 'SETTLED', 1, 'USD', 'partner_collected', '{}', 0, 0, 0)`,
  ).run()
  db.close()
  expect(() => openDatabase(file)).toThrow('use a new --data directory')
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
    `INSERT INTO quotes (seq, quote_id, partner_id, domain, price_cents, currency, created_at, expires_at, state)
     VALUES (?, ?, 'ptr_a', 'a.test', 1, 'USD', 0, 0, 'open')`,
  )
  quote.run(1, 'qt_1')
  expect(() => quote.run(2, 'qt_2')).toThrow('UNIQUE constraint failed')
})
