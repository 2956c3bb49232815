import { expect, test } from 'vitest'
import { judgingTable } from '../../../src/sandbox/worlds/validate-values.ts'
import type { Db } from '../../../src/storage/database.ts'
import { testWorld } from '../../support/world.ts'

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
