import { nextTurn } from '../../clock/wall-clock.ts'
import { bytesOf, type Db, openDatabase } from '../../storage/db.ts'
import { inventoryEpochMs } from '../inventory/draw-listing.ts'
import { drawingInventory, type InventoryOptions } from '../inventory/generate.ts'

/** Databases with nothing in them but an inventory, as bytes: a new world is a copy of one. The least recently used go first. */
const templates = new Map<string, Buffer>()

/** All together; a template of 500 listings has a fifth of a megabyte, one of 100,000 about twenty. */
const MOST_BYTES = 64 * 1024 * 1024

/** The bytes of a database with its tables and an inventory, ready to become a world. */
export function templateOf(options: InventoryOptions): Buffer {
  const known = templates.get(keyOf(options))
  if (known) return keep(options, known)
  const db = emptyDatabase()
  const drawSome = drawingInventory(db, options)
  while (drawSome());
  return keep(options, finished(db))
}

/**
 * The same in batches, with others served in between.
 *
 * @param refuseEnd throws if the caller has gone; then nothing is left of what was drawn.
 */
export async function templateInBatches(options: InventoryOptions, refuseEnd: () => void): Promise<Buffer> {
  const known = templates.get(keyOf(options))
  if (known) return keep(options, known)
  const db = emptyDatabase()
  try {
    const drawSome = drawingInventory(db, options)
    while (drawSome()) {
      await nextTurn()
      refuseEnd()
    }
    return keep(options, finished(db))
  } finally {
    if (db.open) db.close()
  }
}

function emptyDatabase(): Db {
  const db = openDatabase(null)
  db.exec('BEGIN')
  return db
}

function finished(db: Db): Buffer {
  db.exec('COMMIT')
  const bytes = bytesOf(db)
  db.close()
  return bytes
}

function keyOf({ seed, count, nowMs }: InventoryOptions): string {
  return JSON.stringify([seed, count, inventoryEpochMs(seed, nowMs)])
}

/** Keeps a template as the one used last. */
function keep(options: InventoryOptions, template: Buffer): Buffer {
  const key = keyOf(options)
  templates.delete(key)
  templates.set(key, template)
  let total = [...templates.values()].reduce((sum, { length }) => sum + length, 0)
  for (const [oldest, { length }] of templates) {
    if (total <= MOST_BYTES) break
    templates.delete(oldest)
    total -= length
  }
  return template
}
