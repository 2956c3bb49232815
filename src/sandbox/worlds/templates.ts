import { rmSync } from 'node:fs'
import { inTurns, turnEachStep } from '../../clock/in-turns.ts'
import { atOnce } from '../../contract/steps.ts'
import { bytesOf, type Db, openBytes, openDatabase, setDurability } from '../../storage/database.ts'
import { removeDatabase, UNFINISHED } from '../../storage/write-atomically.ts'
import { inventoryEpochMs } from '../inventory/draw-listing.ts'
import { type InventoryOptions, seedingInventory } from '../inventory/generate.ts'

/**
 * Databases with nothing in them but an inventory, as bytes: a new world is a copy of one and needs no drawing, and is
 * there in less than a millisecond. The least recently used go first.
 */
const templates = new Map<string, Buffer>()

/** All together; a template of 500 listings has a fifth of a megabyte, one of 100,000 about twenty. */
const MOST_BYTES = 64 * 1024 * 1024
/** What is made on the way, without a longer wait. */
const KEPT_BY_THE_WAY_BYTES = 4 * 1024 * 1024
/** More are drawn where they are wanted: they would need their memory twice. */
const MOST_LISTINGS = 200_000
/** Fewer are drawn faster than another turn of the event loop comes. */
const DRAWN_AT_ONCE = 1_000
const BITS_A_COMMIT = 100

/**
 * A database with its tables and an inventory, ready to become a world: in memory, or, where the inventory is too large to
 * be copied about, as the unfinished file of that world (see place-file.ts).
 *
 * @param file of the world; null for one in memory.
 */
export function freshDatabase(options: InventoryOptions, file: string | null): Db {
  if (options.count > MOST_LISTINGS) return atOnce(drawing(options, file))
  const key = keyOf(options)
  const found = templates.get(key)
  if (found) {
    keep(key, found)
    return openBytes(found)
  }
  const db = atOnce(drawing(options, null))
  const bytes = bytesOf(db)
  if (bytes.length <= KEPT_BY_THE_WAY_BYTES) keep(key, bytes)
  return db
}

/** What is being drawn now, by what comes of it: two who want the same draw it once, and no two write one file. */
const underWay = new Map<string, Promise<unknown>>()

/**
 * The same in turns of the event loop, for large inventories.
 *
 * @param refuseEnd throws if the caller has gone; then nothing of it is left.
 */
export async function freshDatabaseInTurns(
  options: InventoryOptions,
  file: string | null,
  refuseEnd: () => void,
): Promise<Db> {
  const isCopied = options.count <= MOST_LISTINGS
  const key = isCopied || file === null ? keyOf(options) : file
  while (underWay.has(key)) {
    await underWay.get(key)?.catch(() => undefined)
    refuseEnd()
  }
  if (options.count <= DRAWN_AT_ONCE || (isCopied && templates.has(key))) return freshDatabase(options, file)
  const work = inTurns(drawing(options, isCopied ? null : file), turnEachStep(refuseEnd))
  underWay.set(key, work)
  try {
    const db = await work
    if (isCopied) keep(key, bytesOf(db))
    return db
  } finally {
    underWay.delete(key)
  }
}

function* drawing(options: InventoryOptions, file: string | null): Generator<void, Db> {
  const unfinished = file === null ? null : file + UNFINISHED
  if (unfinished !== null) rmSync(unfinished, { force: true })
  const db = openDatabase(unfinished)
  // What is lost with the machine was not a world yet.
  setDurability(db, 'process-death')
  let isWhole = false
  try {
    db.exec('BEGIN')
    let bits = 0
    for (const _ of seedingInventory(db, options)) {
      bits += 1
      // The log of a file must not grow as large as the file; in memory, one write is in one piece.
      if (unfinished !== null && bits % BITS_A_COMMIT === 0) db.exec('COMMIT; BEGIN')
      yield
    }
    db.exec('COMMIT')
    setDurability(db, 'power-loss')
    isWhole = true
    return db
  } finally {
    if (!isWhole) db.close()
    if (!isWhole && unfinished !== null) removeDatabase(unfinished)
  }
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
