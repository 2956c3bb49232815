import { isErrorCode } from '../../contract/errors.ts'
import { headerIn } from '../../contract/headers.ts'
import { isObject } from '../../contract/is-object.ts'
import { wordsIn } from '../../contract/words.ts'
import { type Found, ROLES, type RoleName, type RoleRow } from '../format/roles.ts'
import { DOMAIN, shown } from '../format/values.ts'
import { atPointer, escapedKey, type JsonObject, places, plain } from '../http/json-body.ts'
import type { DialectFile } from '../target/target.ts'
import { lastEntryOf } from './last-entry.ts'
import { moneyOf, sameMoney } from './money.ts'
import {
  absent,
  ambiguous,
  CURSORS,
  cursorInHeaders,
  fits,
  flagOf,
  type Ground,
  type Hit,
  here,
  holdsItems,
  INSIDE_AN_ENTRY,
  isInEntry,
  keySet,
  lastKeyOf,
  membersOf,
  NEXT,
  nextInLinkList,
  OFFSET,
  PAGES,
  SIZE,
  saysThatNothingFollows,
  toldAddress,
  unwrapped,
  valueAt,
  wordOfProblem,
} from './place.ts'
import { NAMED_STATES } from './words.ts'

/** What answers are wrapped in. Keys are compared without case, `_` and `-`, so that `_embedded` is among them. */
const WRAPPERS = [
  '',
  ...wordsIn(`
    data result response payload item attributes body content resource node embedded data/data data/item
    data/attributes data/result result/data response/data response/result payload/data
  `),
]

/**
 * Finds the value of a role: where the target file says, else at the plausible places, else the only one in the
 * whole answer. Several candidates are ambiguous: never a guess. Of a role of lists, it is a list.
 *
 * @example findRole({}, 'order.public_id', { json: { order: { public_id: 'ord_1' } }, op: 'orders.detail' })
 */
export function findRole<Value = unknown>(roles: DialectFile['roles'], name: RoleName, ground: Ground): Found<Value> {
  const address = toldAddress(roles, name, ground.op)
  if (name === 'error.code' && address === undefined) return findErrorCode(ground) as Found<Value>
  const row = ROLES[name]
  let found: Found
  if (address === undefined)
    found =
      (name === 'error.message' ? besideCode(ground) : null) ??
      byShape(name, ground) ??
      atLikelyPlace(name, ground) ??
      bySign(name, ground) ??
      anywhere(name, ground)
  else {
    const { at, unit } = typeof address === 'string' ? { at: address, unit: undefined } : address
    const value = valueAt(name, at, ground)
    // Some serializers write an empty list so, and the document shows the form of few lists.
    if (
      row.kind === 'list' &&
      !row.documented &&
      (value === null || (value === undefined && embedsNothing(name, ground)))
    )
      return { found: true, value: [] as Value, at }
    if (value === undefined || value === null) {
      // The target file says where it is, so its absence is certain; unless a list of currencies has fewer entries at times.
      const detail = `the target file places ${name} at ${at || 'the root'}, but the answer has nothing there`
      return { found: false, why: 'absent', detail, documented: row.kind !== 'money' || !isInEntry(at) }
    }
    if (row.kind === 'flag' && !row.documented && flagOf(value) === null) {
      const detail = `${name} at ${at} is ${shown(value)}, which is not known here as a word for yes or no`
      return { found: false, why: 'absent', detail, documented: false }
    }
    // Some services write a list as an object with a member for each entry, which looks like any other object.
    const isMap = row.kind === 'list' && !row.documented && isObject(value) && Object.values(value).every(isObject)
    found = here(row, at, isMap ? Object.values(value) : value, unit)
  }
  if (row.kind !== 'list') return found as Found<Value>
  if (found.found && !Array.isArray(found.value))
    return { found: false, why: 'absent', detail: `${name} at ${found.at} is not a list`, documented: false }
  if (found.found || found.why === 'ambiguous' || found.documented) return found as Found<Value>
  const only = onlyList(ground)
  return only ? { found: true, value: only.value as Value, at: only.at } : (found as Found<Value>)
}

/** The only list of an answer, but for those that an envelope may have of its own, such as warnings. */
function onlyList({ json }: Ground): Hit | undefined {
  const lists = [...places(json, 4)].filter(
    ({ at, value }) => Array.isArray(value) && (value.length === 0 || value.some(isObject)) && !isInEntry(at),
  )
  const own = lists.length === 1 ? lists : lists.filter(({ key }) => !OF_ENVELOPES.has(plain(key)))
  const [only, another] = own.length === 1 ? own : own.filter(({ value }) => isOfRows(value as unknown[]))
  return another ? undefined : only
}

/** Beside the rows, there may be totals for each currency; a list without entries may be anything. */
function isOfRows(list: readonly unknown[]): boolean {
  return list.length > 0 && !list.every(isAmount)
}

/** An amount and its currency, and nothing else. */
function isAmount(value: unknown): boolean {
  if (!isObject(value)) return false
  const keys = Object.keys(value)
  return keys.length === 2 && keys.some((key) => /currency/i.test(key)) && moneyOf(value) !== null
}

/** Lists of an envelope that are about the call. */
const OF_ENVELOPES = keySet('warnings errors messages notices links')

const CODE_PLACES = wordsIn(`
  /code /error/code /errors/0/code /error /error_code /errorCode /error/error_code /detail/code /data/code
  /error/type /type
`)

const CODE_HEADERS = ['x-error-code', 'error-code', 'x-error', 'x-problem-code']

/** The documented code of an answer, in any place; else the value at the usual place for codes. */
function findErrorCode(ground: Ground): Found {
  const usual: Hit[] = CODE_PLACES.map((at) => ({ at, value: atPointer(ground.json, at) })).filter(
    ({ value }) => typeof value === 'string',
  )
  const documented = usual.find(({ value }) => isErrorCode(value))
  if (documented) return { found: true, ...documented }
  const hits = [...places(ground.json)].filter(({ value }) => isErrorCode(value))
  const [first] = hits
  if (first && new Set(hits.map(({ value }) => value)).size === 1)
    return { found: true, value: first.value, at: first.at }
  if (hits.length > 1) return ambiguous('error.code', hits, null)
  const problem = inProblemType(ground)
  if (problem) return { found: true, ...problem }
  const header = CODE_HEADERS.find((name) => isErrorCode(headerIn(ground.headers, name)))
  if (header !== undefined) return { found: true, value: headerIn(ground.headers, header), at: `header:${header}` }
  // A code that the document does not list, where the refusal has one at all (ERR-01).
  const own = usual.find(({ value }) => IS_CODE.test(String(value))) ?? onlyNamed('code', ground)
  if (own) return { found: true, value: own.value, at: own.at }
  return { found: false, why: 'absent', detail: 'the answer has no code', documented: true }
}

const IS_CODE = /^[\w.-]{2,64}$/

/** The only value of this name, however deep it lies: the name is the document's. */
function onlyNamed(name: string, { json }: Ground): Hit | undefined {
  const hits = [...places(json)].filter(({ key, value }) => plain(key) === name && IS_CODE.test(String(value)))
  return hits.length === 1 ? hits[0] : undefined
}

function inProblemType({ json }: Ground): Hit | null {
  for (const at of ['/type', '/error/type', '/errors/0/type']) {
    const word = wordOfProblem(atPointer(json, at))
    if (word !== null) return { at, value: word }
  }
  return null
}

/** The message in the object that has the code: other texts of an answer are about other things. */
function besideCode(ground: Ground): Found | null {
  const code = findErrorCode(ground)
  if (!code.found || code.at.startsWith('header:')) return null
  const at = code.at.slice(0, code.at.lastIndexOf('/'))
  const value = atPointer(ground.json, at)
  if (!isObject(value)) return null
  const row = ROLES['error.message']
  return row.names.flatMap((key) => inHolder({ at, value }, key, row)).find((one) => one.at !== code.at) ?? null
}

/** At a likely place, under a likely name. */
export function atLikelyPlace(name: RoleName, ground: Ground): Found | null {
  const row = ROLES[name]
  if (row.names.length === 0) {
    // A role without key names is the object that holds what its first noun is known by.
    const known = name === 'order' ? 'public_id' : 'domain'
    if (isObject(ground.json) && Object.hasOwn(ground.json, known)) return here(row, '', ground.json)
    const hits = [...places(ground.json)].filter(({ value }) => isObject(value) && Object.hasOwn(value, known))
    const [first] = hits
    if (first && hits.length === 1) return here(row, first.at, first.value)
    const why = hits.length > 1 ? 'ambiguous' : 'absent'
    return { found: false, why, detail: `no single object with ${known} is in the answer`, documented: false }
  }
  if (typeof ground.json === 'string' && row.kind === 'text' && name.endsWith('.domain'))
    return here(row, '', ground.json)
  const names = namesIn(name, ground)
  for (const holder of holders(row, ground.json)) {
    const hits = names.flatMap((key) => inHolder(holder, key, row))
    const [first] = hits
    if (!first) continue
    const rivals = row.rivals && hits.length > 1 ? rivalsOf(row.rivals, hits) : []
    const differing = rivals.filter(({ value }) => !saysTheSame(first.value, value))
    if (differing.length > 0) return ambiguous(name, [first, ...differing], ground.op)
    const also = rivals.map((rival) => rival.at)
    return { found: true, ...(CURSORS.has(name) ? unwrapped(first) : first), also }
  }
  if (row.kind === 'list' && Array.isArray(ground.json) && !name.includes('timeline')) return here(row, '', ground.json)
  return null
}

/** The key names of a role. Where an answer says that it has no next page, a cursor in it is that of this page. */
function namesIn(name: RoleName, { json }: Ground): readonly string[] {
  const { names } = ROLES[name]
  return CURSORS.has(name) && saysThatNothingFollows(json) ? names.filter((key) => NEXT.has(plain(key))) : names
}

/** Of values that give themselves away, the key does not matter: the one under a known name, else the only one there is. */
export function byShape(name: RoleName, ground: Ground): Found | null {
  const { shape, names } = ROLES[name]
  if (!shape) return null
  const hits = [...places(ground.json)].filter(({ value }) => typeof value === 'string' && shape.test(value))
  const named = hits.find((one) => names.some((known) => namesOf(one, ground).includes(plain(known))))
  const hit = named ?? hits[0]
  if (!hit) return null
  if (named || new Set(hits.map(({ value }) => value)).size === 1) return { found: true, value: hit.value, at: hit.at }
  return ambiguous(name, hits, ground.op)
}

/** The key of a member, and what the link that it belongs to says of itself: `{ rel: 'progress', href }`. */
function namesOf({ at, key }: Hit & { key: string }, { json }: Ground): string[] {
  const relation = atPointer(json, `${at.slice(0, at.lastIndexOf('/'))}/rel`)
  return [key, ...(typeof relation === 'string' ? [relation] : [])].map(plain)
}

/** A page of HAL has its links, and leaves what it embeds out where that is nothing. Whatever else could hold entries may be the list. */
function embedsNothing(name: RoleName, { json }: Ground): boolean {
  if (!name.endsWith('.items') || ROLES[name].documented || !isObject(json) || !isObject(json._links)) return false
  const others = Object.entries(json).filter(([key]) => key !== '_links' && !OF_PAGES.has(plain(key)))
  return others.every(([, value]) => typeof value !== 'object' || value === null)
}

/** What a page says of itself. */
const OF_PAGES = keySet('page paging pagination meta')

/** Values that show what they are: the header that leads to the next page, a page that embeds nothing, the step of a funnel that has a name, the only domain. */
export function bySign(name: RoleName, ground: Ground): Found | null {
  const cursor = CURSORS.has(name)
    ? (nextInLinkList(ground.json) ?? cursorInHeaders(ground) ?? lastEntryOf(ground))
    : null
  if (cursor) return { found: true, ...cursor }
  if (embedsNothing(name, ground)) return { found: true, value: [], at: '/_embedded' }
  if (name.startsWith('funnel.')) return inSteps(name, ground)
  if (name === 'timeline.status' || name === 'transaction.status') return onlyState(ground)
  if (name === 'listing.currency') return onlyTextLike((text) => CURRENCIES.has(text), ground)
  return name.endsWith('.domain') && !ROLES[name].documented ? onlyTextLike((text) => DOMAIN.test(text), ground) : null
}

export const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Whatever its key is: the one domain in an answer, or in an entry of a list, is the one that this is about. */
function onlyTextLike(isLike: (text: string) => boolean, ground: Ground): Found | null {
  const hits = [...places(ground.json)].filter(({ value }) => typeof value === 'string' && isLike(value))
  const [first] = hits
  return first && new Set(hits.map(({ value }) => value)).size === 1
    ? { found: true, value: first.value, at: first.at }
    : null
}

/** Whatever its key is: the one member of an entry that is a state of the document. */
function onlyState({ json }: Ground): Found | null {
  const hits = [...places(json, 2)].filter(({ value }) => NAMED_STATES.includes(String(value)))
  const [first] = hits
  return first && hits.length === 1 ? { found: true, value: first.value, at: first.at } : null
}

/** Other places in the same object that mean the role as well as the first does. */
function rivalsOf(keys: readonly string[], [first, ...others]: readonly Hit[]): readonly Hit[] {
  const equal = keys.map(plain)
  const isRival = ({ at }: Hit) => equal.includes(plain(lastKeyOf(at)))
  return first && isRival(first) ? others.filter(isRival) : []
}

export function saysTheSame(a: unknown, b: unknown): boolean {
  const [one, other] = [moneyOf(a), moneyOf(b)]
  return one && other ? sameMoney(one, other) : JSON.stringify(a) === JSON.stringify(b)
}

/** Objects an answer may keep a role in, the likeliest first. */
function* holders(row: RoleRow, json: unknown): Generator<Holder> {
  for (const wrapper of WRAPPERS) {
    const wrapped = holderAt({ at: '', value: json }, wrapper)
    if (!wrapped) continue
    for (const noun of [...row.of, '']) {
      const holder = holderAt(wrapped, noun)
      if (!holder) continue
      const { attributes, type } = holder.value
      // JSON:API puts the type of a thing beside its attributes; there `type` is a word of the envelope.
      if (isObject(attributes) && typeof type === 'string') yield { at: `${holder.at}/attributes`, value: attributes }
      yield holder
    }
  }
}

interface Holder {
  readonly at: string
  readonly value: JsonObject
}

/** The object at a path whose keys may be written otherwise, and where it really is. */
function holderAt({ at, value }: Hit, path: string): Holder | null {
  for (const part of path === '' ? [] : path.split('/')) {
    const [member] = (isObject(value) && membersOf(value).get(plain(part))) || []
    if (!member) return null
    at += `/${escapedKey(member[0])}`
    value = member[1]
  }
  return isObject(value) ? { at, value } : null
}

function inHolder(holder: Holder, name: string, row: RoleRow): ReturnType<typeof here>[] {
  if (row.kind === 'money' && isNumberOfRows(name, holder.value)) return []
  if (isMetaOfEnvelope(name, holder) || (holder.at === '' && isStatusOfCall(name, holder.value))) return []
  const member = membersOf(holder.value)
    .get(plain(name))
    ?.find(([, value]) => fits(row, value))
  return member ? [here(row, `${holder.at}/${escapedKey(member[0])}`, member[1])] : []
}

/** `meta` beside what an answer is wrapped in is about the answer. */
function isMetaOfEnvelope(name: string, { at, value }: Holder): boolean {
  return name === 'meta' && at === '' && wraps(value)
}

/** A status beside what an answer is wrapped in says how the call ended. What has an id beside its status is the thing itself. */
function isStatusOfCall(key: string, holder: unknown): boolean {
  if (plain(key) !== 'status' || !isObject(holder) || !wraps(holder)) return false
  const [, word] = membersOf(holder).get('status')?.[0] ?? []
  return OUTCOMES.test(String(word)) && !Object.keys(holder).some((beside) => OF_A_THING.test(beside))
}

function wraps(value: JsonObject): boolean {
  return ENVELOPES.some((wrapper) => holderAt({ at: '', value }, wrapper))
}

/** What names a thing that the run makes, or a part of its name. */
const OF_A_THING = /^(public|order|case|quote|link|session|refund)?_?id$/i

const ENVELOPES = wordsIn('data result response payload body')

/** How a call ended, as envelopes say it. */
const OUTCOMES = /^(ok|success(ful)?|succeeded|accepted|created|done|\d{3})$/i

/** A total beside what is about pages counts the rows on all of them, and so is not an amount. */
function isNumberOfRows(key: string, holder: unknown): boolean {
  if (plain(key) !== 'total' || !isObject(holder)) return false
  return Object.keys(holder).some((beside) => ABOUT_PAGES.has(plain(beside)))
}

const ABOUT_PAGES = new Set(['page', ...PAGES, ...SIZE, ...OFFSET])

/** Under a likely name at any place, if that is the only one. */
export function anywhere(name: RoleName, ground: Ground): Found {
  const row = ROLES[name]
  const names = new Set(namesIn(name, ground).map(plain))
  const hits: ReturnType<typeof here>[] = []
  for (const { at, key, value } of places(ground.json)) {
    // A cursor inside an entry of a list is about that entry.
    const named =
      names.has(plain(key)) &&
      fits(row, value) &&
      !(CURSORS.has(name) && INSIDE_AN_ENTRY.test(at)) &&
      !isStatusOfCall(key, at === `/${key}` ? ground.json : null) &&
      !(row.kind === 'money' && isNumberOfRows(key, atPointer(ground.json, at.slice(0, at.lastIndexOf('/')))))
    const onlyList = row.kind === 'list' && row.itemHas !== undefined && holdsItems(row, value)
    if (named || onlyList) hits.push(here(row, at, value))
  }
  const values = new Set(hits.map(({ value }) => JSON.stringify(value)))
  const [first] = hits
  if (first && values.size === 1) return { ...first, also: hits.slice(1).map(({ at }) => at) }
  return hits.length > 1 ? ambiguous(name, hits, ground.op) : absent(name, ground, row.documented === true)
}

/** A step of a funnel that is a list: the number beside the word for it. */
function inSteps(name: RoleName, ground: Ground): Found | null {
  const row = ROLES[name]
  if (row.kind !== 'number') return null
  const words = row.names.map(singular)
  const hits = [...places(ground.json)].flatMap(({ at, value }) => {
    if (!isObject(value) || !Object.values(value).some((word) => words.includes(singular(word)))) return []
    const numbers = Object.entries(value).filter(([, number]) => typeof number === 'number')
    const [only] = numbers
    return only && numbers.length === 1 ? [{ at: `${at}/${escapedKey(only[0])}`, value: only[1] }] : []
  })
  const [first] = hits
  return first && hits.length === 1 ? { found: true, ...first } : null
}

function singular(word: unknown): string {
  return typeof word === 'string' ? plain(word).replace(/s$/, '') : ''
}
