import { expect, test } from 'vitest'
import type { Steps } from '../../src/contract/steps.ts'
import { CommitQueue } from '../../src/storage/commit-queue.ts'
import { copyPrivate } from '../../src/storage/copy-in-turns.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { letGo } from '../../src/storage/nameless-file.ts'

/** A queue whose clock moves on by a second at each look, so that each step of long work is a turn of its own. */
function queueOverNewTable() {
  const db = openDatabase(null)
  db.exec('CREATE TABLE t (a INTEGER PRIMARY KEY)')
  let nowMs = 0
  const queue = new CommitQueue({ database: () => db, monotonicMs: () => (nowMs += 1_000) })
  const rows = () => db.prepare('SELECT a FROM t ORDER BY a').pluck().all()
  const insert = (a: number) => db.prepare('INSERT INTO t VALUES (?)').run(a)
  return { db, queue, rows, insert }
}

function settled(queue: CommitQueue, run: () => void): Promise<unknown> {
  return new Promise((resolve) => queue.submit({ durability: 'power-loss', run, settled: resolve }))
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

function* steps(count: number, step: (n: number) => void): Steps<string> {
  for (let n = 1; n <= count; n++) {
    step(n)
    yield
  }
  return 'done'
}

test('long work goes on over turns of the event loop, within one transaction', async () => {
  const { db, queue, rows, insert } = queueOverNewTable()
  let turns = 0
  const work = queue.commitInTurns(() => steps(20, insert))
  while (queue.isOpen()) {
    expect(db.inTransaction).toBe(true)
    turns++
    await turn()
  }
  expect(turns).toBeGreaterThanOrEqual(19)
  expect(await work).toBe('done')
  expect([rows().length, db.inTransaction]).toEqual([20, false])
})

test('jobs wait for long work, and see all of it', async () => {
  const { queue, rows, insert } = queueOverNewTable()
  const work = queue.commitInTurns(() => steps(5, insert))
  let seen: unknown
  const job = settled(queue, () => (seen = rows()))
  expect(await job).toBeUndefined()
  expect(seen).toEqual([1, 2, 3, 4, 5])
  await work
})

test('whoever cannot wait brings long work to its end first', async () => {
  for (const act of ['commitNow', 'drain', 'finish'] as const) {
    const { db, queue, rows, insert } = queueOverNewTable()
    const work = queue.commitInTurns(() => steps(5, insert))
    expect([queue.isOpen(), rows().length < 5]).toEqual([true, true])
    queue[act](() => {})
    expect([rows().length, db.inTransaction, queue.isOpen()]).toEqual([5, false, false])
    expect(await work).toBe('done')
  }
})

test('long work that breaks half-way leaves nothing, and the jobs that waited are served', async () => {
  const { db, queue, rows, insert } = queueOverNewTable()
  const failing = (n: number) => {
    insert(n)
    if (n === 3) throw new Error('no')
  }
  const work = queue.commitInTurns(() => steps(5, failing))
  const job = settled(queue, () => insert(9))
  await expect(work).rejects.toThrow('no')
  expect(await job).toBeUndefined()
  expect([rows(), db.inTransaction]).toEqual([[9], false])
})

test('of two long works the second begins after the first', async () => {
  const { queue, rows, insert } = queueOverNewTable()
  const seen: number[] = []
  const both = [1, 2].map((half) =>
    queue.commitInTurns(() => steps(3, (n) => seen.push(half) && insert(half * 10 + n))),
  )
  await Promise.all(both)
  expect(seen).toEqual([1, 1, 1, 2, 2, 2])
  expect(rows().length).toBe(6)
})

test('long work that is due runs before the jobs that it holds up, and fails with them', async () => {
  for (const fails of [false, true]) {
    const db = openDatabase(null)
    let isDue = true
    const queue = new CommitQueue({
      database: () => db,
      due: () => (isDue ? 'long' : 'nothing'),
      *before() {
        if (isDue && fails) throw new Error('a full disk')
        yield
        isDue = false
        return true
      },
    })
    let ran = false
    const failure = await settled(queue, () => (ran = true))
    expect([ran, isDue, String(failure)]).toEqual(
      fails ? [false, true, 'Error: a full disk'] : [true, false, 'undefined'],
    )
  }
})

test('long work begins only once no copy is being made in turns, which could hold half of it', async () => {
  const { db, queue, insert } = queueOverNewTable()
  let work: Promise<string> | undefined
  const refuseEnd = () => {
    work ??= queue.commitInTurns(() => steps(3, insert))
    expect([queue.isOpen(), db.inTransaction]).toEqual([false, false])
  }
  const copy = await copyPrivate(db, refuseEnd)
  expect(copy.db.prepare('SELECT count(*) FROM t').pluck().get()).toBe(0)
  await letGo(copy)
  expect(await work).toBe('done')
})

test('long work that waited is refused where its database was closed meanwhile', async () => {
  const { db, queue, insert } = queueOverNewTable()
  const first = queue.commitInTurns(() => steps(3, insert))
  const second = queue.commitInTurns(() => steps(3, insert))
  queue.drain()
  db.close()
  expect(await first).toBe('done')
  await expect(second).rejects.toThrow('the world was reset, restored or deleted meanwhile')
})

test('a job that comes after its database was replaced does not fail with the long work that was due before', async () => {
  const old = openDatabase(null)
  const next = openDatabase(null)
  let current = old
  const queue = new CommitQueue({ database: () => current, due: () => (current === old ? 'long' : 'nothing') })
  let endCopy = () => {}
  old.copies = 1
  old.copied = new Promise<void>((resolve) => (endCopy = resolve))
  const before = settled(queue, () => {})
  await turn()
  queue.drain()
  old.copies = 0
  old.close()
  current = next
  const after = settled(queue, () => {})
  endCopy()
  expect(await Promise.all([before, after])).toEqual([undefined, undefined])
})
