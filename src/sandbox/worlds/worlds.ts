import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { WallClock } from '../../clock/wall-clock.ts'
import type { Rules } from '../../contract/rules.ts'
import { createAwakeList } from '../../storage/database-lru.ts'
import { isOfMachine, StorageError, storageFailure } from '../../storage/storage-error.ts'
import { removeDatabase, removeUnfinished } from '../../storage/write-atomically.ts'
import type { DefectHooks } from '../app/defect-hooks.ts'
import { type KeySource, randomKeys } from '../kernel/credentials.ts'
import type { Outbound } from '../kernel/outbound.ts'
import type { FindCredential } from '../wire/call.ts'
import { refuseDuringAdvance } from './advance.ts'
import type { Environment } from './environment.ts'
import { inTurns } from './in-turns.ts'
import { createWorld, endWorld, openWorld, takeName } from './open-world.ts'
import { createRedactors, type Redactor } from './redact.ts'
import { inventoryAtStart, resetWorld } from './reset-world.ts'
import { forkWorld, importWorld, judgingSnapshot, restoreWorld, type SoundSnapshot } from './snapshots.ts'
import type { Surroundings } from './surroundings.ts'
import { freshDatabaseInTurns } from './templates.ts'
import { inventoryOf, type WorldOptions } from './world-options.ts'
import { createWorldRegistry, isWorldName, type WorldRegistry } from './world-registry.ts'

export { StorageError, storageFailure }

/** All environments of one server. The credential alone decides which of them answers (CRED-02). */
export interface Worlds {
  /** The first world, `default`; calls that belong to no world are logged here. */
  readonly main: Environment
  readonly hooks: DefectHooks
  readonly findCredential: FindCredential<Environment>
  /** Takes the secrets of all worlds, and the operator's token, out of what is shown. */
  redactor(): Redactor
  /** To be told of a world that has got a new credential: from now on its key id is found. */
  recognise(world: Environment): void
  find(name: string): Environment | null
  list(): Environment[]
  /** @throws WorldNameError where the name is taken or has no legal form. */
  create(name: string, options: WorldOptions, keys: KeySource): Environment
  /** The same, in turns of the event loop where there are many listings to be drawn. @throws WorldGoneError */
  createInTurns(name: string, options: WorldOptions, keys: KeySource): Promise<Environment>
  /** Takes a world back to its seed, in turns likewise. @throws WorldGoneError */
  reset(world: Environment): Promise<void>
  /** A copy with fresh credentials. @throws WorldNameError */
  fork(world: Environment, name: string): Environment
  /**
   * A world from a snapshot, which is judged in turns.
   *
   * @param name its own one where null.
   * @throws WorldNameError; WorldGoneError; UnsoundDatabaseError where the bytes are no sound world.
   */
  import(bytes: Uint8Array, name: string | null): Promise<Environment>
  /** Takes a world to what a snapshot says, likewise. @throws WorldGoneError; UnsoundDatabaseError */
  restore(world: Environment, bytes: Uint8Array): Promise<void>
  /** Ends a world and deletes its file; its credentials open nothing from now on. */
  delete(name: string): void
  /** Ends whatever is being drawn or judged, so that nobody waits for it: before the ports are closed. */
  stopMaking(): void
  close(): void
}

/** A world, or the whole server, that ended while somebody waited. */
export class WorldGoneError extends Error {
  override name = 'WorldGoneError'
}

export interface WorldsOptions {
  /** Folder with one file per world; null keeps all in memory. */
  dataDir: string | null
  wall: WallClock
  rules: Rules
  hooks: DefectHooks
  /** See {@link World.publicUrl}. */
  publicUrl: () => string
  /** See {@link World.outbound}. */
  outbound?: Outbound
  operatorToken?: string | null
  /** Of the default world, where it does not exist yet. */
  first: WorldOptions
  firstKeys: KeySource
}

export const MAIN_WORLD = 'default'
const FILE_ENDING = '.sqlite'

/**
 * Opens what the data directory holds, or starts with one fresh world.
 *
 * @throws StorageError where a file is in use or cannot be read.
 */
export function openWorlds(options: WorldsOptions): Worlds {
  const { dataDir, wall, rules, hooks, publicUrl, outbound } = options
  const awake = createAwakeList()
  const surroundings: Surroundings = { wall, rules, hooks, publicUrl, awake, ...(outbound && { outbound }) }
  const registry = createWorldRegistry()
  const { add, refuseName } = registry
  const fileOf = (name: string) => (dataDir === null ? null : fileIn(dataDir, name))
  let isClosed = false

  function create(name: string, world: WorldOptions, keys: KeySource): Environment {
    refuseName(name)
    return add(createWorld(name, fileOf(name), world, keys, surroundings))
  }

  function refuseEnd(): void {
    if (isClosed) throw new WorldGoneError('the sandbox is being stopped')
  }

  /** For whoever works for a world in turns: it may be another one by the next. */
  function refuseOther(world: Environment): () => void {
    const key = world.pageKey()
    return () => {
      refuseEnd()
      if (registry.find(world.name) !== world || world.pageKey() !== key)
        throw new WorldGoneError('the world was reset, restored or deleted meanwhile')
      refuseDuringAdvance(world)
    }
  }

  async function createInTurns(name: string, world: WorldOptions, keys: KeySource): Promise<Environment> {
    const letGo = registry.reserve(name)
    try {
      const drawn = await freshDatabaseInTurns(inventoryOf(world, wall), fileOf(name), refuseEnd)
      return add(createWorld(name, fileOf(name), world, keys, surroundings, drawn))
    } finally {
      letGo()
    }
  }

  async function reset(world: Environment): Promise<void> {
    const drawn = await freshDatabaseInTurns(inventoryAtStart(world), fileOf(world.name), refuseOther(world))
    resetWorld(world, drawn)
  }

  try {
    if (dataDir !== null) openFiles(dataDir, registry, surroundings, options)
    if (!registry.find(MAIN_WORLD)) create(MAIN_WORLD, options.first, options.firstKeys)
  } catch (error) {
    for (const world of registry.list()) endWorld(world)
    throw dataDir === null ? error : asStorageError(dataDir, error)
  }

  return {
    main: registry.find(MAIN_WORLD) as Environment,
    hooks,
    findCredential: registry.findCredential,
    redactor: createRedactors(registry.list, options.operatorToken ? [options.operatorToken] : []),
    find: registry.find,
    list: registry.list,
    recognise: registry.recognise,
    create,
    createInTurns,
    reset,
    fork(world, name) {
      refuseName(name)
      return add(forkWorld(world, name, fileOf(name), surroundings))
    },
    async import(bytes, name) {
      const snapshot = await inTurns(judgingSnapshot(bytes, wall), refuseEnd)
      const isTaken = (keyId: string) => registry.findCredential(keyId) !== null
      return closedOnFailure(snapshot, () =>
        add(importWorld(snapshot, { name, refuseName, fileOf, isTaken }, surroundings)),
      )
    },
    async restore(world, bytes) {
      const snapshot = await inTurns(judgingSnapshot(bytes, wall), refuseOther(world))
      const isTaken = (keyId: string) => (registry.findCredential(keyId)?.world ?? world) !== world
      closedOnFailure(snapshot, () => restoreWorld(world, snapshot, isTaken))
      registry.recognise(world)
    },
    delete(name) {
      const world = registry.find(name)
      if (!world) return
      takeName(world)
      registry.remove(world)
      endWorld(world)
      const file = fileOf(name)
      if (file) removeDatabase(file)
    },
    stopMaking() {
      isClosed = true
    },
    close() {
      isClosed = true
      for (const world of registry.list()) endWorld(world)
    },
  }
}

/** What kept the worlds of a folder from being opened, with what to do where the machine is to blame. */
function asStorageError(dataDir: string, error: unknown): unknown {
  const failure = storageFailure(error)
  if (failure !== null) return new StorageError(`${dataDir}: ${failure}`, { cause: error })
  return isOfMachine(error) ? unusable(dataDir, error) : error
}

function fileIn(dataDir: string, name: string): string {
  return join(dataDir, name + FILE_ENDING)
}

/** The name of a file is the name of its world, whatever it was called when it was copied there. */
function openFiles(
  dataDir: string,
  registry: WorldRegistry,
  surroundings: Surroundings,
  { first, firstKeys }: WorldsOptions,
): void {
  for (const name of worldFiles(dataDir)) {
    const usual = { options: first, keys: name === MAIN_WORLD ? firstKeys : randomKeys }
    const world = openWorld(fileIn(dataDir, name), surroundings, name, usual)
    const twin = [...world.credentials.keys()].map(registry.findCredential).find((found) => found !== null)
    registry.add(world)
    if (twin) {
      throw new StorageError(
        `the worlds ${twin.world.name} and ${name} of ${dataDir} have the same keys; move ${name}${FILE_ENDING} elsewhere, and make a world of it with "world import"`,
      )
    }
  }
  // Now that all files are open, nobody else is writing any of these.
  removeUnfinished(dataDir)
}

function worldFiles(dataDir: string): string[] {
  try {
    // The files hold secrets.
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    return readdirSync(dataDir)
      .filter((file) => file.endsWith(FILE_ENDING))
      .map((file) => file.slice(0, -FILE_ENDING.length))
      .filter((name) => isWorldName(name))
  } catch (error) {
    throw unusable(dataDir, error)
  }
}

function unusable(dataDir: string, error: unknown): StorageError {
  return new StorageError(`the data directory ${dataDir} cannot be used: ${(error as Error).message}`, { cause: error })
}

function closedOnFailure<Result>({ db }: SoundSnapshot, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    db.close()
    throw error
  }
}
