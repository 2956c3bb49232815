import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoint-ids.ts'
import { ENDPOINTS, type Endpoint } from '../../contract/endpoints.ts'
import { type Found, isInWordsOfDocument, isKnownByName, ROLE_NAMES, ROLES, type RoleName } from '../format/roles.ts'
import { LIST_OF } from '../format/step-facts.ts'
import { type Answer, isAccepted } from '../http/exchange.ts'
import type { JsonObject } from '../http/json-body.ts'
import type { DialectFile } from '../target/target.ts'
import { anywhere, atLikelyPlace, byShape, bySign, findRole, saysTheSame } from './find-role.ts'
import type { Units } from './money.ts'
import { absent, ambiguous, type Ground, holderOf, lastKeyOf, readAt, toldAddress } from './place.ts'
import { WORD_ROLES } from './words.ts'

/**
 * How a target says things: what the target file says, and what its answers have shown. The runner looks for a place when an
 * answer comes in, and nowhere else; later readers get the value that is there.
 */
export interface Dialect {
  /** The value of a role in an answer or in an entry of a list in it; of a role of lists, the entries. */
  find<Value = unknown>(name: RoleName, ground: Ground): Found<Value>
  /** The entries of the list in an answer, by default the one that its operation answers with; none where it has no such list. */
  entriesOf(answer: Answer, list?: RoleName): readonly unknown[]
  /** The code of a refusal; null if it has none. */
  codeOf(answer: Answer | null): unknown
  /** Whether nothing but a likely name leads to a role at this place: neither the document, nor a person, nor what its values look like. */
  isGuessed(name: RoleName, op: EndpointId | null, at: string): boolean
  /** What the target calls a role: the keys of its places that are known by now. */
  wordsFor(name: RoleName): readonly string[]
  /** The target's own words that answers have shown, by the roles that have such. */
  readonly words: ReadonlyMap<RoleName, ReadonlySet<string>>
  /** Notes where roles are that the target file does not place, and words. */
  learn(answer: Answer, exchange: string): void
  /** What the target file says, and where it says nothing, what else was found out. */
  readonly settings: DialectFile
  /** Adds what is not in the settings yet. */
  add(more: Partial<DialectFile>): void
  readonly units: Units
  /** What calls have found out where the target file says nothing: names of parameters by operation, null if none had an effect. */
  readonly params: Map<string, Promise<string | null>>
  /** The same for how dates are written. */
  readonly dateForms: Map<string, Promise<(instant: string) => string>>
  /** The bodies that are taken, by operation and kind. */
  readonly bodies: Map<string, Promise<JsonObject>>
  /** The words of places that the runner found without a hint and that a check has shown to be right. */
  readonly confirmed: Set<string>
  /** Operations that do not give longer pages where they are asked for. */
  readonly shortPages: Set<EndpointId>
  /** The cursor's name in each operation, if the runner had to find it. */
  readonly cursorNames: Map<EndpointId, string>
}

/** At most this many entries of one list are looked at. */
const MOST_ENTRIES = 200

/** A hostile target may list any number of entries, of any length. */
const MOST_SEEN = 2_000
const LONGEST_ENTRY = 2_000

/** What the answers of an operation have shown. */
interface Shown {
  readonly roles: Map<RoleName, ShownPlaces>
  /**
   * Entries of lists that have shown nothing new since anything was learned of the operation: to look at one of them again would show
   * nothing either. A run reads the same rows again and again.
   */
  readonly seen: Map<readonly RoleName[], Set<string>>
  /** Of the roles of an answer or an entry, those that the settings do not place. */
  readonly untold: Map<readonly RoleName[], readonly RoleName[]>
}

/** @param file what the target file says. */
export function createDialect(file: Partial<DialectFile>): Dialect {
  const settings = withAdded(NOTHING_SAID, file)
  // A target file that places one amount in whole units means whole units elsewhere, too.
  const inUnits = Object.values(settings.roles).some((role) => typeof role === 'object' && role.unit === 'units')
  const units: Units = { price: settings.priceUnit, amount: inUnits ? 'units' : null, at: new Map() }
  const shown = new Map<EndpointId, Shown>()
  const words = new Map<RoleName, Set<string>>()
  const isTold = (name: RoleName, op: EndpointId | null) => toldAddress(settings.roles, name, op) !== undefined

  const find = <Value>(name: RoleName, ground: Ground): Found<Value> => {
    // A refusal says its code in a word of the document, which is known in any place.
    if (ground.op === null || name.startsWith('error.') || isTold(name, ground.op))
      return findRole(settings.roles, name, ground)
    const known = shown.get(ground.op)?.roles.get(name) ?? { places: [], unclear: null }
    const found =
      byShape(name, ground) ?? atShownPlace(name, known, ground) ?? bySign(name, ground) ?? known.unclear ?? null
    if (found) return found as Found<Value>
    const [first] = known.places
    const more = first && `; in ${first.exchange} it was ${first.at || 'the whole body'}`
    return absent(name, ground, ROLES[name].documented === true, more) as Found<Value>
  }

  return {
    find,
    entriesOf(answer, list = answer.op ? LIST_OF[answer.op] : undefined) {
      const found = list && find<readonly unknown[]>(list, answer)
      return found?.found ? found.value : []
    },
    codeOf(answer) {
      const found = answer && find('error.code', answer)
      return found?.found ? found.value : null
    },
    isGuessed(name, op, at) {
      return isKnownByName(name) && !isTold(name, op) && !isInWordsOfDocument(name, at)
    },
    wordsFor(name) {
      const told = Object.entries(settings.roles).filter(([key]) => key === name || key.endsWith(`:${name}`))
      const places = [...shown.values()].flatMap(({ roles }) => roles.get(name)?.places ?? [])
      const addresses = told.flatMap(([, role]) => role ?? [])
      const at = [
        ...addresses.map((role) => (typeof role === 'string' ? role : role.at)),
        ...places.map((one) => one.at),
      ]
      return [...new Set(at.map(lastKeyOf))].filter((key) => key !== '')
    },
    learn(answer, exchange) {
      const { op } = answer
      if (op === null || !isAccepted(answer)) return
      const known = shown.get(op) ?? { roles: new Map(), seen: new Map(), untold: new Map() }
      shown.set(op, known)
      const things = thingsIn(SHOWN_ROLES[op], answer, find, MOST_ENTRIES)
      for (const { roles, ground, index } of things) {
        const untold = known.untold.get(roles) ?? roles.filter((name) => !isTold(name, op))
        known.untold.set(roles, untold)
        const withWords = WORD_ROLES.filter((name) => roles.includes(name))
        if (untold.length === 0 && withWords.length === 0) continue
        const entry = index === null ? null : JSON.stringify(ground.json)
        const alike = known.seen.get(roles) ?? new Set()
        if (entry !== null && alike.has(entry)) continue
        let isNews = false
        for (const name of untold) isNews = learnRole(name, known.roles, ground, exchange) || isNews
        for (const name of withWords) noteWord(words, name, find(name, ground))
        if (isNews) known.seen.clear()
        else if (entry !== null && alike.size < MOST_SEEN && entry.length <= LONGEST_ENTRY)
          known.seen.set(roles, alike.add(entry))
      }
    },
    words,
    settings,
    add(more) {
      Object.assign(settings, withAdded(settings, more))
      for (const { untold } of shown.values()) untold.clear()
      units.price ??= settings.priceUnit
    },
    units,
    params: new Map(),
    dateForms: new Map(),
    bodies: new Map(),
    confirmed: new Set(),
    shortPages: new Set(),
    cursorNames: new Map(),
  }
}

const MOST_WORDS = 50
const LONGEST_WORD = 60

function noteWord(words: Map<RoleName, Set<string>>, name: RoleName, found: Found): void {
  const known = words.get(name) ?? new Set()
  words.set(name, known)
  if (found.found && typeof found.value === 'string' && known.size < MOST_WORDS && found.value.length <= LONGEST_WORD)
    known.add(found.value)
}

const NOTHING_SAID: DialectFile = {
  priceUnit: null,
  params: {},
  bodies: {},
  roles: {},
  statuses: {},
  paymentModels: {},
}

/**
 * What was said first, and more where it says nothing. A role that names no operation counts for every operation.
 *
 * @example withAdded({ ...first, roles: { 'listing.price': '/a' } }, more).roles['pricing:listing.price'] // undefined
 */
export function withAdded(first: DialectFile, more: Partial<DialectFile>): DialectFile {
  const roles = Object.entries(more.roles ?? {}).filter(
    ([key]) => first.roles[key.slice(key.indexOf(':') + 1)] === undefined,
  )
  return {
    priceUnit: first.priceUnit ?? more.priceUnit ?? null,
    params: { ...more.params, ...first.params },
    bodies: { ...more.bodies, ...first.bodies },
    roles: { ...Object.fromEntries(roles), ...first.roles },
    statuses: { ...more.statuses, ...first.statuses },
    paymentModels: { ...more.paymentModels, ...first.paymentModels },
  }
}

/** @returns whether the role was shown in a new way. */
function learnRole(name: RoleName, known: Map<RoleName, ShownPlaces>, ground: Ground, exchange: string): boolean {
  const own = known.get(name) ?? { places: [], unclear: null }
  known.set(name, own)
  const found = isSettled(name, own, ground, known) ? null : searched(name, own, ground)
  return found !== null && takenOver(name, own, ground, found, exchange)
}

/** Whether an answer can show nothing new of a role: its place is known there, or it is missing there. */
function isSettled(
  name: RoleName,
  own: ShownPlaces,
  ground: Ground,
  known: Iterable<[RoleName, ShownPlaces]>,
): boolean {
  const isKnown = own.places.length > 0 && ROLES[name].documented === true
  if (isKnown && (atShownPlace(name, own, ground) || isBeside(name, own, ground, known))) return true
  return byShape(name, ground) !== null
}

function searched(name: RoleName, { places }: ShownPlaces, ground: Ground): Found | null {
  const likely = atLikelyPlace(name, ground)
  // An unlikely place will do as well, where it is the only one and no other is known.
  if (likely || places.length > 0 || bySign(name, ground)) return likely
  return ROLES[name].kind === 'list' ? findRole({}, name, ground) : anywhere(name, ground)
}

/** Takes what was found over into what was shown before. @returns whether it is new. */
function takenOver(name: RoleName, own: ShownPlaces, ground: Ground, found: Found, exchange: string): boolean {
  const candidates = found.found ? [found.at, ...(found.also ?? [])] : (found.places ?? [])
  const place = own.places.find(({ at }) => (found.found ? at === found.at : candidates.includes(at)))
  if (found.found) {
    const wasUnclear = own.unclear !== null
    own.unclear = null
    if (place) return noteRivals(place, candidates) || wasUnclear
    // The search found this one before any known place.
    const next = own.places.findIndex(({ at }) => readAt(name, at, ground) !== null)
    const shown = { at: found.at, rivals: new Set(found.also), exchange }
    own.places.splice(next === -1 ? own.places.length : next, 0, shown)
    return true
  }
  if (place) return noteRivals(place, candidates)
  if (own.places.length > 0 || found.why !== 'ambiguous') return false
  const isNews = JSON.stringify(own.unclear) !== JSON.stringify(found)
  own.unclear = found
  return isNews
}

/** Where a role of an operation is, as far as answers have shown. */
interface ShownPlaces {
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
function atShownPlace(name: RoleName, { places }: ShownPlaces, ground: Ground): Found | null {
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

/** @returns whether one of them was not known to be a rival of the place. */
function noteRivals({ at, rivals }: ShownPlace, candidates: readonly string[]): boolean {
  const before = rivals.size
  for (const other of candidates) if (other !== at) rivals.add(other)
  return rivals.size > before
}

/** Whether something else of an answer is where it was next to the role: then its layout is the known one, and the role is missing. */
function isBeside(name: RoleName, shown: ShownPlaces, ground: Ground, others: Iterable<[RoleName, ShownPlaces]>) {
  const holders = shown.places.map(({ at }) => holderOf(at))
  return [...others].some(
    ([other, { places }]) =>
      other !== name && places.some(({ at }) => holders.includes(holderOf(at)) && readAt(other, at, ground) !== null),
  )
}

/** The roles that answers of an operation show: of the answer itself, and of each entry of the lists in it. */
interface ShownRoles {
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
  const lists = answer.filter((role) => ROLES[role].kind === 'list')
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
  find: Dialect['find'],
  most: number,
): Generator<Thing> {
  yield { ground: answer, roles: own, at: '', index: null }
  for (const { of, roles } of lists) {
    const found = find<readonly unknown[]>(of, answer)
    if (!found.found) continue
    for (const [index, json] of found.value.slice(0, most).entries())
      yield { ground: { json, op: answer.op }, roles, at: `${found.at}/${index}`, index }
  }
}
