import { drawingInventory, type InventoryOptions } from '../../src/sandbox/inventory/generate.ts'
import type { Db } from '../../src/storage/db.ts'

/** Fills the inventory of a database from a seed, in one go. */
export function seedInventory(db: Db, options: InventoryOptions): void {
  const drawSome = drawingInventory(db, options)
  while (drawSome());
}
