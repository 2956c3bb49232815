import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { atOnce } from '../../../../src/contract/steps.ts'
import { registerEndpoint } from '../../../../src/sandbox/webhooks/endpoints.ts'
import { judgingSnapshot, snapshotOf } from '../../../../src/sandbox/worlds/snapshots.ts'
import { RULED_COLUMNS, ruleOf } from '../../../../src/sandbox/worlds/stored-values.ts'
import { columnsOf, judgedTables, judgingTable } from '../../../../src/sandbox/worlds/validate-values.ts'
import { bytesOf, type Db, openDatabase } from '../../../../src/storage/database.ts'
import { UnsoundDatabaseError } from '../../../../src/storage/storage-error.ts'
import { type Deed, doOne } from '../../../support/lived-history.ts'
import { sampleOf, size } from '../../../support/size.ts'
import { castMember, setWall, testWorld } from '../../../support/world.ts'

const wall = setWall()

function verdictOn(bytes: Uint8Array): string {
  try {
    atOnce(judgingSnapshot(Buffer.from(bytes), wall)).db.close()
    return 'sound'
  } catch (error) {
    if (error instanceof UnsoundDatabaseError) return error.message
    throw error
  }
}

/** With a row in most of the tables. */
function livedIn(): Buffer {
  const world = testWorld({ inventory: 5, wall })
  world.commits.commitNow(() =>
    registerEndpoint(world, castMember(world, 'main'), { url: 'http://127.0.0.1:9/', secret: 'a-secret-of-sixteen' }),
  )
  const doings: Deed['doing'][] = [
    { what: 'link', partner: 'main' },
    { what: 'quote', domain: 'stalls-9.test', partner: 'main' },
    ...['stalls-1.test', 'stalls-2.test'].map((domain) => ({ what: 'order', domain, partner: 'main' }) as const),
    { what: 'pay', domain: 'stalls-3.test', partner: 'main' },
    { what: 'pay late', domain: 'stalls-4.test', partner: 'main' },
    { what: 'checkout', domain: 'stalls-5.test', partner: 'main' },
    { what: 'case', domain: 'taken-1.test', partner: 'main' },
    { what: 'step', pick: 0, step: 'start-transfer' },
    { what: 'step', pick: 0, step: 'complete-transfer' },
    { what: 'refund', pick: 1, step: 'hold' },
    { what: 'settle', partner: 'main' },
    { what: 'pay out', partner: 'main' },
  ]
  for (const doing of doings) doOne(world, doing)
  world.db.prepare('INSERT INTO clicks SELECT 1, link_id, partner_id, 0 FROM links').run()
  return snapshotOf(world)
}

const sound = livedIn()

function altered(sql: string): Buffer {
  const db = new Database(Buffer.from(sound))
  db.unsafeMode()
  db.pragma('foreign_keys = OFF')
  db.exec(sql)
  return db.serialize()
}

/** Writes into the schema itself, past all that SQLite refuses. */
const schema = (set: string, where: string) =>
  `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET ${set} WHERE ${where}; PRAGMA writable_schema = OFF`

/** More than SQLite makes: whoever evaluates it has another error than those below. */
const BILLION_BYTES = 'length(hex(zeroblob(900000000)))'

test('a world that has been lived in is sound', () => {
  expect(verdictOn(sound)).toBe('sound')
})

test.each([
  [
    'a CHECK that takes long',
    schema(`sql = replace(sql, ') STRICT', ', CHECK (${BILLION_BYTES} > 0)) STRICT')`, "name = 'listings'"),
  ],
  ['an index on an expression', `CREATE INDEX i ON orders (abs(seq))`],
  ['a partial index', `CREATE INDEX i ON orders (seq) WHERE status = 'x'`],
  ['a trigger', 'CREATE TRIGGER t AFTER INSERT ON orders BEGIN DELETE FROM orders; END'],
  ['a view', `CREATE VIEW v AS SELECT ${BILLION_BYTES}`],
  [
    'a generated column',
    schema(`sql = replace(sql, 'stalls', 'g INTEGER AS (${BILLION_BYTES}), stalls')`, "name = 'orders'"),
  ],
  ['a virtual table', 'CREATE VIRTUAL TABLE v USING fts5 (a)'],
  ['a table more', 'CREATE TABLE t (a)'],
  ['a table that has a row number no more', schema("sql = sql || ', WITHOUT ROWID'", "name = 'orders'")],
  ['a table renamed', 'ALTER TABLE faults RENAME TO wrongs'],
  ['a column more', 'ALTER TABLE orders ADD COLUMN g TEXT'],
  ['a column renamed', 'ALTER TABLE orders RENAME COLUMN buyer TO purchaser'],
  ['a collation', schema("sql = replace(sql, 'domain TEXT', 'domain TEXT COLLATE NOCASE')", "name = 'orders'")],
  [
    'a default that is evaluated',
    schema(`sql = replace(sql, 'DEFAULT 0', 'DEFAULT (${BILLION_BYTES})')`, "name = 'faults'"),
  ],
  ['an index less', 'DROP INDEX orders_sell_once'],
  ['a table less', 'DROP TABLE magic_acts'],
  ['statistics', 'ANALYZE'],
  [
    'statistics in a generated column, which SQLite reads with the schema',
    `ANALYZE; ${schema(`sql = 'CREATE TABLE sqlite_stat1 (tbl, idx, stat AS (${BILLION_BYTES}))'`, "name = 'sqlite_stat1'")}`,
  ],
  ['a schema too long for its page', schema(`sql = sql || '${' '.repeat(5_000)}'`, "name = 'orders'")],
  ['texts in UTF-16', 'PRAGMA writable_schema = OFF'],
])('%s is refused unread', (what, sql) => {
  const bytes = altered(sql)
  if (what === 'texts in UTF-16') bytes.writeUInt32BE(2, 56)
  expect(verdictOn(bytes)).toMatch(/are not those of a world|does not have pages of/)
})

test.each([
  [18, 3, 'unknown file format'],
  [19, 0, 'unknown file format'],
  [0, 0, 'not an SQLite database'],
  [16, 0x20, 'does not have pages of'],
  [20, 8, 'does not have pages of'],
  [28, 0x7f, 'it has'],
  [68, 0, 'a database of something else'],
  [60, 9, 'a newer partner-sandbox'],
])('byte %i of the header set to %i is told by name', (at, value, reason) => {
  const bytes = Buffer.from(sound)
  bytes[at] = value
  expect(verdictOn(bytes)).toContain(reason)
})

test('a table that shares its pages with another one, or with the free ones, is damaged', () => {
  const root = (table: string) => `(SELECT rootpage FROM sqlite_schema WHERE name = '${table}')`
  const shared = altered(schema(`rootpage = ${root('settlement_runs')}`, "name = 'payout_runs'"))
  expect(verdictOn(shared)).toContain('damaged')
  const free = Buffer.from(altered('DELETE FROM idempotency_keys; DELETE FROM events; VACUUM'))
  free.writeUInt32BE(2, 32)
  free.writeUInt32BE(1, 36)
  expect(verdictOn(free)).toContain('damaged')
})

const settings = (path: string, value: unknown) =>
  `UPDATE meta SET value = json_set(value, '$.${path}', json('${JSON.stringify(value)}')) WHERE key = 'world'`

test.each([
  ['DELETE FROM meta', 'no finished world'],
  ["UPDATE meta SET value = 'x'", 'row "world" of meta'],
  ["UPDATE meta SET value = json_remove(value, '$.clock')", 'clock is required'],
  [settings('clock', { mode: 'frozen', atMs: Number.MIN_SAFE_INTEGER }), 'clock'],
  [settings('clock', { mode: 'running', offsetMs: -253_000_000_000_000 }), 'clock'],
  [settings('snapshotMs', -1), 'snapshotMs'],
  [settings('start.clockMs', 253_402_300_800_000), 'start.clockMs'],
  [settings('seed', 7), 'seed must be'],
  [settings('name', 'a\nb'), 'name must be'],
  [settings('pageKey', 'x'), 'pageKey'],
  [settings('settings.inventory', Number.MAX_SAFE_INTEGER), 'settings.inventory must be at most 10000000'],
  [settings('settings.inventory', 0.5), 'settings.inventory'],
  [settings('settings.commission', 'x'), 'settings.commission'],
  [settings('settings.progress.settleEveryMs', 0), 'settleEveryMs'],
  [settings('settings.progress.sinceMs', -1), 'sinceMs'],
  [settings('settings.rateLimit', { requests: 0, seconds: 1 }), 'rateLimit'],
  [settings('settings.review.buyerCountries', ['ZZ']), 'buyerCountries'],
  [settings('settings.delivery.duplicate', 1e9), 'duplicate'],
  [settings('settings.authSkewSeconds', 1e12), 'authSkewSeconds'],
  [settings('settings.surprise', 1), 'settings.surprise'],
  [settings('gaps."created-status"', 299), 'created-status'],
  ["UPDATE orders SET buyer = 'x' WHERE seq = 2", 'row 2 of orders: buyer must be'],
  ["UPDATE orders SET buyer = '{}'", 'row 1 of orders: buyer must be'],
  ["UPDATE checkout_sessions SET buyer = 'x'", 'row 1 of checkout_sessions: buyer must be'],
  ["UPDATE checkout_sessions SET buyer = NULL WHERE state = 'paying'", 'of checkout_sessions: buyer must be'],
  ["UPDATE events SET data = 'x'", 'row 1 of events: data must be'],
  ['UPDATE events SET data = \'{"case":{}}\'', 'row 1 of events: data must be'],
  ['UPDATE orders SET created_at = -9223372036854775808', 'row 1 of orders: created_at must be an instant'],
  ['UPDATE credentials SET created_at = 9223372036854775807', 'row 1 of credentials: created_at must be'],
  ['UPDATE clicks SET seq = -9223372036854775808', 'row -9223372036854776000 of clicks: seq must be'],
  ["UPDATE order_timeline SET status = 'LOST'", 'row 1, 1 of order_timeline: status must be one of'],
  ["UPDATE webhook_endpoints SET url = 'file:///etc/passwd'", 'of webhook_endpoints: url must be'],
  ["UPDATE credentials SET name = 'a' || char(27) || '[2J'", 'row 1 of credentials: name must be'],
  ["UPDATE credentials SET scopes = 'everything'", 'scopes must be'],
  ["INSERT INTO sqlite_sequence VALUES ('faults', 'x')", 'of sqlite_sequence: seq must be'],
  ["INSERT INTO listing_index_config VALUES ('rank', 'bm25(1)')", 'of listing_index_config: k must be'],
  ["INSERT INTO coverage_tallies VALUES ('history', 'ptr_a', 1, 0, 0, '[[1]]')", 'of coverage_tallies: detail must be'],
  ['DELETE FROM orders', 'a row of order_timeline belongs to no row of orders'],
  ['DELETE FROM links', 'row 1 of clicks belongs to no row of links'],
])('%s is refused by name', (sql, reason) => {
  expect(verdictOn(altered(sql))).toContain(reason)
})

test('each column of each table has a rule, and no rule is left over', () => {
  const db = openDatabase(null)
  const tables = db.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'").pluck().all()
  const wanted = (tables as string[]).filter((table) => table !== 'sqlite_schema')
  expect(judgedTables(db).sort()).toEqual([...wanted, 'listing_index_config'].sort())
  const columns = judgedTables(db).flatMap((table) => columnsOf(db, table).map((column) => ({ table, column })))
  for (const { table, column } of columns) expect(ruleOf(table, column).sql(column)).toBeTypeOf('string')
  const used = columns.map(({ table, column }) =>
    RULED_COLUMNS.includes(`${table}.${column}`) ? `${table}.${column}` : column,
  )
  expect(RULED_COLUMNS.filter((column) => !used.includes(column))).toEqual([])
})

test('no value of another kind gets into any column', () => {
  const db = new Database(Buffer.from(sound))
  const empty = openDatabase(null)
  const filled = judgedTables(empty).filter(
    (table) => table !== 'meta' && db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() !== 0,
  )
  const columns = filled.flatMap((table) => columnsOf(empty, table).map((column) => ({ table, column })))
  const letIn: string[] = []
  for (const { table, column } of sampleOf(columns, 3)) {
    for (const value of oddFor(db, table, column)) {
      const taken = takenAs(table, column, value)
      if (taken !== null && verdictOn(taken) === 'sound') letIn.push(`${table}.${column} = ${value}`)
    }
  }
  // Kept and shown as they came.
  const free = /\.(?:note|body|signature|failure|answer|operation|nonce|id|secret) = char\(0, 27, 10\)$/
  expect(letIn.filter((one) => !free.test(one))).toEqual([])
}, 120_000)

/** A number is a text like any other to a column of texts. */
function oddFor(db: Database.Database, table: string, column: string): string[] {
  const type = db.prepare('SELECT type FROM pragma_table_info(?) WHERE name = ?').pluck().get(table, column)
  if (type === 'TEXT') return ["x'00ff'", 'char(0, 27, 10)']
  return ["x'00ff'", 'char(0, 27, 10)', '9e999', '-9223372036854775808', '9223372036854775807']
}

/** Null where SQLite itself does not take it. */
function takenAs(table: string, column: string, value: string): Buffer | null {
  try {
    return altered(`PRAGMA ignore_check_constraints = ON; UPDATE ${table} SET ${column} = ${value}`)
  } catch {
    return null
  }
}

/** Numbers that look drawn, the same in every run. */
function* drawn(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state / 2 ** 32
  }
}

test('whatever is flipped in a snapshot or cut off it, it is judged and nothing breaks', () => {
  const dice = drawn(11)
  const roll = (below: number) => Math.floor(dice.next().value * below)
  const used = bytesOf(new Database(Buffer.from(sound)))
  let refused = 0
  for (let n = 0; n < size(60, 300); n++) {
    const bytes = Buffer.from(used)
    const isCut = n % 6 === 0
    for (let flips = isCut ? 0 : 1 + roll(4); flips > 0; flips--) {
      const at = n % 2 === 0 ? roll(8_192) : roll(bytes.length)
      bytes[at] = (bytes[at] as number) ^ (1 << roll(8))
    }
    if (verdictOn(isCut ? bytes.subarray(0, roll(bytes.length)) : bytes) !== 'sound') refused += 1
  }
  expect(refused).toBeGreaterThan(size(10, 50))
}, 120_000)

/** More than are looked at between two turns of the event loop. */
const MANY = 15_000
const A_PART = 5_000

function fill(db: Db): void {
  const from = `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY})`
  db.exec(`${from} INSERT INTO nonces SELECT i % 2 + 1, iif(i % 3, 'nonce-' || i, randomblob(16)), i FROM n`)
  db.exec(`${from} INSERT INTO clicks SELECT i, 'lnk_1', 'ptr_1', i FROM n`)
}

test('a large table is looked at in parts, whatever its key, and no row is left out', () => {
  const { db } = testWorld({ inventory: 0 })
  db.pragma('foreign_keys = OFF')
  fill(db)
  for (const table of ['nonces', 'clicks', 'links']) {
    const parts = [...judgingTable(db, table)].length
    expect(parts, table).toBe(table === 'links' ? 1 : 1 + MANY / A_PART)
  }
  const rows = db.prepare('SELECT credential, nonce FROM nonces').raw().all() as [number, string | Buffer][]
  const update = db.prepare('UPDATE nonces SET used_at = ? WHERE credential = ? AND nonce = ?')
  for (const at of [0, A_PART - 1, A_PART, A_PART + 1, 2 * A_PART, MANY - 1]) {
    const [credential, nonce] = rows[at] as [number, string]
    update.run(-(10 ** 15), credential, nonce)
    expect(() => [...judgingTable(db, 'nonces')], String(at)).toThrow('of nonces: used_at must be')
    update.run(at, credential, nonce)
  }
})
