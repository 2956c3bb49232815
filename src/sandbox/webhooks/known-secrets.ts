import type { Db } from '../../storage/database.ts'
import type { KnownSecrets } from '../kernel/world.ts'
import { allEndpoints } from './store.ts'

/** Older ones are still taken out of the bodies that brought them, by the member they are in. */
const MOST = 500

/** The tables are asked once, since a world that rests would have to be woken for it. */
export function secretsIn(db: Db): Set<string> {
  return new Set(allEndpoints(db).map(({ secret }) => secret))
}

/** @param secrets those of the tables when the world is opened. */
export function createKnownSecrets(secrets: Set<string>): KnownSecrets {
  return {
    add(secret) {
      secrets.delete(secret)
      secrets.add(secret)
      const oldest = secrets.values().next().value
      if (secrets.size > MOST && oldest !== undefined) secrets.delete(oldest)
    },
    all: () => [...secrets],
  }
}
