import { object, optional, text } from '../../contract/schema.ts'
import { handedCredentials } from '../../sandbox/kernel/credentials.ts'
import { refuseDuringAdvance } from '../../sandbox/worlds/advance.ts'
import type { Environment } from '../../sandbox/worlds/environment.ts'
import {
  MOST_SNAPSHOT_BYTES,
  snapshotOf,
  UnsoundDatabaseError,
  WorldTooLargeError,
} from '../../sandbox/worlds/snapshots.ts'
import { Problem } from '../problem.ts'
import { created, ok, type RawBody, route, worldRoute } from '../route.ts'
import { newName, presentWorld, refuseWorld } from './worlds.ts'

const SNAPSHOT: RawBody = { type: 'application/vnd.sqlite3', limitBytes: MOST_SNAPSHOT_BYTES }

const newWorldName = optional(text({ minLength: 1, maxLength: 64 }))

const snapshot = worldRoute('GET', '/snapshot', {
  summary:
    'The world as one SQLite file (`application/vnd.sqlite3`): all of it but the request log. It holds secrets. Refused while the clock is being advanced.',
  handle({ world }) {
    refuseDuringAdvance(world)
    return {
      status: 200,
      raw: told(() => snapshotOf(world)),
      type: SNAPSHOT.type,
      headers: { 'content-disposition': `attachment; filename="${world.name}.sqlite"` },
    }
  },
})

const restore = worldRoute('PUT', '/snapshot', {
  asItIs: true,
  summary:
    'Takes the world to what a snapshot says, history and clock included; its name, the keys of its credentials and the nonces they used stay. The world as it is then; 400 for a file that is no sound world, and nothing is changed.',
  takes: SNAPSHOT,
  async handle({ operator, world, bytes }) {
    refuseDuringAdvance(world)
    await operator.worlds.restore(world, sent(bytes)).catch(refuse)
    return ok(presentWorld(world))
  },
})

const fork = worldRoute('POST', '/fork', {
  summary:
    'Copies the world as it stands, with fresh keys for all its credentials: 201 as for a new world. Both go on from here, each on its own.',
  body: object({ name: newWorldName }),
  handle({ operator, world, body }) {
    refuseDuringAdvance(world)
    const made = told(() => operator.worlds.fork(world, body.name ?? newName(world.name)))
    return created({ ...presentWorld(made), credentials: handedCredentials(made) })
  },
})

const importSnapshot = route('POST', '/v1/worlds/import', {
  summary:
    'Makes a world from a snapshot, of whatever sandbox: 201 as for a new world. It has the `name` that the query says or the one it had; its credentials keep their keys unless one of them is in use here, and then all get fresh ones.',
  query: object({ name: newWorldName }),
  takes: SNAPSHOT,
  async handle({ operator, query, bytes }) {
    const made: Environment = await operator.worlds.import(sent(bytes), query.name ?? null).catch(refuse)
    return created({ ...presentWorld(made), credentials: handedCredentials(made) })
  },
})

function sent(bytes: Uint8Array | null): Uint8Array {
  if (bytes === null) throw new Problem(415, `send the snapshot itself, as ${SNAPSHOT.type}`)
  return bytes
}

/** Does what may be refused; a refusal becomes a problem. */
function told<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    return refuse(error)
  }
}

function refuse(error: unknown): never {
  if (error instanceof UnsoundDatabaseError) throw new Problem(400, error.message)
  if (error instanceof WorldTooLargeError)
    throw new Problem(409, `${error.message}; with --data, stop the sandbox and copy the file`)
  return refuseWorld(error)
}

export const snapshotRoutes = [snapshot, restore, fork, importSnapshot]
