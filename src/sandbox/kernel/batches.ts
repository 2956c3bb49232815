import { ApiError } from '../../contract/errors.ts'
import type { World } from './world.ts'

/**
 * Makes the pause between two batches of long reading: a turn of the event loop, in which others are served.
 *
 * @returns throws ApiError conflict if the world was reset, restored or deleted meanwhile: what was read so far is of the world before.
 */
export function pauseIn(world: World): () => Promise<void> {
  const pageKey = world.pageKey()
  return async () => {
    await new Promise((resolve) => setImmediate(resolve))
    if (!world.db.open || world.pageKey() !== pageKey) {
      throw new ApiError('conflict', 'the world was reset, restored or deleted meanwhile; ask again')
    }
  }
}

/** Few milliseconds' worth of reading one row each. */
const A_BATCH = 200

/** Reads something for each item, with others served in between. @throws as {@link pauseIn} does. */
export async function readEach<Item, Read>(
  world: World,
  items: readonly Item[],
  read: (item: Item) => Read,
): Promise<Read[]> {
  const pause = pauseIn(world)
  const all: Read[] = []
  for (let from = 0; from < items.length; from += A_BATCH) {
    if (from > 0) await pause()
    for (const item of items.slice(from, from + A_BATCH)) all.push(read(item))
  }
  return all
}
