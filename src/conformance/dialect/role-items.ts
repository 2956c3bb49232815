import type { RoleName } from '../format/roles.ts'
import { isObject, places } from '../http/json-body.ts'
import type { DialectFile } from '../target/target.ts'
import { type Found, findRole, type Ground } from './find-role.ts'

export type FoundItems = { found: true; items: readonly unknown[]; at: string } | Extract<Found, { found: false }>

/**
 * The items of a list role. Where no known name leads to it, the only list in the whole answer will do.
 *
 * @example findRoleItems({}, 'search.items', { json: { domains: [{ domain: 'a.test' }] }, op: 'domains.search' })
 */
export function findRoleItems(roles: DialectFile['roles'], name: RoleName, ground: Ground): FoundItems {
  const found = findRole(roles, name, ground)
  if (found.found) {
    if (Array.isArray(found.value)) return { found: true, items: found.value, at: found.at }
    return { found: false, why: 'absent', detail: `${name} at ${found.at} is no list`, documented: false }
  }
  if (found.why === 'ambiguous') return found
  const lists = [...places(ground.json, 4)].filter(
    ({ value }) => Array.isArray(value) && (value.length === 0 || value.some(isObject)),
  )
  const [only] = lists
  if (only && lists.length === 1 && !found.documented)
    return { found: true, items: only.value as unknown[], at: only.at }
  return found
}
