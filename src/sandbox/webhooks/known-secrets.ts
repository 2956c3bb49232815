import type { World } from '../world.ts'
import { allEndpoints } from './store.ts'

/** Older ones are still taken out of the bodies that brought them, by the member they stand in. */
const MOST = 500

const remembered = new WeakMap<World, Set<string>>()

/** Keeps a secret in mind for as long as the request log may show the call that brought it. */
export function rememberSecret(world: World, secret: string): void {
  const secrets = remembered.get(world) ?? new Set()
  remembered.set(world, secrets)
  secrets.delete(secret)
  secrets.add(secret)
  const oldest = secrets.values().next().value
  if (secrets.size > MOST && oldest !== undefined) secrets.delete(oldest)
}

/** Every webhook secret that a log of this world may hold, for whoever takes secrets out of it. */
export function webhookSecrets(world: World): string[] {
  return [...new Set([...(remembered.get(world) ?? []), ...allEndpoints(world.db).map(({ secret }) => secret)])]
}
