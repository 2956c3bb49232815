import { rmSync } from 'node:fs'
import { inTurns, turnEachStep } from '../../clock/in-turns.ts'
import { atOnce } from '../../contract/steps.ts'
import { bytesOf, Db, openBytes, openDatabase, setDurability, sizeOf } from '../../storage/database.ts'
import { removeDatabase, UNFINISHED } from '../../storage/write-atomically.ts'
import { inventoryEpochMs } from '../inventory/draw-listing.ts'
import { type InventoryOptions, seedingInventory } from '../inventory/generate.ts'
import { copiedInTurns, drawnAside, writtenInTurns } from './large-databases.ts'

/**
 * Databases with nothing in them but an inventory: a new world is a copy of one and needs no drawing, and is there in less than a
 * millisecond. Small ones are kept as bytes, large ones open. The least recently used go first.
 */
const templates = new Map<string, Buffer | Db>()

/** All together; a template of 500 listings has a fifth of a megabyte, one of 100,000 about twenty. */
const MOST_BYTES = 64 * 1024 * 1024
/** What is made on the way, without a longer wait. */
const KEPT_BY_THE_WAY_BYTES = 4 * 1024 * 1024
/** More are drawn where they are wanted: they would need their memory twice. */
const MOST_LISTINGS = 200_000
/** Fewer are drawn faster than another turn of the event loop comes. */
const DRAWN_AT_ONCE = 1_000
/** More are drawn by another thread, which takes a tenth of a second to start. */
const DRAWN_HERE = 10_000
const BITS_A_COMMIT = 100

/**
 * A database with its tables and an inventory, ready to become a world: in memory, or, where the inventory is too large to
 * be copied about, as the unfinished file of that world (see write-atomically.ts).
 *
 * @param file of the world; null for one in memory.
 */
export function freshDatabase(options: InventoryOptions, file: string | null): Db {
  if (options.count > MOST_LISTINGS) return atOnce(drawing(options, file))
  const key = keyOf(options)
  const found = templates.get(key)
  if (found) {
    keep(key, found)
    return openBytes(found instanceof Db ? bytesOf(found) : found)
  }
  const db = atOnce(drawing(options, null))
  const bytes = bytesOf(db)
  if (bytes.length <= KEPT_BY_THE_WAY_BYTES) keep(key, bytes)
  return db
}

/** What is being drawn now, by what comes of it: two who want the same draw it once. */
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
  if (options.count > MOST_LISTINGS) return drawnAside(options, file, refuseEnd)
  const key = keyOf(options)
  while (underWay.has(key)) {
    await underWay.get(key)?.catch(() => undefined)
    refuseEnd()
  }
  if (options.count <= DRAWN_AT_ONCE) return freshDatabase(options, file)
  const template = templates.get(key) ?? (await drawnTemplate(key, options, refuseEnd))
  if (!(template instanceof Db)) return freshDatabase(options, file)
  keep(key, template)
  return file === null ? copiedInTurns(template, refuseEnd) : writtenInTurns(template, file, refuseEnd)
}

async function drawnTemplate(key: string, options: InventoryOptions, refuseEnd: () => void): Promise<Buffer | Db> {
  const work = options.count > DRAWN_HERE ? drawnAside(options, null, refuseEnd) : drawnHere(options, refuseEnd)
  underWay.set(key, work)
  try {
    const template = await work
    keep(key, template)
    return template
  } finally {
    underWay.delete(key)
  }
}

async function drawnHere(options: InventoryOptions, refuseEnd: () => void): Promise<Buffer> {
  const db = await inTurns(drawing(options, null), turnEachStep(refuseEnd))
  try {
    return bytesOf(db)
  } finally {
    db.close()
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
function keep(key: string, template: Buffer | Db): void {
  templates.delete(key)
  templates.set(key, template)
  let total = [...templates.values()].reduce((sum, one) => sum + bytesIn(one), 0)
  for (const [oldest, one] of templates) {
    if (total <= MOST_BYTES || oldest === key) return
    // One that is open may be under a copy: the garbage collector closes it.
    templates.delete(oldest)
    total -= bytesIn(one)
  }
}

function bytesIn(template: Buffer | Db): number {
  return template instanceof Db ? sizeOf(template) : template.length
}
