import { expect, test } from 'vitest'
import { useNonce } from '../../../../src/sandbox/app/checks.ts'
import { testWorld } from '../../../support/world.ts'

test('nonces are forgotten once they are old and many, and the latest two hundred thousand never', () => {
  const { db } = testWorld({ inventory: 0 })
  const count = () => db.prepare('SELECT count(*) FROM nonces').pluck().get()
  const use = (name: string, count: number, atMs: number) => {
    for (let i = 0; i < count; i++) useNonce(db, 1, `${name}-${i}`, atMs + i)
  }
  db.exec('BEGIN')
  use('old', 3_000, 0)
  use('latest', 200_000, 10_000)
  // So much later all of them have expired.
  use('new', 499, 1_000_000)
  expect(count()).toBeLessThan(203_499)
  use('newer', 60_000, 1_001_000)
  expect(count()).toBe(200_000)
  expect(useNonce(db, 1, 'old-0', 500_000)).toBe(true)
  expect(useNonce(db, 1, 'latest-199999', 500_000)).toBe(false)
  db.exec('COMMIT')
})
