import type { Found } from '../format/role-row.ts'
import { type RoleName, roleRow } from '../format/roles.ts'
import { anywhere, atLikelyPlace, byShape, bySign, saysTheSame } from './find-role.ts'
import { absent, ambiguous, type Ground } from './place.ts'
import { readAt } from './read-role.ts'
import { findRoleOrItems } from './role-items.ts'

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
    return differing.length === 0 ? found : ambiguous(name, [found, ...differing])
  }
  return null
}

/** Why nothing was found. */
export function nowhere(name: RoleName, { places, unclear }: ShownPlaces, ground: Ground): Found {
  if (unclear) return unclear
  const nothing = absent(name, ground.json, roleRow(name).documented === true)
  const [first] = places
  if (!first || nothing.found) return nothing
  return { ...nothing, detail: `${nothing.detail}; in ${first.exchange} it was ${first.at || 'the whole body'}` }
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
