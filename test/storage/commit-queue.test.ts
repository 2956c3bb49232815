import { expect, test } from 'vitest'
import { atomically, CommitQueue } from '../../src/sandbox/commit-queue.ts'
import { openDatabase } from '../../src/storage/db.ts'

function queueOverNewTable() {
  const db = openDatabase(null)
  db.exec('CREATE TABLE t (a INTEGER PRIMARY KEY)')
  const queue = new CommitQueue({ db })
  const rows = () => db.prepare('SELECT a FROM t ORDER BY a').pluck().all()
  return { db, queue, rows }
}

/** Does work in the transaction of this turn; what it or the commit failed with, if anything. */
function settled(queue: CommitQueue, work: () => unknown): Promise<unknown> {
  return queue.perform({ durability: 'power-loss' }, work).then(
    () => undefined,
    (error) => error,
  )
}

test('jobs of one turn share a commit, and each is settled after it', async () => {
  const { db, queue, rows } = queueOverNewTable()
  const seen: boolean[] = []
  const insert = (a: number) => () => {
    seen.push(db.inTransaction)
    db.prepare('INSERT INTO t VALUES (?)').run(a)
  }
  const outcomes = await Promise.all([1, 2, 3].map((a) => settled(queue, insert(a)).then(() => db.inTransaction)))
  expect(seen).toEqual([true, true, true])
  expect(outcomes).toEqual([false, false, false])
  expect(rows()).toEqual([1, 2, 3])
})

test('a job that fails inside its savepoint undoes its own work and not its neighbors’', async () => {
  const { db, queue, rows } = queueOverNewTable()
  const insert = db.prepare('INSERT INTO t VALUES (?)')
  let caught: unknown
  await Promise.all([
    settled(queue, () => insert.run(1)),
    settled(queue, () => {
      try {
        atomically(db, () => {
          insert.run(2)
          throw new Error('changed my mind')
        })
      } catch (error) {
        caught = error
      }
    }),
    settled(queue, () => insert.run(3)),
  ])
  expect((caught as Error).message).toBe('changed my mind')
  expect(rows()).toEqual([1, 3])
})

test('where the commit itself fails, every job of the turn is told and nothing is kept', async () => {
  const { db, queue, rows } = queueOverNewTable()
  db.pragma('foreign_keys = ON')
  db.exec('CREATE TABLE child (a INTEGER REFERENCES t (a) DEFERRABLE INITIALLY DEFERRED)')
  const failures = await Promise.all([
    settled(queue, () => db.prepare('INSERT INTO t VALUES (1)').run()),
    settled(queue, () => db.prepare('INSERT INTO child VALUES (99)').run()),
  ])
  expect(failures.map((failure) => (failure as Error).message)).toEqual([
    'FOREIGN KEY constraint failed',
    'FOREIGN KEY constraint failed',
  ])
  expect(rows()).toEqual([])
})

test('a full disk fails the turn, and later turns work again', async () => {
  const { db, queue } = queueOverNewTable()
  db.exec('CREATE TABLE big (b BLOB)')
  const fill = () => db.prepare('INSERT INTO big VALUES (zeroblob(1000000))').run()
  const pages = db.pragma('page_count', { simple: true }) as number
  db.pragma(`max_page_count = ${pages + 10}`)
  // SQLite undoes the whole transaction then.
  expect(String(await settled(queue, fill))).toContain('rolled back the whole transaction')
  db.pragma('max_page_count = 1000000')
  expect(await settled(queue, fill)).toBeUndefined()
})

test('a transaction that only reads adds nothing before its commit', async () => {
  const { db, rows } = queueOverNewTable()
  const queue = new CommitQueue({ db }, { beforeCommit: () => db.exec('INSERT INTO t VALUES (99)') })
  expect(queue.commitNow(rows)).toEqual([])
  expect(await settled(queue, rows)).toBeUndefined()
  expect(rows()).toEqual([])
  queue.commitNow(() => db.prepare('INSERT INTO t VALUES (1)').run())
  expect(rows()).toEqual([1, 99])
})

test('a read whose transaction runs a task that fell due since it began did more than read', async () => {
  const db = openDatabase(null)
  db.exec('CREATE TABLE t (a INTEGER PRIMARY KEY)')
  let dueTask: (() => void) | null = null
  const ended: boolean[] = []
  const queue = new CommitQueue(
    { db },
    {
      before() {
        dueTask?.()
        return true
      },
      after: ({ onlyReads }) => void ended.push(onlyReads),
    },
  )
  const read = () => queue.perform({ durability: 'process-death', isRead: true }, () => {})
  await read()
  dueTask = () => db.exec('INSERT INTO t VALUES (1)')
  await read()
  expect(ended).toEqual([true, false])
})

test('where what is due takes several turns, each is committed and the jobs wait for the last', async () => {
  const db = openDatabase(null)
  db.exec('CREATE TABLE t (a INTEGER PRIMARY KEY)')
  let due = 3
  const commits: boolean[] = []
  const queue = new CommitQueue(
    { db },
    {
      before: () => {
        if (due > 0) db.prepare('INSERT INTO t VALUES (?)').run(due--)
        return due === 0
      },
      after: ({ isCommitted }) => commits.push(isCommitted),
    },
  )
  const rows = () => db.prepare('SELECT a FROM t ORDER BY a').pluck().all()
  const seen: unknown[] = []
  const turns: unknown[] = []
  const turn = () => {
    turns.push(rows().length)
    if (turns.length < 3) setImmediate(turn)
  }
  const job = settled(queue, () => seen.push(rows()))
  setImmediate(turn)
  await job
  expect(seen).toEqual([[1, 2, 3]])
  expect(turns.slice(0, 2)).toEqual([1, 2])
  expect(commits).toEqual([true, true, true])
})

test('work that cannot wait does all that is due at once, and a drain nothing of it', () => {
  for (const act of ['commitNow', 'drain'] as const) {
    let due = 3
    const db = openDatabase(null)
    const queue = new CommitQueue(
      { db },
      {
        before: (runsDue) => !runsDue || --due <= 0,
      },
    )
    let ran = 0
    if (act === 'commitNow') queue.commitNow(() => ran++)
    else {
      void settled(queue, () => ran++)
      queue.drain()
    }
    expect([ran, due]).toEqual([1, act === 'commitNow' ? 0 : 3])
  }
})
