import type { Credential } from '../kernel/world.ts'
import type { Environment } from './environment.ts'

export class WorldNameError extends Error {
  override name = 'WorldNameError'
  readonly isTaken: boolean

  constructor(message: string, { isTaken }: { isTaken: boolean }) {
    super(message)
    this.isTaken = isTaken
  }
}

/** Which worlds there are, by name and by the key ids of their credentials. */
export interface WorldRegistry {
  add(world: Environment): Environment
  remove(world: Environment): void
  find(name: string): Environment | null
  list(): Environment[]
  /** The world that a key id belongs to now. */
  findCredential(keyId: string): { world: Environment; credential: Credential } | null
  /** Must be called where a world has got other credentials. */
  recognise(world: Environment): void
  /** @throws WorldNameError where the name is taken or has no legal form. */
  refuseName(name: string): void
  /** Keeps a name for a world that is still being made; call what it returns when that is over. */
  reserve(name: string): () => void
}

const WORLD_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/
const NAME_FORM =
  '1 to 64 lower-case letters, digits, dots, dashes and underscores, with a letter or digit at both ends'

export function isWorldName(name: string): boolean {
  return WORLD_NAME.test(name)
}

export function createWorldRegistry(): WorldRegistry {
  const worlds = new Map<string, Environment>()
  const byKeyId = new Map<string, Environment>()
  const keyIdsOf = new Map<Environment, readonly string[]>()
  const reserved = new Set<string>()

  function forgetKeys(world: Environment): void {
    for (const keyId of keyIdsOf.get(world) ?? []) {
      // A key that was deleted here may be another world's by now.
      if (byKeyId.get(keyId) === world) byKeyId.delete(keyId)
    }
    keyIdsOf.delete(world)
  }

  function recognise(world: Environment): void {
    forgetKeys(world)
    const keyIds = [...world.credentials.keys()]
    keyIdsOf.set(world, keyIds)
    for (const keyId of keyIds) byKeyId.set(keyId, world)
  }

  function refuseName(name: string): void {
    if (!isWorldName(name)) throw new WorldNameError(`a world’s name is ${NAME_FORM}`, { isTaken: false })
    if (worlds.has(name) || reserved.has(name)) {
      throw new WorldNameError(`there is a world called ${name} already`, { isTaken: true })
    }
  }

  return {
    add(world) {
      worlds.set(world.name, world)
      recognise(world)
      return world
    },
    remove(world) {
      forgetKeys(world)
      worlds.delete(world.name)
    },
    find: (name) => worlds.get(name) ?? null,
    list: () => [...worlds.values()],
    findCredential(keyId) {
      const world = byKeyId.get(keyId)
      const credential = world?.credentials.get(keyId)
      return world && credential ? { world, credential } : null
    },
    recognise,
    refuseName,
    reserve(name) {
      refuseName(name)
      reserved.add(name)
      return () => reserved.delete(name)
    },
  }
}
