import { expect, onTestFinished, test } from 'vitest'
import type { EndpointId } from '../../src/contract/endpoints.ts'
import { ROUTES } from '../../src/sandbox/all-routes.ts'
import { handle } from '../../src/sandbox/app/call-handler.ts'
import type { AuthenticatedCall } from '../../src/sandbox/wire/call.ts'
import { atomically, CommitQueue } from '../../src/storage/commit-queue.ts'
import { bytesOf, type Db, openBytes, openDatabase, statement } from '../../src/storage/database.ts'
import { Remembered, RememberedFew, tablesIn } from '../../src/storage/table-changes.ts'
import { doOne } from '../support/lived-history.ts'
import { castMember, testWorld } from '../support/world.ts'

function database(): Db {
  const db = openDatabase(null)
  onTestFinished(() => void db.close())
  return db
}

const countClicks = (db: Db) => statement(db, 'SELECT count(*) FROM clicks').pluck().get()
const write = (db: Db, table: 'meta' | 'magic_acts', key: string) =>
  table === 'meta'
    ? statement(db, "INSERT INTO meta (key, value) VALUES (?, '')").run(key)
    : statement(db, "INSERT INTO magic_acts (domain, act, at) VALUES (?, '', 0)").run(key)
const countMeta = (db: Db) => statement(db, 'SELECT count(*) FROM meta').pluck().get() as number

function remembered(db: Db): Remembered<number> {
  const seen = new Remembered<number>()
  seen.of(db.changes, () => countMeta(db))
  return seen
}

test('an answer holds until a table that it was read from is written', () => {
  const db = database()
  const seen = remembered(db)
  countClicks(db)
  write(db, 'magic_acts', 'a.test')
  expect(seen.of(db.changes, () => -1)).toBe(0)
  write(db, 'meta', 'a')
  expect(seen.lastOf(db.changes)).toBeUndefined()
  expect(seen.of(db.changes, () => countMeta(db))).toBe(1)
})

test('statements that bypass the cache count as well', () => {
  const db = database()
  const seen = remembered(db)
  db.prepare("INSERT INTO meta (key, value) VALUES ('b', '')").run()
  expect(seen.of(db.changes, () => countMeta(db))).toBe(1)
  db.exec("DELETE FROM meta WHERE key = 'b'")
  expect(seen.of(db.changes, () => countMeta(db))).toBe(0)
})

test('an answer from work that is undone does not hold', () => {
  const db = database()
  const queue = new CommitQueue({ database: () => db })
  let seen = remembered(db)
  const failing = () => {
    write(db, 'meta', 'c')
    seen = remembered(db)
    expect(seen.lastOf(db.changes)).toBe(1)
    throw new Error('no')
  }
  expect(() => queue.commitNow(failing)).toThrow('no')
  expect(seen.lastOf(db.changes)).toBeUndefined()
  queue.commitNow(() => {
    expect(() => atomically(db, failing)).toThrow('no')
    expect(seen.lastOf(db.changes)).toBeUndefined()
  })
})

test('an answer holds for the same database after a rest, and never for another one', () => {
  const db = database()
  const seen = remembered(db)
  const again = openBytes(bytesOf(db), db.changes)
  const other = openBytes(bytesOf(db))
  expect([again, other].map(({ changes }) => seen.lastOf(changes))).toEqual([0, undefined])
  write(again, 'meta', 'd')
  expect(seen.lastOf(again.changes)).toBeUndefined()
  for (const one of [again, other]) one.close()
})

test('of many questions the latest answers are remembered, and no table knows of more', () => {
  const db = database()
  const few = new RememberedFew<number>(3)
  const asked: string[] = []
  const ask = (question: string) =>
    few.of(db.changes, question, () => {
      asked.push(question)
      return countMeta(db)
    })
  for (const question of 'abcabdaba') ask(question)
  expect(asked.join('')).toBe('abcd')
  for (let n = 0; n < 100; n++) ask(String(n))
  expect(db.changes.tableOf('meta').readers.size).toBe(3)
  write(db, 'meta', 'g')
  expect([ask('99'), ask('98'), ask('98')]).toEqual([1, 1, 1])
  expect(asked.slice(-3)).toEqual(['99', '99', '98'])
  few.forget()
  ask('99')
  expect(asked.at(-1)).toBe('99')
})

test('what an answer was read from counts for the answer around it, asked or remembered', () => {
  const db = database()
  const inner = new Remembered<number>()
  for (const key of ['e', 'f']) {
    const outer = new Remembered<unknown>()
    outer.of(db.changes, () => [inner.of(db.changes, () => countMeta(db)), countClicks(db)])
    // The second time the inner answer is remembered.
    const again = new Remembered<unknown>()
    again.of(db.changes, () => inner.of(db.changes, () => -1))
    write(db, 'meta', key)
    expect([outer, again].map((seen) => seen.lastOf(db.changes))).toEqual([undefined, undefined])
  }
})

/** The tables that SQLite itself says a statement writes or, if it writes none, reads. */
function tablesUsedBy(db: Db, sql: string): string[] {
  const roots = db.prepare('SELECT rootpage, tbl_name FROM sqlite_schema WHERE rootpage > 0').raw().all()
  const tableOf = new Map(roots as [number, string][])
  const plan = db.prepare(`EXPLAIN ${sql.replaceAll(/[@?]\w*/g, 'NULL')}`).all()
  const opened = (opcode: string) =>
    (plan as { opcode: string; p2: number }[]).filter((step) => step.opcode === opcode).map(({ p2 }) => tableOf.get(p2))
  const written = opened('OpenWrite')
  return (written.length > 0 ? written : opened('OpenRead')).filter((table) => table !== undefined)
}

test('no table that a statement uses is left out', () => {
  const world = testWorld({ progress: { startAfterMs: 1, completeAfterMs: 1, settleEveryMs: 60_000 } })
  const { db } = world
  const seen = new Set<string>()
  const real = db.statement.bind(db)
  db.statement = (sql) => {
    if (/^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)/i.test(sql)) seen.add(sql)
    return real(sql)
  }
  for (const what of ['quote', 'order', 'checkout', 'pay', 'pay late', 'case'] as const) {
    doOne(world, { what, domain: `stalls-${what.length}.test`, partner: 'main' })
  }
  for (const what of ['settle', 'pay out'] as const) doOne(world, { what, partner: 'main' })
  world.scheduler.countByKind()
  // What is read for an answer that is given again.
  for (const [name, route] of Object.entries(ROUTES).filter(([, { isKept }]) => isKept)) {
    const query = name === 'domains.search' ? [['q', 'solar energy']] : []
    const known = { world, credential: castMember(world, 'main'), params: {}, query, target: name }
    handle(known as unknown as AuthenticatedCall, name as EndpointId, route)
  }
  expect(seen.size).toBeGreaterThan(40)
  for (const sql of seen) expect(tablesIn(sql), sql).toEqual(expect.arrayContaining(tablesUsedBy(db, sql)))
})
