import { SNAPSHOT } from '../../operator-api/rows/worlds.ts'
import { handedCredentials } from '../../sandbox/kernel/credentials.ts'
import { refuseDuringAdvance } from '../../sandbox/worlds/advance.ts'
import { snapshotOf, UnsoundDatabaseError, WorldTooLargeError } from '../../sandbox/worlds/snapshots.ts'
import { problem } from '../problem.ts'
import { created, type HandlersOf, ok } from '../route.ts'
import { newName, presentWorld, refuseWorld } from './worlds.ts'

type SnapshotHandlers = HandlersOf<'snapshots'> & Pick<HandlersOf<'worlds'>, 'worlds.fork' | 'worlds.import'>

export const snapshotHandlers: SnapshotHandlers = {
  'snapshots.save'({ world }) {
    refuseDuringAdvance(world)
    return {
      status: 200,
      raw: orRefuse(() => snapshotOf(world)),
      type: SNAPSHOT.type,
      headers: { 'content-disposition': `attachment; filename="${world.name}.sqlite"` },
    }
  },
  async 'snapshots.restore'({ operator, world, bytes }) {
    refuseDuringAdvance(world)
    await operator.worlds.restore(world, sent(bytes)).catch(refuse)
    return ok(presentWorld(world))
  },
  'worlds.fork'({ operator, world, body }) {
    refuseDuringAdvance(world)
    const made = orRefuse(() => operator.worlds.fork(world, body.name ?? newName(world.name)))
    return created({ ...presentWorld(made), credentials: handedCredentials(made) })
  },
  async 'worlds.import'({ operator, query, bytes }) {
    const made = await operator.worlds.import(sent(bytes), query.name ?? null).catch(refuse)
    return created({ ...presentWorld(made), credentials: handedCredentials(made) })
  },
}

function sent(bytes: Uint8Array | null): Uint8Array {
  if (bytes === null) throw problem('no-snapshot-sent', { type: SNAPSHOT.type })
  return bytes
}

/** Does what may be refused; a refusal becomes a problem. */
function orRefuse<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    return refuse(error)
  }
}

function refuse(error: unknown): never {
  if (error instanceof UnsoundDatabaseError) throw problem('unsound-snapshot', { message: error.message })
  if (error instanceof WorldTooLargeError) throw problem('world-too-large', { message: error.message })
  return refuseWorld(error)
}
