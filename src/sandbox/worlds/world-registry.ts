import { type Shard, withLabel } from '../../contract/ids.ts'
import type { Environment } from '../app/environment.ts'
import type { FeedMessage } from '../app/feed.ts'
import type { Credential } from '../kernel/world.ts'

export class WorldNameError extends Error {
  override name = 'WorldNameError'
  readonly isTaken: boolean

  constructor(message: string, { isTaken }: { isTaken: boolean }) {
    super(message)
    this.isTaken = isTaken
  }
}

const WORLD_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/
const NAME_FORM =
  '1 to 64 lower-case letters, digits, dots, dashes and underscores, with a letter or digit at both ends'

export function isWorldName(name: string): boolean {
  return WORLD_NAME.test(name)
}

/** Which worlds there are, by name and by the key ids of their credentials. */
export class WorldRegistry {
  readonly shard: Shard
  readonly #worlds = new Map<string, Environment>()
  readonly #byKeyId = new Map<string, Environment>()
  readonly #keyIdsOf = new Map<Environment, readonly string[]>()
  readonly #reserved = new Set<string>()
  /** Worlds of the data directory whose files cannot be used, by name, and why. */
  readonly unusable = new Map<string, string>()
  #watcher: ((world: Environment, message: FeedMessage) => void) | null = null

  constructor(shard: Shard = null) {
    this.shard = shard
  }

  /** @param name with or without the label of this shard. */
  find(name: string): Environment | null {
    return this.#worlds.get(withLabel(this.shard, name)) ?? null
  }

  /** Why the file of a world cannot be used; null if there is no such file. */
  whyUnusable(name: string): string | null {
    return this.unusable.get(withLabel(this.shard, name)) ?? null
  }

  list(): Environment[] {
    return [...this.#worlds.values()]
  }

  /** The world that a key id belongs to now. */
  readonly findCredential = (keyId: string): { world: Environment; credential: Credential } | null => {
    const world = this.#byKeyId.get(keyId)
    const credential = world?.credentials.get(keyId)
    return world && credential ? { world, credential } : null
  }

  add(world: Environment): Environment {
    this.#worlds.set(world.name, world)
    this.recognize(world)
    this.#watch(world)
    return world
  }

  /** Watches what happens in all worlds, those to come included. */
  watchAll(watcher: (world: Environment, message: FeedMessage) => void): void {
    this.#watcher = watcher
    for (const world of this.list()) this.#watch(world)
  }

  #watch(world: Environment): void {
    const watcher = this.#watcher
    if (watcher) world.feed.watch((message) => watcher(world, message))
  }

  remove(world: Environment): void {
    this.#forgetKeys(world)
    this.#worlds.delete(world.name)
  }

  /** Must be called where a world has got other credentials: from now on their key ids are found. */
  recognize(world: Environment): void {
    this.#forgetKeys(world)
    const keyIds = [...world.credentials.keys()]
    this.#keyIdsOf.set(world, keyIds)
    for (const keyId of keyIds) this.#byKeyId.set(keyId, world)
  }

  /**
   * The name of a world to come, with the label of this shard.
   *
   * @throws WorldNameError where it is taken or has no legal form.
   */
  newName(wanted: string): string {
    const name = withLabel(this.shard, wanted)
    if (!isWorldName(name)) throw new WorldNameError(`a world’s name is ${NAME_FORM}`, { isTaken: false })
    if (this.#worlds.has(name) || this.#reserved.has(name) || this.unusable.has(name)) {
      throw new WorldNameError(`there is a world called ${name} already`, { isTaken: true })
    }
    return name
  }

  /** Keeps a name for a world that is still being made; call `letGo` when that is over. */
  reserve(wanted: string): { name: string; letGo: () => void } {
    const name = this.newName(wanted)
    this.#reserved.add(name)
    return { name, letGo: () => this.#reserved.delete(name) }
  }

  #forgetKeys(world: Environment): void {
    for (const keyId of this.#keyIdsOf.get(world) ?? []) {
      // A key that was deleted here may be another world's by now.
      if (this.#byKeyId.get(keyId) === world) this.#byKeyId.delete(keyId)
    }
    this.#keyIdsOf.delete(world)
  }
}
