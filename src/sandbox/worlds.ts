import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { WallClock } from '../clock/wall-clock.ts'
import type { Rules } from '../contract/rules.ts'
import { createAwakeList } from '../storage/awake-list.ts'
import { removeDatabase, removeUnfinished } from '../storage/place-file.ts'
import { StorageError, storageFailure } from '../storage/storage-error.ts'
import { refuseDuringAdvance } from './advance.ts'
import type { KeySource } from './credentials.ts'
import type { FindCredential } from './http/authenticate/index.ts'
import { createWorld, endWorld, openWorld, type Surroundings } from './open-world.ts'
import { createRedactor, type Redactor } from './redact.ts'
import { prepareReset, resetWorld } from './reset-world.ts'
import { forkWorld, importWorld, restoreWorld } from './snapshots.ts'
import type { Tampering } from './tampering.ts'
import { prepareInventory } from './templates.ts'
import type { Outbound } from './webhooks/outbound.ts'
import type { World } from './world.ts'
import type { WorldOptions } from './world-options.ts'
import { createWorldRegistry, isWorldName, type WorldRegistry } from './world-registry.ts'

export { StorageError, storageFailure }

/** All environments of one server. The credential alone decides which of them answers (CRED-02). */
export interface Worlds {
  /** The first world, `default`; calls that belong to no world are logged here. */
  readonly main: World
  readonly tampering: Tampering
  readonly findCredential: FindCredential
  /** Takes the secrets of all worlds, and the operator's token, out of what is shown. */
  redactor(): Redactor
  /** To be told of a world that has got a new credential: from now on its key id is found. */
  recognise(world: World): void
  find(name: string): World | null
  list(): World[]
  /** @throws WorldNameError where the name is taken or has no legal form. */
  create(name: string, options: WorldOptions, keys: KeySource): World
  /** The same, in turns of the event loop where there are many listings to be drawn. */
  createInTurns(name: string, options: WorldOptions, keys: KeySource): Promise<World>
  /** Takes a world back to its seed, in turns likewise. */
  reset(world: World): Promise<void>
  /** A copy with fresh credentials. @throws WorldNameError */
  fork(world: World, name: string): World
  /**
   * A world from a snapshot.
   *
   * @param name its own one where null.
   * @throws WorldNameError; ForeignBytesError where the bytes are no sound world.
   */
  import(bytes: Uint8Array, name: string | null): World
  /** Takes a world to what a snapshot says. @throws ForeignBytesError where the bytes are no sound world. */
  restore(world: World, bytes: Uint8Array): void
  /** Ends a world and deletes its file; its credentials open nothing from now on. */
  delete(name: string): void
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
  tampering: Tampering
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
  const { dataDir, wall, rules, tampering, publicUrl, outbound } = options
  const awake = createAwakeList()
  const surroundings: Surroundings = { wall, rules, tampering, publicUrl, awake, ...(outbound && { outbound }) }
  const registry = createWorldRegistry()
  const { add, refuseName } = registry
  const fileOf = (name: string) => (dataDir === null ? null : fileIn(dataDir, name))
  let isClosed = false

  function create(name: string, world: WorldOptions, keys: KeySource): World {
    refuseName(name)
    return add(createWorld(name, fileOf(name), world, keys, surroundings))
  }

  async function createInTurns(name: string, world: WorldOptions, keys: KeySource): Promise<World> {
    const letGo = registry.reserve(name)
    try {
      await prepareInventory({ seed: world.seed, count: world.inventory, nowMs: world.clockMs ?? wall.nowMs() })
      if (isClosed) throw new WorldGoneError('the sandbox is being stopped')
    } finally {
      letGo()
    }
    return create(name, world, keys)
  }

  async function reset(world: World): Promise<void> {
    await prepareReset(world)
    if (isClosed || registry.find(world.name) !== world) throw new WorldGoneError('the world was deleted meanwhile')
    refuseDuringAdvance(world)
    resetWorld(world)
  }

  try {
    if (dataDir !== null) openFiles(dataDir, registry, surroundings)
    if (!registry.find(MAIN_WORLD)) create(MAIN_WORLD, options.first, options.firstKeys)
  } catch (error) {
    const failure = storageFailure(error)
    throw failure === null ? error : new StorageError(`${dataDir}: ${failure}`)
  }

  return {
    main: registry.find(MAIN_WORLD) as World,
    tampering,
    findCredential: registry.findCredential,
    redactor: () => createRedactor(registry.list(), options.operatorToken ? [options.operatorToken] : []),
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
    import(bytes, name) {
      const isTaken = (keyId: string) => registry.findCredential(keyId) !== null
      return add(importWorld(bytes, { name, refuseName, fileOf, isTaken }, surroundings))
    },
    restore(world, bytes) {
      restoreWorld(world, bytes, (keyId) => (registry.findCredential(keyId)?.world ?? world) !== world)
      registry.recognise(world)
    },
    delete(name) {
      const world = registry.find(name)
      if (!world) return
      registry.remove(world)
      endWorld(world)
      const file = fileOf(name)
      if (file) removeDatabase(file)
    },
    close() {
      isClosed = true
      for (const world of registry.list()) endWorld(world)
    },
  }
}

function fileIn(dataDir: string, name: string): string {
  return join(dataDir, name + FILE_ENDING)
}

/** The name of a file is the name of its world, whatever it was called when it was copied there. */
function openFiles(dataDir: string, registry: WorldRegistry, surroundings: Surroundings): void {
  for (const name of worldFiles(dataDir)) {
    const world = openWorld(fileIn(dataDir, name), surroundings, name)
    const twin = [...world.credentials.keys()].map(registry.findCredential).find((found) => found !== null)
    registry.add(world)
    if (twin) {
      for (const one of registry.list()) endWorld(one)
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
    throw new StorageError(`the data directory ${dataDir} cannot be used: ${(error as Error).message}`)
  }
}
