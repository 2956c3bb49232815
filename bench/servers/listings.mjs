import { drawingInventory } from '../../dist/sandbox/inventory/generate.js'
import { openDatabase } from '../../dist/storage/db.js'

/** The seed of `serve` unless told otherwise, and the size of its inventory. */
const DRAWN = { seed: 'sandbox', count: 500 }
/** More than a race sells: names of which the sandbox has as many as it is asked for. */
const STALLS = 60_000

/** What the sandbox sells, for a rival to sell: the same data, so that the answers are as long. */
export function* listingsToSell() {
  const db = openDatabase(null)
  db.transaction(() => {
    const drawABatch = drawingInventory(db, { ...DRAWN, nowMs: Date.now() })
    while (drawABatch());
  })()
  yield* db
    .prepare(`
    SELECT domain, price_cents AS priceCents, floor_price_cents AS floorPriceCents, currency, topics, words
    FROM listings WHERE listed = 1`)
    .all()
  db.close()
  for (let n = 1; n <= STALLS; n++) {
    const priceCents = 30_000 + (n % 100) * 1_000
    yield {
      ...{ domain: `stalls-${n}.test`, currency: 'USD', topics: '', words: '' },
      ...{ priceCents, floorPriceCents: priceCents / 2 },
    }
  }
}
