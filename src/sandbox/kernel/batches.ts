import { nextTurn } from '../../clock/wall-clock.ts'
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
    await nextTurn()
    if (!world.db.open || world.pageKey() !== pageKey) {
      throw new ApiError('conflict', 'the world was reset, restored or deleted meanwhile; ask again')
    }
  }
}
