import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { hasLabel, leadsTo, type Shard, withLabel, withoutLabel } from '../../contract/ids.ts'
import { makeFolder, removeUnfinished } from '../../storage/files.ts'
import { InvalidDatabaseError, isOfMachine, StorageError, storageFailure } from '../../storage/storage-error.ts'
import type { DefectHooks } from '../app/defect-hooks.ts'
import type { Environment } from '../app/environment.ts'
import type { FeedMessage } from '../app/log.ts'
import type { KeySource } from '../kernel/credentials.ts'
import type { Credential } from '../kernel/world.ts'
import { refuseDuringAdvance } from './advance.ts'
import { createWorld, endWorld, openWorld, removeWorld } from './open-world.ts'
import { createRedactors, type Redactor } from './redact.ts'
import { forkWorld, importWorld, inventoryAtStart, openSnapshot, resetWorld, restoreWorld } from './snapshots.ts'
import { templateInBatches } from './templates.ts'
import { inventoryOf, type ServerParts, type WorldOptions } from './world-options.ts'

export { StorageError, storageFailure }

/** A world, or the whole server, that ended while a caller waited. */
export class WorldGoneError extends Error {
  override name = 'WorldGoneError'
}

/** A name that no world can have, or that another one has. */
export class WorldNameError extends Error {
  override name = 'WorldNameError'
  readonly isTaken: boolean

  constructor(message: string, { isTaken }: { isTaken: boolean }) {
    super(message)
    this.isTaken = isTaken
  }
}

interface WorldsOptions extends ServerParts {
  /** Folder with one file per world; null keeps all in memory. */
  dataDir: string | null
  operatorToken?: string | null
  /** Of the default world, where it does not exist yet. */
  first: WorldOptions
  firstKeys: KeySource
}

const MAIN_WORLD = 'default'
const FILE_ENDING = '.sqlite'

const WORLD_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/
const NAME_FORM =
  '1 to 64 lower-case letters, digits, dots, dashes and underscores, with a letter or digit at both ends'

/** All worlds of one server. The credential alone decides which of them answers (CRED-02). */
export class Worlds {
  /** The first world, `default`; calls that belong to no world are logged here. */
  readonly main: Environment
  /** Whether the data directory held the main world already. */
  readonly isMainReopened: boolean
  readonly hooks: DefectHooks
  /** Takes the secrets of all worlds, and the operator's token, out of what is shown. */
  readonly redactor: () => Redactor
  readonly shard: Shard
  /** Worlds of the data directory whose files cannot be used, by name, and why. */
  readonly unusable = new Map<string, string>()
  readonly #worlds = new Map<string, Environment>()
  /** Names of worlds that are still being made. */
  readonly #reserved = new Set<string>()
  readonly #dataDir: string | null
  readonly #parts: ServerParts
  #watcher: ((world: Environment, message: FeedMessage) => void) | null = null
  #isClosed = false

  /**
   * Opens what the data directory holds, or starts with one fresh world.
   *
   * @throws StorageError where a file is in use or cannot be read.
   */
  constructor(options: WorldsOptions) {
    const { dataDir, wall, rules, hooks, publicUrl, outbound, operatorToken, shard = null } = options
    this.shard = shard
    this.hooks = hooks
    this.redactor = createRedactors(() => this.list(), operatorToken ? [operatorToken] : [])
    this.#dataDir = dataDir
    this.#parts = { wall, rules, hooks, publicUrl, shard, ...(outbound && { outbound }) }
    try {
      if (dataDir !== null) this.#openFiles(dataDir)
      const found = this.find(MAIN_WORLD)
      this.isMainReopened = found !== null
      this.main = found ?? this.#createMain(options)
      if (dataDir !== null && !found) this.#refuseNeighbor(dataDir)
    } catch (error) {
      for (const world of this.list()) endWorld(world)
      throw dataDir === null ? error : asStorageError(dataDir, error)
    }
  }

  /** Where the file of the main world cannot be used, it stays as it is, and a new main world is in memory. */
  #createMain({ first, firstKeys }: WorldsOptions): Environment {
    const name = withLabel(this.shard, MAIN_WORLD)
    const file = this.unusable.has(name) ? null : this.#fileOf(name)
    return this.#add(createWorld(name, file, first, firstKeys, this.#parts))
  }

  /** A server with another label may have begun in the same moment, and a folder belongs to one label. */
  #refuseNeighbor(dataDir: string): void {
    const other = worldFiles(dataDir).find((name) => !this.#worlds.has(name) && !this.unusable.has(name))
    if (other === undefined) return
    this.delete(this.main.name)
    throw new StorageError(
      `another server has just made the world ${other} in ${dataDir}; give each a folder of its own`,
    )
  }

  /** @param name with or without the label of this shard. */
  find(name: string): Environment | null {
    return this.#worlds.get(name) ?? this.#worlds.get(withLabel(this.shard, name)) ?? null
  }

  /** Why the file of a world cannot be used; null if there is no such file. */
  whyUnusable(name: string): string | null {
    return this.unusable.get(withLabel(this.shard, name)) ?? null
  }

  list(): Environment[] {
    return [...this.#worlds.values()]
  }

  /** The credential with a key id, and its world. Each world is asked: an index of keys would have to follow every change. */
  readonly findCredential = (keyId: string): { world: Environment; credential: Credential } | null => {
    for (const world of this.#worlds.values()) {
      const credential = world.credentials.get(keyId)
      if (credential) return { world, credential }
    }
    return null
  }

  /** Watches what happens in all worlds, those to come included. */
  watchAll(watcher: (world: Environment, message: FeedMessage) => void): void {
    this.#watcher = watcher
    for (const world of this.list()) world.feed.watch((message) => watcher(world, message))
  }

  #add(world: Environment): Environment {
    this.#worlds.set(world.name, world)
    const watcher = this.#watcher
    if (watcher) world.feed.watch((message) => watcher(world, message))
    return world
  }

  /**
   * The name of a world to come, with the label of this shard.
   *
   * @throws WorldNameError where it is taken or has no legal form.
   */
  #newName(wanted: string): string {
    const name = withLabel(this.shard, wanted)
    if (!WORLD_NAME.test(name)) throw new WorldNameError(`a world’s name is ${NAME_FORM}`, { isTaken: false })
    if (this.#worlds.has(name) || this.#reserved.has(name) || this.unusable.has(name)) {
      throw new WorldNameError(`there is a world called ${name} already`, { isTaken: true })
    }
    const file = this.#fileOf(name)
    if (file !== null && existsSync(file)) {
      const message = `there is a file ${name}${FILE_ENDING} in the data directory, which was put there since the start; stop the sandbox and start it again to use it`
      throw new WorldNameError(message, { isTaken: true })
    }
    return name
  }

  /**
   * Makes a world, once its inventory has been drawn in batches. Here and below a name may lack the label of this shard.
   *
   * @throws WorldNameError where the name is taken or has no legal form; WorldGoneError where the server ends meanwhile.
   */
  async create(wanted: string, options: WorldOptions, keys: KeySource): Promise<Environment> {
    const name = this.#newName(wanted)
    this.#reserved.add(name)
    try {
      const template = await templateInBatches(inventoryOf(options, this.#parts.wall), () => this.#refuseEnd())
      return this.#add(createWorld(name, this.#fileOf(name), options, keys, this.#parts, template))
    } finally {
      this.#reserved.delete(name)
    }
  }

  /** Takes a world back to its seed, likewise. @throws WorldGoneError */
  async reset(world: Environment): Promise<void> {
    const key = world.pageKey()
    const template = await templateInBatches(inventoryAtStart(world), () => {
      this.#refuseEnd()
      if (this.find(world.name) !== world || world.pageKey() !== key)
        throw new WorldGoneError('the world was reset, restored or deleted meanwhile')
      refuseDuringAdvance(world)
    })
    resetWorld(world, template)
  }

  /** A copy with fresh credentials. @throws WorldNameError; WorldTooLargeError */
  fork(world: Environment, wanted: string): Environment {
    const name = this.#newName(wanted)
    return this.#add(forkWorld(world, name, this.#fileOf(name), this.#parts))
  }

  /**
   * A world from a snapshot.
   *
   * @param wanted null for the name that it had.
   * @throws WorldNameError; InvalidDatabaseError where the bytes are not a world of this version.
   */
  import(bytes: Uint8Array, wanted: string | null): Environment {
    const snapshot = openSnapshot(bytes, this.#parts)
    const { name: before, shard: from = null } = snapshot.facts
    try {
      const name = this.#newName(wanted ?? withoutLabel(from, before))
      const isTaken = (keyId: string) => this.findCredential(keyId) !== null || !leadsTo(this.shard, keyId)
      return this.#add(importWorld(snapshot, name, this.#fileOf(name), isTaken, this.#parts))
    } catch (error) {
      snapshot.db.close()
      throw error
    }
  }

  /** Takes a world to what a snapshot says. @throws InvalidDatabaseError */
  restore(world: Environment, bytes: Uint8Array): void {
    const snapshot = openSnapshot(bytes, this.#parts)
    const isTaken = (keyId: string) =>
      (this.findCredential(keyId)?.world ?? world) !== world || !leadsTo(this.shard, keyId)
    restoreWorld(world, snapshot, isTaken)
  }

  /** Ends a world and deletes its file; its credentials open nothing from now on. */
  delete(name: string): void {
    const world = this.find(name)
    if (!world) return
    removeWorld(world)
    this.#worlds.delete(world.name)
  }

  /** Ends what is being drawn, so that no caller waits for it: before the ports are closed. */
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

  /** The name of a file is the name of its world, also if it had another name when it was copied. */
  #openFiles(dataDir: string): void {
    for (const name of worldFiles(dataDir)) {
      let world: Environment
      try {
        refuseLink(dataDir, name)
        world = openWorld(fileIn(dataDir, name), this.#parts, name)
      } catch (error) {
        if (!(error instanceof InvalidDatabaseError)) throw error
        this.unusable.set(name, error.message)
        continue
      }
      const twin = [...world.credentials.keys()].map(this.findCredential).find((found) => found !== null)
      this.#add(world)
      const why = whyNotHere(world, this.shard)
      if (why !== null) throw new StorageError(`the world ${world.name} of ${dataDir} cannot be opened: ${why}`)
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

/** A link to a file of the same folder would open that one twice. */
function refuseLink(dataDir: string, name: string): void {
  if (!existsSync(fileIn(dataDir, name))) throw new InvalidDatabaseError('this is a link to a file that is not there')
  const file = realpathSync(fileIn(dataDir, name))
  const isOther = basename(file) !== name + FILE_ENDING && file.endsWith(FILE_ENDING)
  if (isOther && dirname(file) === realpathSync(dataDir))
    throw new InvalidDatabaseError(`this is a link to ${basename(file)}, which is a world already`)
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
    makeFolder(dataDir)
    return readdirSync(dataDir)
      .filter((file) => file.endsWith(FILE_ENDING))
      .map((file) => file.slice(0, -FILE_ENDING.length))
      .filter((name) => WORLD_NAME.test(name))
  } catch (error) {
    throw unusable(dataDir, error)
  }
}

function unusable(dataDir: string, error: unknown): StorageError {
  const { code, message } = error as NodeJS.ErrnoException
  const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'a file is there; name a folder' : message
  return new StorageError(`the data directory ${dataDir} cannot be used: ${why}`, { cause: error })
}
