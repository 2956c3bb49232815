import { rmSync } from 'node:fs'
import { bytesOf, type Db, openBytes, openDatabase } from '../storage/database.ts'
import { finish, UNFINISHED } from '../storage/place-file.ts'
import { inventoryEpochMs } from './inventory/draw-listing.ts'
import { type InventoryOptions, seedInventory, seedingInventory } from './inventory/generate.ts'

/**
 * Databases with nothing in them but an inventory, as bytes: a new world is a copy of one and needs no drawing, and is
 * there in less than a millisecond. The least recently used go first.
 */
const templates = new Map<string, Buffer>()

/** All together; a template of 500 listings has a fifth of a megabyte, one of 100,000 about twenty. */
const MOST_BYTES = 64 * 1024 * 1024
/** What is made on the way without anybody waiting for it longer. */
const KEPT_BY_THE_WAY_BYTES = 4 * 1024 * 1024
/** More are drawn where they are wanted, at once: they would need their memory twice. */
const MOST_LISTINGS = 200_000
/** Fewer are drawn faster than another turn of the event loop comes. */
const DRAWN_AT_ONCE = 1_000

/** For so many listings no copy is made in memory on the way to a file. */
export function isTooLargeToCopy(listings: number): boolean {
  return listings > MOST_LISTINGS
}

/**
 * A new file with an inventory that is too large to be copied about: it is made where it stays, and gets its name once
 * it is whole.
 *
 * @param settle writes what is still missing.
 */
export function freshFile(file: string, options: InventoryOptions, settle: (db: Db) => void): Db {
  rmSync(file + UNFINISHED, { force: true })
  const db = openDatabase(file + UNFINISHED)
  try {
    db.transaction(() => {
      seedInventory(db, options)
      settle(db)
    })()
  } finally {
    // Writes the log into the database, synced.
    db.close()
  }
  finish(file)
  return openDatabase(file, 'whole')
}

/**
 * A database in memory with its tables and an inventory, ready to become a world.
 *
 * @example const db = freshDatabase({ seed: 'ci', count: 500, nowMs })
 */
export function freshDatabase(options: InventoryOptions): Db {
  const key = keyOf(options)
  const found = templates.get(key)
  if (found) {
    keep(key, found)
    return openBytes(found)
  }
  const db = openDatabase(null)
  db.transaction(() => seedInventory(db, options))()
  const bytes = options.count > MOST_LISTINGS ? null : bytesOf(db)
  if (bytes && bytes.length <= KEPT_BY_THE_WAY_BYTES) keep(key, bytes)
  return db
}

/** What is being drawn now, so that two who want the same wait for the same. */
const underWay = new Map<string, Promise<void>>()

/**
 * Makes the template of an inventory in turns of the event loop, so that {@link freshDatabase} has it at hand. Does nothing
 * where it is there, where there is little to do, or for more listings than templates are made of.
 */
export async function prepareInventory(options: InventoryOptions): Promise<void> {
  const key = keyOf(options)
  if (options.count <= DRAWN_AT_ONCE || options.count > MOST_LISTINGS || templates.has(key)) return
  const drawing = underWay.get(key) ?? drawInTurns(key, options).finally(() => underWay.delete(key))
  underWay.set(key, drawing)
  await drawing
}

async function drawInTurns(key: string, options: InventoryOptions): Promise<void> {
  const db = openDatabase(null)
  db.exec('BEGIN')
  for (const _ of seedingInventory(db, options)) await new Promise((resolve) => setImmediate(resolve))
  db.exec('COMMIT')
  keep(key, bytesOf(db))
  db.close()
}

function keyOf({ seed, count, nowMs }: InventoryOptions): string {
  return JSON.stringify([seed, count, inventoryEpochMs(seed, nowMs)])
}

/** As the one used last. */
function keep(key: string, bytes: Buffer): void {
  templates.delete(key)
  templates.set(key, bytes)
  let total = [...templates.values()].reduce((sum, { length }) => sum + length, 0)
  for (const [oldest, { length }] of templates) {
    if (total <= MOST_BYTES || oldest === key) return
    templates.delete(oldest)
    total -= length
  }
}
