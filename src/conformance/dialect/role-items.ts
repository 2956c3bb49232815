import type { Found } from '../format/role-row.ts'
import { type RoleName, roleRow } from '../format/roles.ts'
import { isObject, places } from '../http/json-body.ts'
import type { DialectFile } from '../target/target.ts'
import { findRole } from './find-role.ts'
import type { Ground } from './place.ts'

export type FoundItems = { found: true; items: readonly unknown[]; at: string } | Extract<Found, { found: false }>

/**
 * The items of a list role. If no known name leads to it, the only list in the whole answer is taken.
 *
 * @example findRoleItems({}, 'search.items', { json: { domains: [{ domain: 'a.test' }] }, op: 'domains.search' })
 */
export function findRoleItems(roles: DialectFile['roles'], name: RoleName, ground: Ground): FoundItems {
  const found = findRole(roles, name, ground)
  if (found.found || found.why === 'ambiguous' || found.documented) return itemsAt(name, found)
  const lists = [...places(ground.json, 4)].filter(
    ({ value }) => Array.isArray(value) && (value.length === 0 || value.some(isObject)),
  )
  const [only] = lists
  return only && lists.length === 1 ? { found: true, items: only.value as unknown[], at: only.at } : found
}

/** What was found for a list role, as a list. */
export function itemsAt(name: RoleName, found: Found): FoundItems {
  if (!found.found) return found
  if (Array.isArray(found.value)) return { found: true, items: found.value, at: found.at }
  return { found: false, why: 'absent', detail: `${name} at ${found.at} is not a list`, documented: false }
}

/** The value of a role; of a list role, as the one above finds it. */
export function findRoleOrItems(roles: DialectFile['roles'], name: RoleName, ground: Ground): Found {
  if (roleRow(name).kind !== 'list') return findRole(roles, name, ground)
  const found = findRoleItems(roles, name, ground)
  return found.found ? { found: true, value: found.items, at: found.at } : found
}
