import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { WallClock } from '../clock/wall-clock.ts'
import type { Rules } from '../contract/rules.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { KeySource } from './credentials.ts'
import type { FindCredential } from './http/authenticate/index.ts'
import { createWorld, openWorld, type WorldOptions } from './open-world.ts'
import type { Tampering } from './tampering.ts'
import type { Outbound } from './webhooks/outbound.ts'
import type { World } from './world.ts'

/** All environments of one server. The credential alone decides which of them answers (CRED-02). */
export interface Worlds {
  /** The first world, `default`; calls that belong to no world are logged here. */
  readonly main: World
  readonly tampering: Tampering
  readonly findCredential: FindCredential
  find(name: string): World | null
  list(): World[]
  /** @throws WorldNameError where the name is taken or has no legal form. */
  create(name: string, options: WorldOptions, keys: KeySource): World
  /** Ends a world and deletes its file; its credentials open nothing from now on. */
  delete(name: string): void
  close(): void
}

export class WorldNameError extends Error {
  override name = 'WorldNameError'
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
  /** Of the default world, where it does not exist yet. */
  first: WorldOptions
  firstKeys: KeySource
}

export const MAIN_WORLD = 'default'
const WORLD_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/
const FILE_ENDING = '.sqlite'

/**
 * Opens what the data directory holds, or starts with one fresh world.
 *
 * @throws StorageError where a file is in use or cannot be read.
 */
export function openWorlds(options: WorldsOptions): Worlds {
  const { dataDir, wall, rules, tampering, publicUrl, outbound } = options
  const worlds = new Map<string, World>()
  const byKeyId = new Map<string, World>()
  const surroundings = { wall, rules, tampering, publicUrl, ...(outbound && { outbound }) }

  function add(world: World): World {
    worlds.set(world.name, world)
    for (const keyId of world.credentials.keys()) byKeyId.set(keyId, world)
    return world
  }

  function fileOf(name: string): string | null {
    return dataDir === null ? null : join(dataDir, name + FILE_ENDING)
  }

  function create(name: string, world: WorldOptions, keys: KeySource): World {
    if (!WORLD_NAME.test(name)) {
      throw new WorldNameError('a world’s name is 1 to 64 lower-case letters, digits, dots, dashes and underscores')
    }
    if (worlds.has(name)) throw new WorldNameError(`there is a world called ${name} already`)
    return add(createWorld(name, fileOf(name), world, keys, surroundings))
  }

  for (const name of dataDir === null ? [] : worldFiles(dataDir)) add(openWorld(fileOf(name) as string, surroundings))
  if (!worlds.has(MAIN_WORLD)) create(MAIN_WORLD, options.first, options.firstKeys)

  return {
    main: worlds.get(MAIN_WORLD) as World,
    tampering,
    findCredential(keyId) {
      const world = byKeyId.get(keyId)
      const credential = world?.credentials.get(keyId)
      return world && credential ? { world, credential } : null
    },
    find: (name) => worlds.get(name) ?? null,
    list: () => [...worlds.values()],
    create,
    delete(name) {
      const world = worlds.get(name)
      if (!world) return
      for (const keyId of world.credentials.keys()) byKeyId.delete(keyId)
      worlds.delete(name)
      shut(world)
      const file = fileOf(name)
      if (file) for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true })
    },
    close() {
      for (const world of worlds.values()) shut(world)
    },
  }
}

/** Calls that were let in are answered before their database goes away. */
function shut(world: World): void {
  world.dueAlarm.end()
  world.deliverer.end()
  world.commits.drain()
  world.db.close()
}

function worldFiles(dataDir: string): string[] {
  try {
    // The files hold secrets.
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    return readdirSync(dataDir)
      .filter((file) => file.endsWith(FILE_ENDING))
      .map((file) => file.slice(0, -FILE_ENDING.length))
      .filter((name) => WORLD_NAME.test(name))
  } catch (error) {
    throw new StorageError(`the data directory ${dataDir} cannot be used: ${(error as Error).message}`)
  }
}
