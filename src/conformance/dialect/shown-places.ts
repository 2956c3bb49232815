import { ENDPOINT_IDS, ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import { type Found, ROLE_NAMES, type RoleName, roleRow } from '../format/roles.ts'
import type { Answer } from '../http/exchange.ts'
import { anywhere, atLikelyPlace, byShape, bySign, findRoleOrItems, saysTheSame } from './find-role.ts'
import { absent, ambiguous, type Ground } from './place.ts'
import { readAt } from './read-role.ts'

/** Where a role of an operation is, as far as answers have shown. */
export interface ShownPlaces {
  /** The likeliest first. */
  readonly places: ShownPlace[]
  /** Several places in one answer, none of which was ever shown to be meant. */
  unclear: Extract<Found, { found: false }> | null
}

interface ShownPlace {
  readonly at: string
  /** Places that mean the same: where one of them says something else, neither is taken. */
  readonly rivals: Set<string>
  /** The exchange that showed it. */
  readonly exchange: string
}

/** What is at the likeliest of the places; null if nothing does. */
export function atShownPlace(name: RoleName, { places }: ShownPlaces, ground: Ground): Found | null {
  for (const { at, rivals } of places) {
    const found = readAt(name, at, ground)
    if (!found) continue
    const differing = [...rivals].flatMap((rival) => {
      const other = readAt(name, rival, ground)
      return other && !saysTheSame(found.value, other.value) ? [other] : []
    })
    return differing.length === 0 ? found : ambiguous(name, [found, ...differing], ground.op)
  }
  return null
}

/** Why nothing was found. */
export function nowhere(name: RoleName, { places, unclear }: ShownPlaces, ground: Ground): Found {
  if (unclear) return unclear
  const [first] = places
  const more = first && `; in ${first.exchange} it was ${first.at || 'the whole body'}`
  return absent(name, ground, roleRow(name).documented === true, more)
}

/**
 * The place of a role that only its place shows; null if its value shows it, or nothing is there.
 *
 * @param far whether an unlikely place will do as well, where it is the only one.
 */
function placeIn(name: RoleName, ground: Ground, far: boolean): Found | null {
  if (byShape(name, ground)) return null
  const near = atLikelyPlace(name, ground)
  if (near || !far || bySign(name, ground)) return near
  return roleRow(name).kind === 'list' ? findRoleOrItems({}, name, ground) : anywhere(name, ground)
}

/** Notes where a role is in an answer, unless that is known. @returns whether anything was new. */
export function noteShown(name: RoleName, shown: ShownPlaces, ground: Ground, exchange: string): boolean {
  const found = placeIn(name, ground, shown.places.length === 0)
  if (found === null) return false
  return found.found ? notePlace(name, shown, found, ground, exchange) : noteUnclear(shown, found)
}

function notePlace(
  name: RoleName,
  shown: ShownPlaces,
  found: Extract<Found, { found: true }>,
  ground: Ground,
  exchange: string,
): boolean {
  const { places, unclear } = shown
  shown.unclear = null
  const known = places.find(({ at }) => at === found.at)
  if (known) return noteRivals(known, found.also ?? []) || unclear !== null
  const place = { at: found.at, rivals: new Set(found.also), exchange }
  // The search found this one before any known place.
  const next = places.findIndex(({ at }) => readAt(name, at, ground) !== null)
  places.splice(next === -1 ? places.length : next, 0, place)
  return true
}

function noteRivals({ rivals }: ShownPlace, others: readonly string[]): boolean {
  const before = rivals.size
  for (const at of others) rivals.add(at)
  return rivals.size > before
}

function noteUnclear(shown: ShownPlaces, found: Extract<Found, { found: false }>): boolean {
  const candidates = found.places ?? []
  const known = shown.places.find(({ at }) => candidates.includes(at))
  if (known)
    return noteRivals(
      known,
      candidates.filter((at) => at !== known.at),
    )
  if (shown.places.length > 0 || found.why !== 'ambiguous') return false
  const isNews = JSON.stringify(shown.unclear) !== JSON.stringify(found)
  shown.unclear = found
  return isNews
}

/** Whether something else of an answer is where it was next to the role: then its layout is the known one, and the role is missing. */
export function isBeside(
  name: RoleName,
  shown: ShownPlaces,
  ground: Ground,
  others: Iterable<[RoleName, ShownPlaces]>,
) {
  const holders = shown.places.map(({ at }) => holderOf(at))
  return [...others].some(
    ([other, { places }]) =>
      other !== name && places.some(({ at }) => holders.includes(holderOf(at)) && readAt(other, at, ground) !== null),
  )
}

function holderOf(at: string): string {
  return at.slice(0, at.lastIndexOf('/') + 1)
}

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
  return {
    answer,
    lists: lists.map((of) => ({
      of,
      roles: ROLE_NAMES.filter((role) => entryNouns(of).includes(nounOf(role)) && !role.endsWith('.items')),
    })),
  }
}

function entryNouns(list: string): readonly string[] {
  return ENTRIES[list] ?? [nounOf(list).replace(/s$/, '')]
}

function nounOf(role: string): string {
  return role.split('.')[0] ?? role
}

/** An answer, or an entry of a list in it, with the roles that it may show. */
interface Thing {
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
  itemsOf: (list: RoleName) => Found<readonly unknown[]>,
  most: number,
): Generator<Thing> {
  yield { ground: answer, roles: own, at: '', index: null }
  for (const { of, roles } of lists) {
    const found = itemsOf(of)
    if (!found.found) continue
    for (const [index, json] of found.value.slice(0, most).entries())
      yield { ground: { json, op: answer.op }, roles, at: `${found.at}/${index}`, index }
  }
}
