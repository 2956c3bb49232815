import type { Db } from '../../storage/database.ts'
import type { World } from '../world.ts'
import { allEndpoints } from './store.ts'

/** Older ones are still taken out of the bodies that brought them, by the member they stand in. */
const MOST = 500

const remembered = new WeakMap<World, Set<string>>()

function secretsOf(world: World): Set<string> {
  return remembered.get(world) ?? new Set()
}

/** The tables are asked once, since a world that rests would have to be woken for it. */
export function secretsIn(db: Db): Set<string> {
  return new Set(allEndpoints(db).map(({ secret }) => secret))
}

/** Must be called where a world was opened, or moved to other tables: its log is empty then. */
export function rememberSecrets(world: World, secrets: Set<string>): void {
  remembered.set(world, secrets)
}

/** Keeps a secret in mind for as long as the request log may show the call that brought it. */
export function rememberSecret(world: World, secret: string): void {
  const secrets = secretsOf(world)
  secrets.delete(secret)
  secrets.add(secret)
  const oldest = secrets.values().next().value
  if (secrets.size > MOST && oldest !== undefined) secrets.delete(oldest)
}

/** Every webhook secret that a log of this world may hold, for whoever takes secrets out of it. */
export function webhookSecrets(world: World): string[] {
  return [...secretsOf(world)]
}
