import { expect, onTestFinished, test } from 'vitest'
import { atomically, CommitQueue } from '../../src/sandbox/commit-queue.ts'
import { type Db, nextSequence, openDatabase } from '../../src/storage/db.ts'
import { storedRows } from '../../src/storage/rows.ts'

interface Run {
  seq: number
  runId: string
  ranAtMs: number
  eventSeq: number
}

const RUNS = storedRows<Run>()('payout_runs', ['seq', 'runId', 'ranAtMs', 'eventSeq'])

function database(): Db {
  const db = openDatabase(null)
  onTestFinished(() => void db.close())
  return db
}

function add(db: Db): number {
  const seq = nextSequence(db, 'payout_runs')
  RUNS.insert(db, { seq, runId: `run ${seq}`, ranAtMs: 0, eventSeq: 0 })
  return seq
}

const next = (db: Db) => nextSequence(db, 'payout_runs')

test('a number goes back with the row that had it', () => {
  const db = database()
  const queue = new CommitQueue({ db })
  add(db)
  const undone = () => {
    add(db)
    add(db)
    throw new Error('no')
  }
  queue.commitNow(() => {
    expect(() => atomically(db, undone)).toThrow('no')
    expect(next(db)).toBe(2)
    expect(add(db)).toBe(2)
  })
  expect(() => queue.commitNow(undone)).toThrow('no')
  expect(next(db)).toBe(3)
})

test('a row that was refused has taken no number', () => {
  const db = database()
  add(db)
  const again = () => RUNS.insert(db, { seq: next(db), runId: 'run 1', ranAtMs: 0, eventSeq: 0 })
  expect(again).toThrow('UNIQUE')
  expect(next(db)).toBe(2)
  const changes = RUNS.insert(db, { seq: 1, runId: 'x', ranAtMs: 0, eventSeq: 0 }, 'ON CONFLICT DO NOTHING')
  expect([changes, next(db)]).toEqual([0, 2])
})
