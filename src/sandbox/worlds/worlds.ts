import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { hasLabel, leadsTo, type Shard, withLabel, withoutLabel } from '../../contract/ids.ts'
import { DatabaseLru } from '../../storage/database-lru.ts'
import { isOfMachine, StorageError, storageFailure } from '../../storage/storage-error.ts'
import { removeDatabase, removeUnfinished } from '../../storage/write-atomically.ts'
import { carryingNonces } from '../app/authenticate/nonces.ts'
import type { DefectHooks } from '../app/defect-hooks.ts'
import { type KeySource, randomKeys } from '../kernel/credentials.ts'
import { authNowMs } from '../kernel/world.ts'
import { refuseDuringAdvance } from './advance.ts'
import type { Environment, Surroundings } from './environment.ts'
import { changedInTurns, orThrownAway } from './large-databases.ts'
import { createWorld, endWorld, openWorld, takeName } from './open-world.ts'
import { createRedactors, type Redactor } from './redact.ts'
import { inventoryAtStart, resetWorld, sameId } from './reset-world.ts'
import {
  carryingIntoSnapshot,
  copyOfInTurns,
  forkWorld,
  importWorld,
  isLarge,
  restoreWorld,
  snapshotInTurns,
  soundSnapshot,
} from './snapshots.ts'
import { freshDatabaseInTurns } from './templates.ts'
import { inventoryOf, type WorldOptions } from './world-options.ts'
import { isWorldName, WorldRegistry } from './world-registry.ts'

export { StorageError, storageFailure }

/** A world, or the whole server, that ended while a caller waited. */
export class WorldGoneError extends Error {
  override name = 'WorldGoneError'
}

export interface WorldsOptions extends Omit<Surroundings, 'awake'> {
  /** Folder with one file per world; null keeps all in memory. */
  dataDir: string | null
  operatorToken?: string | null
  /** Of the default world, where it does not exist yet. */
  first: WorldOptions
  firstKeys: KeySource
}

const MAIN_WORLD = 'default'
const FILE_ENDING = '.sqlite'

/** All worlds of one server. The credential alone decides which of them answers (CRED-02). */
export class Worlds extends WorldRegistry {
  /** The first world, `default`; calls that belong to no world are logged here. */
  readonly main: Environment
  readonly hooks: DefectHooks
  /** Takes the secrets of all worlds, and the operator's token, out of what is shown. */
  readonly redactor: () => Redactor
  readonly #dataDir: string | null
  readonly #surroundings: Surroundings
  #isClosed = false

  /**
   * Opens what the data directory holds, or starts with one fresh world.
   *
   * @throws StorageError where a file is in use or cannot be read.
   */
  constructor(options: WorldsOptions) {
    const { dataDir, wall, rules, hooks, publicUrl, outbound, operatorToken, shard = null } = options
    super(shard)
    this.hooks = hooks
    this.redactor = createRedactors(() => this.list(), operatorToken ? [operatorToken] : [])
    this.#dataDir = dataDir
    this.#surroundings = {
      wall,
      rules,
      hooks,
      publicUrl,
      shard,
      awake: new DatabaseLru(),
      ...(outbound && { outbound }),
    }
    try {
      if (dataDir !== null) this.#openFiles(dataDir, options)
      this.main = this.find(MAIN_WORLD) ?? this.create(MAIN_WORLD, options.first, options.firstKeys)
    } catch (error) {
      for (const world of this.list()) endWorld(world)
      throw dataDir === null ? error : asStorageError(dataDir, error)
    }
  }

  /**
   * Makes a world. Here and below a name may lack the label of this shard.
   *
   * @throws WorldNameError where the name is taken or has no legal form.
   */
  create(wanted: string, options: WorldOptions, keys: KeySource): Environment {
    const name = this.newName(wanted)
    return this.add(createWorld(name, this.#fileOf(name), options, keys, this.#surroundings))
  }

  /** The same, in turns of the event loop where there are many listings to be drawn. @throws WorldGoneError */
  async createInTurns(wanted: string, options: WorldOptions, keys: KeySource): Promise<Environment> {
    const { name, letGo } = this.reserve(wanted)
    try {
      const { wall } = this.#surroundings
      const file = this.#fileOf(name)
      const drawn = await freshDatabaseInTurns(inventoryOf(options, wall), file, () => this.#refuseEnd())
      return await orThrownAway(drawn, () => {
        this.#refuseEnd()
        return this.add(createWorld(name, file, options, keys, this.#surroundings, drawn))
      })
    } finally {
      letGo()
    }
  }

  /** Takes a world back to its seed, in turns likewise. @throws WorldGoneError */
  async reset(world: Environment): Promise<void> {
    const file = this.#fileOf(world.name)
    const refuseOther = this.#refuseOther(world)
    const drawn = await freshDatabaseInTurns(inventoryAtStart(world), file, refuseOther)
    await orThrownAway(drawn, async () => {
      if (!isLarge(world.db)) return resetWorld(world, drawn)
      const sinceMs = authNowMs(world)
      await changedInTurns(drawn, carryingNonces(world.db, drawn, sameId), refuseOther)
      // The last turn was a turn of others too.
      refuseOther()
      resetWorld(world, drawn, sinceMs)
    })
  }

  /** A copy with fresh credentials, in turns where the world is large. @throws WorldNameError; WorldGoneError */
  async fork(world: Environment, wanted: string): Promise<Environment> {
    const { name, letGo } = this.reserve(wanted)
    try {
      const refuseOther = this.#refuseOther(world)
      const copied = await copyOfInTurns(world, refuseOther)
      return await orThrownAway(copied, () => {
        refuseOther()
        return this.add(forkWorld(world, name, this.#fileOf(name), this.#surroundings, copied))
      })
    } finally {
      letGo()
    }
  }

  /** A world as one SQLite file, likewise. @throws WorldTooLargeError; WorldGoneError */
  snapshot(world: Environment): Promise<Buffer> {
    return snapshotInTurns(world, this.#refuseOther(world))
  }

  /**
   * A world from a snapshot, which is judged in turns.
   *
   * @param bytes are gone for the caller where there are many.
   * @param wanted null for the name that it had.
   * @throws WorldNameError; WorldGoneError; UnsoundDatabaseError where the bytes are not a sound world.
   */
  async import(bytes: Uint8Array, wanted: string | null): Promise<Environment> {
    const { wall } = this.#surroundings
    const snapshot = await soundSnapshot(bytes, wall, this.#fileOf(MAIN_WORLD), () => this.#refuseEnd())
    const isTaken = (keyId: string) => this.findCredential(keyId) !== null || !leadsTo(this.shard, keyId)
    return orThrownAway(snapshot.db, () => {
      this.#refuseEnd()
      const { name: before, shard: from = null } = snapshot.facts
      const name = this.newName(wanted ?? withoutLabel(from, before))
      return this.add(importWorld(snapshot, name, this.#fileOf(name), isTaken, this.#surroundings))
    })
  }

  /** Takes a world to what a snapshot says, likewise. @throws WorldGoneError; UnsoundDatabaseError */
  async restore(world: Environment, bytes: Uint8Array): Promise<void> {
    const refuseOther = this.#refuseOther(world)
    const snapshot = await soundSnapshot(bytes, this.#surroundings.wall, this.#fileOf(world.name), refuseOther)
    const isTaken = (keyId: string) =>
      (this.findCredential(keyId)?.world ?? world) !== world || !leadsTo(this.shard, keyId)
    await orThrownAway(snapshot.db, async () => {
      const carrying = carryingIntoSnapshot(world, snapshot, isTaken)
      const carried = isLarge(world.db) ? await changedInTurns(snapshot.db, carrying, refuseOther) : undefined
      refuseOther()
      try {
        restoreWorld(world, snapshot, isTaken, carried)
      } finally {
        // It has its new keys also where its folder cannot be synced.
        this.recognize(world)
      }
    })
  }

  /** Ends a world and deletes its file; its credentials open nothing from now on. */
  delete(name: string): void {
    const world = this.find(name)
    if (!world) return
    takeName(world)
    this.remove(world)
    endWorld(world)
    const file = this.#fileOf(world.name)
    if (file) removeDatabase(file)
  }

  /** Ends what is being drawn or validated, so that no caller waits for it: before the ports are closed. */
  stopMaking(): void {
    this.#isClosed = true
  }

  close(): void {
    this.stopMaking()
    for (const world of this.list()) endWorld(world)
  }

  #fileOf(name: string): string | null {
    return this.#dataDir === null ? null : fileIn(this.#dataDir, name)
  }

  #refuseEnd(): void {
    if (this.#isClosed) throw new WorldGoneError('the sandbox is being stopped')
  }

  /** For work on a world in turns: it may be another one by the next. */
  #refuseOther(world: Environment): () => void {
    const key = world.pageKey()
    return () => {
      this.#refuseEnd()
      if (this.find(world.name) !== world || world.pageKey() !== key)
        throw new WorldGoneError('the world was reset, restored or deleted meanwhile')
      refuseDuringAdvance(world)
    }
  }

  #refuseStranger(dataDir: string, world: Environment): void {
    const why = whyNotHere(world, this.shard)
    if (why !== null) throw new StorageError(`the world ${world.name} of ${dataDir} cannot be opened: ${why}`)
  }

  /** The name of a file is the name of its world, also if it had another name when it was copied. */
  #openFiles(dataDir: string, { first, firstKeys }: WorldsOptions): void {
    for (const name of worldFiles(dataDir)) {
      const isMain = name === withLabel(this.shard, MAIN_WORLD)
      const usual = { options: first, keys: isMain ? firstKeys : randomKeys }
      const world = openWorld(fileIn(dataDir, name), this.#surroundings, name, usual)
      const twin = [...world.credentials.keys()].map(this.findCredential).find((found) => found !== null)
      this.add(world)
      this.#refuseStranger(dataDir, world)
      if (twin) {
        throw new StorageError(
          `the worlds ${twin.world.name} and ${name} of ${dataDir} have the same keys; move ${name}${FILE_ENDING} elsewhere, and make a world of it with "world import"`,
        )
      }
    }
    // Now that all files are open, no other process is writing any of these.
    removeUnfinished(dataDir)
  }
}

/** Why a world cannot be on this shard, where it cannot; its keys and the addresses of its pages would lead elsewhere. */
function whyNotHere({ name, shard: its }: Environment, shard: Shard): string | null {
  if (its === shard) return hasLabel(shard, name) ? null : `its file must have a name that begins with "${shard}."`
  const isOf = (label: Shard) => (label === null ? 'no shard' : `shard ${label}`)
  const flag = its === null ? 'without --shard' : `with --shard ${its}`
  return `it is of ${isOf(its)}, and this server of ${isOf(shard)}; start it ${flag}, or give another folder`
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
