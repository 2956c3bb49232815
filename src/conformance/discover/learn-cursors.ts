import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoint-ids.ts'
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { CURSOR_NAMES, cursorNameIn } from '../context/params.ts'
import { lastEntryOf } from '../dialect/last-entry.ts'
import {
  cursorCandidates,
  cursorPairs,
  flagOfMore,
  isAddress,
  isInLastEntry,
  lastKeyOf,
  toldAddress,
} from '../dialect/place.ts'
import type { RoleName } from '../format/roles.ts'
import { type Answer, isAccepted } from '../http/exchange.ts'
import { type Finding, findingOf, type Sighting } from './discovery.ts'
import { acceptedOf, itemsIn, type Scout, type SeenRead, shownAt } from './scout.ts'

type CursorRole = 'orders.next' | 'list.next'

/** Lists whose cursor the document leaves open. */
const LISTS = ENDPOINT_IDS.filter((op) => cursorRoleOf(op) !== null)

function cursorRoleOf(op: EndpointId): CursorRole | null {
  const next: RoleName | undefined = ENDPOINTS[op].list?.next
  return next === 'orders.next' || next === 'list.next' ? next : null
}

/** A place that may hold a cursor, and the name of the parameter that takes it; null if none was seen to. */
interface Followed {
  readonly op: EndpointId
  readonly role: CursorRole
  readonly at: string
  readonly param: string | null
  readonly sighting: Sighting
  /** The place that says that the list goes on. */
  readonly flag: string | null
}

/**
 * Looks for cursors in places that the runner does not know, where a list says that it goes on. One that leads to another page is
 * found; one that was not seen to is proposed.
 */
export async function learnCursors(scout: Scout): Promise<Finding[]> {
  const followed: Followed[] = []
  for (const op of LISTS) {
    const role = cursorRoleOf(op) as CursorRole
    const first = acceptedOf(scout, op).find(({ subject }) => subject === '')
    if (!first || isKnown(scout, role, first)) continue
    followed.push(...(await followFrom(scout, role, first, followed)))
  }
  for (const one of followed) noteIn(scout, one)
  return (['orders.next', 'list.next'] as const).flatMap((role) =>
    findingsOf(
      role,
      followed.filter((one) => one.role === role),
    ),
  )
}

function isKnown({ run }: Scout, role: CursorRole, { op, answer }: SeenRead & { answer: Answer }): boolean {
  if (toldAddress(run.dialect.settings.roles, role, op) !== undefined) return true
  const found = run.dialect.find(role, answer)
  // The last entry is a guess until it has led on.
  return found.found && !isInLastEntry(found.at)
}

/** More places of one answer are not tried: each takes several calls. */
const MOST_PLACES = 3

async function followFrom(
  scout: Scout,
  role: CursorRole,
  first: SeenRead & { answer: Answer },
  known: readonly Followed[],
): Promise<Followed[]> {
  const { op, answer } = first
  const inEntry = lastEntryOf(answer)
  const places = inEntry ? [inEntry] : cursorCandidates(answer.json).slice(0, MOST_PLACES)
  if (itemsIn(scout, first).length === 0) return []
  const flag = flagOfMore(answer.json)
  const unsure: Followed[] = []
  for (const { at, value } of places) {
    const sighting = { value: at, about: op, evidence: shownAt(first, at, value) }
    // What led on in one list need not be tried again in the next.
    const alike = known.find((one) => one.at === at && one.param !== null)
    const param = alike?.param ?? (await paramThatLeadsOn(scout, first, at, String(value)))
    if (param !== null) return [{ op, role, at, param, sighting, flag }]
    unsure.push({ op, role, at, param: null, sighting, flag })
  }
  return flag === null ? [] : unsure
}

/** The first name under which the cursor leads behind the first page: a page that begins with an entry of it was not led to. */
async function paramThatLeadsOn(
  scout: Scout,
  first: SeenRead & { answer: Answer },
  at: string,
  cursor: string,
): Promise<string | null> {
  const before = new Set(itemsIn(scout, first).map((item) => JSON.stringify(item)))
  const pairs = isAddress(cursor) ? cursorPairs(cursor) : []
  const tries = pairs.length > 0 ? [pairs] : namesFor(at).map((name) => [[name, cursor] as const])
  for (const query of tries) {
    const seen = await scout.read(first.op, { query })
    const [behind] = isAccepted(seen.answer) ? itemsIn(scout, seen) : []
    if (behind !== undefined && !before.has(JSON.stringify(behind))) return cursorNameIn(query) ?? null
  }
  return null
}

/** The usual names, in the style of the key, after what the key itself suggests: `nextStartingAfter` goes with `startingAfter`. */
function namesFor(at: string): string[] {
  const key = lastKeyOf(at)
  const rest = key.replace(/^next[_-]?/i, '')
  const own = rest === '' ? [key] : [rest.charAt(0).toLowerCase() + rest.slice(1), key]
  const camel = (name: string) => name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())
  const usual = /[a-z][A-Z]/.test(key) ? CURSOR_NAMES.map(camel) : CURSOR_NAMES
  return [...new Set([...own, ...usual])]
}

/** The reads that follow use it, too. */
function noteIn({ run: { dialect } }: Scout, { op, role, at, param }: Followed): void {
  if (param === null) return
  dialect.add({
    roles: { [`${op}:${role}`]: at },
    params: { [role === 'orders.next' ? 'orders.cursor' : 'reports.cursor']: param },
  })
}

const PROPOSED = 'a list goes on, and this may lead to its next page: name it under dialect.roles if it does'

/** One finding for all lists if they agree. */
function findingsOf(role: CursorRole, followed: readonly Followed[]): Finding[] {
  const found = followed.filter(({ param }) => param !== null)
  const isOneForAll = role === 'orders.next' || (found.length > 0 && new Set(followed.map(({ at }) => at)).size === 1)
  const roles =
    followed.length > 0 && isOneForAll
      ? [roleFinding(role, found.length > 0 ? found : followed)]
      : followed.map((one) => roleFinding(`${one.op}:${role}`, [one]))
  return [...roles, ...paramFinding(role, found)]
}

/** @param flag the place that says so. */
export function saysThatItGoesOn(flag: string): string {
  return `${flag} says that a list goes on: name what leads to its next page under dialect.roles`
}

/** @param total the place of a number of rows, which is larger than a page. */
export function countsMore(total: string): string {
  return `${total} counts more rows than are shown, and the answer has no cursor: a run does not judge such a list as a whole`
}

function roleFinding(key: string, followed: readonly Followed[]): Finding {
  const isSure = followed.every(({ param }) => param !== null)
  const flag = followed.map(({ flag }) => flag).find((one) => one !== null)
  // Most entries have an id, and few lists go on after it.
  if (!isSure && followed.every(({ at }) => isInLastEntry(at)))
    return findingOf(['dialect', 'roles', key], {
      told: undefined,
      sightings: [],
      nothing: { state: 'needs-dialect', note: saysThatItGoesOn(flag ?? 'a list') },
    })
  const sightings = followed.map(({ sighting }) => sighting)
  return findingOf(['dialect', 'roles', key], {
    told: undefined,
    ...(isSure ? { sightings } : { sightings: [], unclear: sightings }),
    severalNote: PROPOSED,
  })
}

function paramFinding(role: CursorRole, found: readonly Followed[]): Finding[] {
  const param = found[0]?.param
  if (!param || new Set(found.map((one) => one.param)).size > 1) return []
  const sightings = found.map(({ op, sighting }) => ({ value: param, about: op, evidence: sighting.evidence }))
  const name = role === 'orders.next' ? 'orders.cursor' : 'reports.cursor'
  return [findingOf(['dialect', 'params', name], { told: undefined, sightings })]
}
