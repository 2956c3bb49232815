import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { registerEndpoint } from '../../../../src/sandbox/webhooks/endpoints.ts'
import { openSnapshot, snapshotOf } from '../../../../src/sandbox/worlds/snapshots.ts'
import { bytesOf } from '../../../../src/storage/db.ts'
import { UnsoundDatabaseError } from '../../../../src/storage/storage-error.ts'
import { type Deed, doOne } from '../../../support/lived-history.ts'
import { size } from '../../../support/size.ts'
import { castMember, setWall, testWorld } from '../../../support/world.ts'

const wall = setWall()

function verdictOn(bytes: Uint8Array): string {
  try {
    openSnapshot(Buffer.from(bytes), { wall }).db.close()
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
  db.pragma('ignore_check_constraints = ON')
  db.exec(sql)
  return db.serialize()
}

/** Writes into the schema itself, past all that SQLite refuses. */
const schema = (set: string, where: string) =>
  `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET ${set} WHERE ${where}; PRAGMA writable_schema = OFF`

/** More than SQLite makes. */
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
  expect(verdictOn(bytes)).toMatch(/are not those of a world|is damaged/)
})

test.each([
  [0, 0, 'not an SQLite database'],
  [16, 0x20, 'it has'],
  [20, 8, 'damaged'],
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
  ["UPDATE orders SET buyer = 'x' WHERE seq = 2", 'CHECK constraint failed in orders'],
  ["UPDATE checkout_sessions SET buyer = 'x'", 'CHECK constraint failed in checkout_sessions'],
  ["UPDATE events SET data = 'x'", 'CHECK constraint failed in events'],
  ["UPDATE order_timeline SET status = 'LOST'", 'CHECK constraint failed in order_timeline'],
  ["UPDATE webhook_endpoints SET url = 'file:///etc/passwd'", 'CHECK constraint failed in webhook_endpoints'],
  ['UPDATE orders SET sale_price_cents = 0', 'CHECK constraint failed in orders'],
  ['DELETE FROM orders', 'belongs to no row of orders'],
  ['DELETE FROM links', 'row 1 of clicks belongs to no row of links'],
])('%s is refused by name', (sql, reason) => {
  expect(verdictOn(altered(sql))).toContain(reason)
})

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
