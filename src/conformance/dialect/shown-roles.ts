import { ENDPOINT_IDS, ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import { ROLE_NAMES, type RoleName, roleRow } from '../format/roles.ts'
import type { Answer } from '../http/exchange.ts'
import type { Ground } from './place.ts'
import type { FoundItems } from './role-items.ts'

/** The roles that answers of an operation show: of the answer itself, and of each entry of the lists in it. */
export interface ShownRoles {
  readonly answer: readonly RoleName[]
  readonly lists: readonly { readonly of: RoleName; readonly roles: readonly RoleName[] }[]
}

/** What entries of a list are, where its name does not say it. */
const ENTRIES: Partial<Record<string, readonly string[]>> = {
  'search.items': ['search', 'listing'],
  'order.timeline': ['timeline'],
  'case.timeline': ['timeline'],
  'clicks.by_link': ['click'],
}

/** By the rows of the endpoints: every role of a noun that one of them names. */
export const SHOWN_ROLES = Object.fromEntries(ENDPOINT_IDS.map((op) => [op, shownBy(ENDPOINTS[op])])) as Record<
  EndpointId,
  ShownRoles
>

function shownBy({ openRoles, creates, list }: Endpoint): ShownRoles {
  const named = [
    ...(openRoles?.answer ?? []),
    ...(creates?.handles ?? []).map(({ role }) => role),
    ...(list ? [list.items, list.next] : []),
  ]
  const ofEntries = new Set(list ? entryNouns(list.items) : [])
  const nouns = new Set(named.map(nounOf))
  const answer = ROLE_NAMES.filter(
    (role) => named.includes(role) || (nouns.has(nounOf(role)) && !ofEntries.has(nounOf(role))),
  )
  const lists = answer.filter((role) => roleRow(role).kind === 'list')
  return { answer, lists: lists.map((of) => ({ of, roles: rolesOf(entryNouns(of)) })) }
}

function rolesOf(nouns: readonly string[]): RoleName[] {
  return ROLE_NAMES.filter((role) => nouns.includes(nounOf(role)) && !role.endsWith('.items'))
}

function entryNouns(list: string): readonly string[] {
  return ENTRIES[list] ?? [nounOf(list).replace(/s$/, '')]
}

function nounOf(role: string): string {
  return role.split('.')[0] ?? role
}

/** An answer, or an entry of a list in it, with the roles that it may show. */
export interface Thing {
  readonly ground: Ground
  readonly roles: readonly RoleName[]
  /** Where it is in the answer. */
  readonly at: string
  /** Its number in the list; null for the answer itself. */
  readonly index: number | null
}

/** The answer itself, then the first entries of each list in it, as many as `most`. */
export function* thingsIn(
  { answer: own, lists }: ShownRoles,
  answer: Answer,
  itemsOf: (list: RoleName) => FoundItems,
  most: number,
): Generator<Thing> {
  yield { ground: answer, roles: own, at: '', index: null }
  for (const { of, roles } of lists) {
    const found = itemsOf(of)
    if (!found.found) continue
    for (const [index, json] of found.items.slice(0, most).entries())
      yield { ground: { json, op: answer.op }, roles, at: `${found.at}/${index}`, index }
  }
}
