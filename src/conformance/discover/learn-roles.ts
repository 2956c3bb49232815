import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoints.ts'
import { flagOfMore } from '../dialect/cursor-place.ts'
import { findRoleOrItems } from '../dialect/find-role.ts'
import { isMoney } from '../dialect/money.ts'
import type { Ground } from '../dialect/place.ts'
import { thingsIn } from '../dialect/shown-places.ts'
import type { Found } from '../format/role-row.ts'
import type { RoleName } from '../format/roles.ts'
import { type Answer, isAccepted, isRefused } from '../http/exchange.ts'
import type { RoleAddress } from '../target/target.ts'
import { type Evidence, type Finding, findingAt } from './discovery.ts'
import { isInWrites, isOptional, READABLE, readsOf, rolesIn } from './readable.ts'
import { acceptedOf, refusalIn, type Scout, type Seen, shownAt } from './scout.ts'

/** A role looked for once. */
export interface Sighting {
  readonly op: EndpointId
  readonly role: RoleName
  /** What it was about: a second sighting about the same thing confirms nothing. */
  readonly subject: string
  readonly found: Found
  readonly evidence: Evidence
  /** The answer, or the item of it, that was looked into. */
  readonly json: unknown
}

/** No more items of a list than these are looked at. */
const MOST_ITEMS = 25

/** Looks for every open role in every answer that was given. */
export function sightRoles(scout: Scout): Sighting[] {
  return [
    ...ENDPOINT_IDS.flatMap((op) => acceptedOf(scout, op).flatMap((seen) => sightingsIn(scout, seen))),
    ...errors(scout),
  ]
}

function sightingsIn(scout: Scout, seen: Seen & { answer: Answer }): Sighting[] {
  const row = READABLE[seen.op]
  if (!row) return []
  const { dialect } = scout.run
  const things = thingsIn(row, seen.answer, (list) => dialect.items(list, seen.answer), MOST_ITEMS)
  const sightings = [...things].flatMap(({ roles, ground, at, index }) => {
    const subject = index === null ? seen.subject : `${seen.subject} ${index}`
    return roles.map((role) => sight(scout, seen, role, ground, at, subject))
  })
  return sightings.filter((sighting) => isAboutWhatWasAsked(seen, sighting))
}

/** A domain that was asked for is known by its name: another text under a likely key is something else. */
function isAboutWhatWasAsked({ subject }: Seen, { role, found }: Sighting): boolean {
  if (role !== 'listing.domain' || !found.found) return true
  return typeof found.value === 'string' && found.value.toLowerCase() === subject.toLowerCase()
}

function sight(scout: Scout, seen: Seen, role: RoleName, ground: Ground, base: string, subject: string): Sighting {
  const configured = scout.run.dialect.settings.roles
  const free = Object.fromEntries(
    Object.entries(configured).filter(([key]) => key !== role && key !== `${seen.op}:${role}`),
  )
  const found = findRoleOrItems(free, role, ground)
  const at = found.found ? (found.at.startsWith('header:') ? found.at : base + found.at) : base
  const evidence = shownAt(seen, at, found.found ? plainValue(role, found.value) : undefined)
  return { op: seen.op, role, subject, found, evidence, json: ground.json }
}

/** Buyers, and addresses that need no login, must not go into a file that may be committed. */
const PRIVATE: readonly RoleName[] = ['sale.buyer', 'sale.buyer_email', 'case.progress_url']

function plainValue(role: RoleName, value: unknown): unknown {
  if (PRIVATE.includes(role)) return `(${typeof value}, not shown)`
  return isMoney(value) ? value.amount : value
}

/** The places of code and message in every refusal. */
function errors(scout: Scout): Sighting[] {
  return scout.seen.flatMap((seen) => {
    const { answer } = seen
    if (!isRefused(answer)) return []
    return (['error.code', 'error.message'] as const).map((role) =>
      sight(scout, seen, role, answer, '', `${seen.op} ${seen.subject}`),
    )
  })
}

/** One finding for each role, or for each operation where they differ. */
export function learnRoles(scout: Scout, sightings: readonly Sighting[]): Finding[] {
  const roles = new Set<RoleName>(['error.code', 'error.message', ...Object.values(READABLE).flatMap(rolesIn)])
  const sightingsOf = (role: RoleName) => sightings.filter((sighting) => sighting.role === role)
  return [...roles].flatMap((role) => findingsOf(scout, role, sightingsOf(role)))
}

function findingsOf(scout: Scout, role: RoleName, sightings: readonly Sighting[]): Finding[] {
  const ops = readsOf(role)
  const places = new Set(sightings.flatMap(({ found }) => (found.found ? [addressText(found)] : [])))
  const everywhere = ops.every((op) => sightings.some((sighting) => sighting.op === op && sighting.found.found))
  const isOneForAll = !isInWrites(role) && (ops.length === 1 || (everywhere && places.size === 1))
  if (isOneForAll || role.startsWith('error.')) return [findingOf(scout, role, role, sightings)]
  const sightingsOf = (op: EndpointId) => sightings.filter((sighting) => sighting.op === op)
  return ops.map((op) => findingOf(scout, role, `${op}:${role}`, sightingsOf(op)))
}

function addressText(found: Found & { found: true }): string {
  return `${found.at} ${isMoney(found.value) ? found.value.unit : ''}`
}

type Sighted = Sighting & { found: Extract<Found, { found: true }> }

function findingOf(scout: Scout, role: RoleName, key: string, sightings: readonly Sighting[]): Finding {
  const found = sightings
    .filter((sighting): sighting is Sighted => sighting.found.found)
    .sort((a, b) => Number(isEmpty(a)) - Number(isEmpty(b)))
  const unclear = sightings.filter(({ found: it }) => !it.found && it.why === 'ambiguous')
  const path = ['dialect', 'roles', key] as const
  const shown = {
    // One entry of a list inside is not a place for all entries.
    optional:
      isOptional(role) || found.length < sightings.length || found.some(({ found: { at } }) => /\/\d+\//.test(at)),
    evidence: oneForEachPlace(found.length > 0 ? found : unclear),
  }
  const candidates = [
    ...new Set([
      ...found.map(({ found: { at } }) => at),
      ...unclear.flatMap(({ found: it }) => (it.found ? [] : (it.places ?? []))),
    ]),
  ]
  if (unclear.length > 0 || candidates.length > 1)
    return findingAt(path, {
      ...shown,
      state: 'needs-dialect',
      candidates,
      note: 'several places fit: name the right one under dialect.roles',
    })
  if (found.length === 0) return findingAt(path, { ...shown, ...absence(scout, role, key, sightings) })
  // An empty list is where it should be and shows nothing of what it holds.
  const showing = found.filter((sighting) => !isEmpty(sighting))
  const confirmed = new Set(showing.map(({ op, subject }) => `${op} ${subject}`)).size > 1
  const confidence = confirmed ? 'confirmed' : 'one answer'
  return findingAt(path, { ...shown, state: 'found', value: addressOf(found), confidence })
}

/** An empty list shows its place, and a full one shows more. */
function isEmpty({ found: { value } }: Sighted): boolean {
  return Array.isArray(value) && value.length === 0
}

/** A place, with the unit of the money there once every answer agrees about it. */
function addressOf(found: readonly Sighted[]): RoleAddress {
  const at = (found[0] as Sighted).found.at
  const units = new Set(found.flatMap(({ found: { value } }) => (isMoney(value) && value.unit ? [value.unit] : [])))
  const [unit] = units
  return units.size === 1 && unit !== undefined ? { at, unit } : at
}

function oneForEachPlace(sightings: readonly Sighting[]): Evidence[] {
  const seen = new Map<string, Evidence[]>()
  for (const { found, evidence } of sightings) {
    const place = found.found ? found.at : ''
    const kept = seen.get(place) ?? []
    if (kept.length < 2 && !kept.some(({ request }) => request === evidence.request)) kept.push(evidence)
    seen.set(place, kept)
  }
  return [...seen.values()].flat()
}

/** The first flag among answers by which a list goes on. */
function flagIn(sightings: readonly Sighting[]): string | null {
  return sightings.map(({ json }) => flagOfMore(json)).find((at) => at !== null) ?? null
}

/** Why a role was not found: there was nothing to look at, it may be lacking, or it is in an unlikely place. */
function absence(
  scout: Scout,
  role: RoleName,
  key: string,
  sightings: readonly Sighting[],
): Pick<Finding, 'state' | 'note'> {
  const more = role === 'list.next' || role === 'orders.next' ? flagIn(sightings) : null
  if (more !== null)
    return {
      state: 'needs-dialect',
      note: `${more} says that a list goes on: name what leads to its next page under dialect.roles`,
    }
  if (sightings.length > 0 && isOptional(role))
    return { state: 'not-seen', note: 'the answers have none, and need none' }
  if (sightings.length > 0)
    return { state: 'needs-dialect', note: 'nothing in the answers fits: name its place under dialect.roles' }
  const [op] = key.includes(':') ? key.split(':') : []
  const asked = scout.seen.filter((seen) => (op === undefined ? readsOf(role).includes(seen.op) : seen.op === op))
  if (asked.length === 0) return { state: 'not-seen', note: 'there was nothing to read it from' }
  if (asked.every(({ answer }) => !isAccepted(answer)))
    return { state: 'not-seen', note: `refused: ${refusalIn(scout, asked[0] as Seen)}` }
  return { state: 'not-seen', note: 'the lists that would show it are empty' }
}
