import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoint-ids.ts'
import { isObject } from '../../contract/is-object.ts'
import { thingsIn } from '../dialect/dialect.ts'
import { findRole } from '../dialect/find-role.ts'
import { isMoney, type Money, moneyOf, type Unit } from '../dialect/money.ts'
import { pageNumber } from '../dialect/page-numbers.ts'
import { flagOfMore, type Ground, totalBeyond, whatElse } from '../dialect/place.ts'
import { type Found, isKnownByName, type RoleName } from '../format/roles.ts'
import { LIST_OF } from '../format/step-facts.ts'
import { type Answer, isAccepted, isRefused } from '../http/exchange.ts'
import { atPointer, places } from '../http/json-body.ts'
import type { DialectFile, RoleAddress } from '../target/target.ts'
import { type Finding, findingOf, placeInEach, type Sighting } from './discovery.ts'
import { countsMore, saysThatItGoesOn } from './learn-cursors.ts'
import { isInWrites, isOptional, READABLE, readsOf, rolesIn, rolesShownBy } from './readable.ts'
import { acceptedOf, itemsIn, refusalIn, type Scout, type SeenRead, shownAt } from './scout.ts'

/** A role looked for once. */
interface Look {
  readonly op: EndpointId
  readonly role: RoleName
  readonly subject: string
  readonly found: Found
  readonly evidence: Finding['evidence'][number]
  /** The answer, or the item of it, that was looked into. */
  readonly json: unknown
}

/** No more items of a list than these are looked at. */
const MOST_ITEMS = 25

/** Looks for every open role in every answer that was given. */
function lookForRoles(scout: Scout): Look[] {
  return [
    ...ENDPOINT_IDS.flatMap((op) => acceptedOf(scout, op).flatMap((seen) => looksIn(scout, seen))),
    ...errors(scout),
  ]
}

function looksIn(scout: Scout, seen: SeenRead & { answer: Answer }): Look[] {
  const row = rolesShownBy(seen.op)
  const { dialect } = scout.run
  const things = thingsIn(row, seen.answer, dialect.find, MOST_ITEMS)
  const looks = [...things].flatMap(({ roles, ground, at, index }) => {
    const subject = index === null ? seen.subject : `${seen.subject} ${index}`
    return roles.map((role) => look(scout, seen, role, ground, at, subject))
  })
  return looks.filter((one) => isAboutWhatWasAsked(seen, one))
}

/** A domain that was asked for is known by its name: another text under a likely key is something else. */
function isAboutWhatWasAsked({ subject }: SeenRead, { role, found }: Look): boolean {
  if (role !== 'listing.domain' || !found.found) return true
  return typeof found.value === 'string' && found.value.toLowerCase() === subject.toLowerCase()
}

function look(scout: Scout, seen: SeenRead, role: RoleName, ground: Ground, base: string, subject: string): Look {
  const configured = scout.run.dialect.settings.roles
  const free = Object.fromEntries(
    Object.entries(configured).filter(([key]) => key !== role && key !== `${seen.op}:${role}`),
  )
  const found = findRole(free, role, ground)
  const at = found.found ? (found.at.startsWith('header:') ? found.at : base + found.at) : base
  const evidence = shownAt(seen, at, found.found ? shownValue(role, found, ground) : undefined)
  return { op: seen.op, role, subject, found, evidence, json: ground.json }
}

/** Buyers, tokens, and addresses that need no login, must not go into a file that may be committed. */
const PRIVATE: readonly RoleName[] = ['sale.buyer', 'sale.buyer_email', 'case.progress_url', 'quote.token']

/** As it stands in the answer: an instant or an amount was read from it in another form. */
function shownValue(role: RoleName, { at, value }: Found & { found: true }, { json }: Ground): unknown {
  if (PRIVATE.includes(role)) return `(${typeof value}, not shown)`
  return at.startsWith('header:') ? value : atPointer(json, at)
}

/** The places of code and message in every refusal. */
function errors(scout: Scout): Look[] {
  return scout.seen.flatMap((seen) => {
    const { answer } = seen
    if (!isRefused(answer)) return []
    return (['error.code', 'error.message'] as const).map((role) =>
      look(scout, seen, role, answer, '', `${seen.op} ${seen.subject}`),
    )
  })
}

/**
 * One finding for each role, or for each operation where they differ.
 *
 * @param fileRoles what the target file says.
 */
export function learnRoles(scout: Scout, fileRoles: DialectFile['roles']): Finding[] {
  const looks = withUnits(scout, withEqualPrices(lookForRoles(scout)))
  const written = ENDPOINT_IDS.filter((op) => !READABLE[op] && acceptedOf(scout, op).length > 0)
  const roles = new Set<RoleName>([
    ...(['error.code', 'error.message'] as const),
    ...Object.values(READABLE).flatMap(rolesIn),
    ...written.flatMap((op) => rolesIn(rolesShownBy(op))),
  ])
  return [...roles].flatMap((role) => {
    const ofRole = looks.filter((look) => look.role === role)
    return keysOf(role, ofRole, written).map(([key, op]) =>
      roleFinding(scout, role, key, fileRoles, op === null ? ofRole : ofRole.filter((look) => look.op === op)),
    )
  })
}

/** The keys under which a role is found: one for all operations if they agree. */
function keysOf(
  role: RoleName,
  looks: readonly Look[],
  written: readonly EndpointId[],
): (readonly [key: string, op: EndpointId | null])[] {
  const ops = [...readsOf(role), ...written.filter((op) => rolesIn(rolesShownBy(op)).includes(role))]
  const places = new Set(looks.flatMap(({ found }) => (found.found ? [addressText(found)] : [])))
  const everywhere = ops.every((op) => looks.some((look) => look.op === op && look.found.found))
  const isOneForAll = !isInWrites(role) && (ops.length === 1 || (everywhere && places.size === 1))
  if (isOneForAll || role.startsWith('error.')) return [[role, null]]
  return ops.map((op) => [`${op}:${role}`, op])
}

function addressText(found: Found & { found: true }): string {
  return `${found.at} ${isMoney(found.value) ? found.value.unit : ''}`
}

type FoundLook = Look & { found: Extract<Found, { found: true }> }

const SEVERAL = 'several places fit: name the right one under dialect.roles'

const ONE_IN_EACH =
  'each entry has its own, such as one for each currency: none is right for all, so leave the role out'

function roleFinding(
  scout: Scout,
  role: RoleName,
  key: string,
  fileRoles: DialectFile['roles'],
  looks: readonly Look[],
): Finding {
  const hits = looks
    .filter((look): look is FoundLook => look.found.found)
    .sort((a, b) => Number(isEmpty(a)) - Number(isEmpty(b)))
  // One entry of a list inside is not a place for all entries.
  const isInEntry = hits.some(({ found: { at } }) => /\/\d+\//.test(at))
  const unclear = looks.flatMap(({ found, evidence }) =>
    found.found ? [] : (found.places ?? []).map((value) => ({ value, about: null, evidence })),
  )
  const places = [...hits.map(({ found: { at } }) => at), ...unclear.map(({ value }) => value)]
  const [op, another] = new Set(looks.map((look) => look.op))
  const ofOnlyOne = op !== undefined && another === undefined ? fileRoles[`${op}:${role}`] : undefined
  return findingOf(['dialect', 'roles', key], {
    told: fileRoles[key] ?? fileRoles[role] ?? ofOnlyOne,
    sightings: sightingsOf(hits),
    unclear,
    severalNote: new Set(places.map(placeInEach)).size === 1 ? ONE_IN_EACH : SEVERAL,
    nothing: absence(scout, role, key, looks),
    optional: isOptional(role) || hits.length < looks.length || isInEntry,
    isGuessed: isKnownByName(role),
  })
}

/** With the unit of the money there, once every answer agrees about it. */
function sightingsOf(hits: readonly FoundLook[]): Sighting[] {
  const units = new Set(hits.flatMap(({ found: { value } }) => (isMoney(value) && value.unit ? [value.unit] : [])))
  const [unit] = units
  const address = (at: string): RoleAddress => (units.size === 1 && unit !== undefined ? { at, unit } : at)
  return hits.map((hit) => {
    const about = isEmpty(hit) ? null : `${hit.op} ${hit.subject}`
    return { value: address(hit.found.at), about, evidence: hit.evidence }
  })
}

/** An empty list is where it should be and shows nothing of what it holds. */
function isEmpty({ found: { value } }: FoundLook): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Why a role was not found: there was nothing to look at, it may be lacking, or it is in an unlikely place. */
function absence(scout: Scout, role: RoleName, key: string, looks: readonly Look[]): Pick<Finding, 'state' | 'note'> {
  const leadsOn = role === 'list.next' || role === 'orders.next'
  const unnumbered = looks.filter((look) => pageNumber(look) === null)
  const placeIn = (find: (json: unknown) => string | null) =>
    leadsOn ? unnumbered.map(({ json }) => find(json)).find((at) => at !== null) : undefined
  const flag = placeIn(flagOfMore)
  if (flag) return { state: 'needs-dialect', note: saysThatItGoesOn(flag) }
  const total = placeIn(totalBeyond)
  if (total) return { state: 'needs-dialect', note: countsMore(total) }
  if (leadsOn && unnumbered.length < looks.length)
    return { state: 'not-seen', note: 'its pages have numbers, which a run follows by itself' }
  if (looks.length > 0 && isOptional(role)) return { state: 'not-seen', note: 'the answers have none, and need none' }
  if (looks.length > 0)
    return {
      state: 'needs-dialect',
      note: `nothing in the answers fits${others(role, looks)}: name its place under dialect.roles`,
    }
  const [op] = key.includes(':') ? key.split(':') : []
  const asked = scout.seen.filter((seen) => (op === undefined ? readsOf(role).includes(seen.op) : seen.op === op))
  if (asked.length === 0) return { state: 'not-seen', note: 'there was nothing to read it from' }
  if (asked.every(({ answer }) => !isAccepted(answer)))
    return { state: 'not-seen', note: `refused: ${refusalIn(scout, asked[0] as SeenRead)}` }
  const isUnknown = asked.some((seen) => isAccepted(seen.answer) && !hasList(scout, seen))
  return { state: 'not-seen', note: isUnknown ? 'its list was not found' : 'the lists that would show it are empty' }
}

/** What else the answers have that a person could mean. */
function others(role: RoleName, looks: readonly Look[]): string {
  const json = looks.find((look) => !isEmptyList(look.json))?.json
  const told = json === undefined ? '' : whatElse(role, json)
  return told === '' ? '' : ` (they have ${told})`
}

function isEmptyList(json: unknown): boolean {
  return Array.isArray(json) && json.length === 0
}

function hasList({ run }: Scout, { op, answer }: SeenRead): boolean {
  const list = LIST_OF[op]
  return list === undefined || !answer || run.dialect.find(list, answer).found
}

/** A price whose key says nothing is the one number of an answer that another answer has as the price of the same domain. */
function withEqualPrices(looks: readonly Look[]): Look[] {
  const prices = new Map(
    looks.flatMap((look) => {
      const price = look.role === 'listing.price' ? moneyIn(look) : null
      return price ? [[look.subject, price]] : []
    }),
  )
  return looks.map((look) => {
    const price = prices.get(look.subject)
    if (look.role !== 'listing.price' || look.found.found || !price?.amount) return look
    const alike = [...places(look.json)].filter(({ value }) => typeof value !== 'object' && sameAmount(value, price))
    const [only] = alike
    return only && alike.length === 1 ? { ...look, found: { found: true, value: price, at: only.at } } : look
  })
}

function sameAmount(value: unknown, price: Money): boolean {
  const money = moneyOf(value)
  return money !== null && money.amount === price.amount
}

/**
 * Gives amounts that do not say their unit the one that the target shows: in whole units is what has a fraction or what the target
 * file says; else an order shows it, which the document counts in cents, beside the price of its domain or its row. Where that
 * is cents in one place and whole units in another, an amount has the unit of its own operation, or of its own kind of thing
 * elsewhere; one that nothing shows stays open. Only amounts of one form show each other's unit: beside texts with a fraction
 * and a currency, a plain number is as often in cents.
 */
function withUnits(scout: Scout, looks: readonly Look[]): Look[] {
  const sold = new Map([...pricedAt(looks), ...soldFor(scout)])
  const shown = looks.map((look) =>
    moneyIn(look)?.unit === 'units' ? 'units' : (unitTold(scout, look) ?? unitShown(scout, look, sold)),
  )
  const only = (units: readonly (Unit | null)[]) => {
    const [unit = null, other] = new Set(units.filter((one) => one !== null))
    return other === undefined ? unit : null
  }
  return looks.map((look) => {
    const money = moneyIn(look)
    if (!money || money.unit !== null || !look.found.found) return look
    const among = (isLike: (other: Look) => boolean) =>
      only(shown.filter((_, at) => isLike(looks[at] as Look) && formOf(looks[at] as Look) === formOf(look)))
    const unit =
      among(() => true) ?? among(({ op }) => op === look.op) ?? among(({ role }) => nounIn(role) === nounIn(look.role))
    return { ...look, found: { ...look.found, value: { ...money, unit } } }
  })
}

function unitTold({ run }: Scout, { op, role }: Look): Unit | null {
  const { roles } = run.dialect.settings
  const address = roles[`${op}:${role}`] ?? roles[role]
  return typeof address === 'object' ? (address.unit ?? null) : null
}

/** Whether an amount is written as a number, as a text or as an object of which keys. */
function formOf({ json, found }: Look): string {
  const written = found.found ? atPointer(json, found.at) : undefined
  return isObject(written) ? Object.keys(written).sort().join() : typeof written
}

function nounIn(role: RoleName): string | undefined {
  return role.split('.')[0]
}

function moneyIn({ found }: Look): Money | null {
  return found.found && isMoney(found.value) ? found.value : null
}

/** The unit that makes an amount without one what an order of the same thing was sold for; null if none does. */
function unitShown(scout: Scout, look: Look, sold: ReadonlyMap<string, number>): Unit | null {
  const money = moneyIn(look)
  const cents = sold.get(soldAs(scout, look) ?? '')
  if (!money || money.unit !== null || cents === undefined || cents === 0) return null
  if (money.amount === cents) return 'cents'
  return Math.round(money.amount * 100) === cents ? 'units' : null
}

/** The domain or the order that an amount is the price of. */
function soldAs(scout: Scout, { role, subject, json, op }: Look): string | null {
  if (role === 'listing.price') return subject
  if (role !== 'transaction.amount' && role !== 'sale.amount') return null
  const { dialect } = scout.run
  const found = dialect.find(op === 'me.sales' ? 'sale.order' : 'transaction.order', { json, op })
  return found.found ? String(found.value) : null
}

/** What each domain is listed for, in cents, where an answer says so in whole units. */
function pricedAt(looks: readonly Look[]): [string, number][] {
  return looks.flatMap((look): [string, number][] => {
    const money = look.role === 'listing.price' ? moneyIn(look) : null
    return money?.unit === 'units' ? [[look.subject, Math.round(money.amount * 100)]] : []
  })
}

/** What each order on the list was sold for, by its id and by its domain. */
function soldFor(scout: Scout): Map<string, number> {
  const { dialect } = scout.run
  const sold = new Map<string, number>()
  const op = 'orders.list'
  for (const seen of acceptedOf(scout, op)) {
    for (const json of itemsIn(scout, seen)) {
      const price = dialect.find('order.sale_price_cents', { json, op })
      if (!price.found || typeof price.value !== 'number') continue
      for (const key of ['order.public_id', 'order.domain'] as const) {
        const found = dialect.find(key, { json, op })
        if (found.found) sold.set(String(found.value), price.value)
      }
    }
  }
  return sold
}
