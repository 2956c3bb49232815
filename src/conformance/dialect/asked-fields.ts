import { isObject } from '../../contract/is-object.ts'
import { wordsIn } from '../../contract/words.ts'
import { type JsonObject, places, plain } from '../http/json-body.ts'
import type { BodyName } from '../target/target-schema.ts'
import { BODY_TEMPLATES, pathsOf, RETURN_URL, setAt } from './body-templates.ts'
import { lastKeyOf } from './place.ts'

/** What a refusal says about the fields of a body, as dotted paths. */
interface Complaint {
  readonly missing: readonly string[]
  readonly unknown: readonly string[]
  /** The words that a field may hold, where the refusal lists them. */
  readonly choices: ReadonlyMap<string, readonly string[]>
  /** Fields that have to be objects or lists. */
  readonly shapes: ReadonlyMap<string, 'object' | 'list'>
}

/** Keys under which services name the field that a message is about. */
const FIELD_KEYS = new Set(
  wordsIn('field param parameter pointer path property loc field_name attr attribute member').map(plain),
)

/** Keys of objects that have a member for each field. */
const BY_FIELD = new Set(wordsIn('errors fields violations field_errors validation_errors').map(plain))

const IS_MISSING = /requir|missing|must|needed|expected|not (?:set|given|present|provided)|blank|empty|null|undefined/i
const IS_UNKNOWN =
  /unknown|unexpected|unrecogni[sz]ed|not (?:allowed|permitted|known|supported|expected|recogni[sz]ed)|not an? (?:\w+ )?(?:member|field|property|key)\b|additional|extraneous/i

/** The field stands beside such a clause: what else it names explains, as in `is required: the public_id of the order`. */
const LACKS_SUBJECT = /^\s*(?:is|are|was)\b/i

/** Words of sentences about fields that are not themselves the names of fields. */
const NOT_NAMES = new Set(
  wordsIn(`
    a an the field fields member members body request json value parameter property properties key keys is are be was must may missing required unknown
    unexpected invalid not please provide and or of in to for with should this that it has have validation error
    failed expected needed additional allowed object string number text one either at least your following blank empty null undefined cannot
  `),
)

/** More of a text is not looked at: a hostile target may send any amount. */
const MOST_CHARACTERS = 2_000

/** Fields as a sentence names them: `item.domainName`, `buyer[email]`, `/data/kind`. */
const NAMES = /[A-Za-z_]\w*(?:\.\w+|\[\w+\]|\/\w+)*/g

/**
 * The fields that a refusal asks for, and those that it does not take.
 *
 * @example complaintIn({ code: 'validation_error', message: 'item.domainName is required.' }).missing // ['item.domainName']
 */
export function complaintIn(json: unknown): Complaint {
  const missing = new Set<string>()
  const unknown = new Set<string>()
  const choices = new Map<string, readonly string[]>()
  const shapes = new Map<string, 'object' | 'list'>()
  for (const { at, key, value } of places(json)) {
    if (isObject(value)) for (const field of fieldsNamedIn(value)) (isUnknownBy(value) ? unknown : missing).add(field)
    for (const [field, what] of saidOf(value)) {
      const words = choicesIn(what)
      if (words.length > 0) choices.set(field, words)
      if (IS_OBJECT.test(what)) shapes.set(field, 'object')
      else if (IS_LIST.test(what)) shapes.set(field, 'list')
    }
    if (typeof value !== 'string' || value.length > MOST_CHARACTERS || FIELD_KEYS.has(plain(key))) continue
    const member = memberByField(at)
    if (member !== null) (IS_UNKNOWN.test(value) ? unknown : missing).add(member)
    for (const clause of withoutLeadIn(value).split(/[;\n]|[.,](?=\s|$)/)) {
      if (IS_UNKNOWN.test(clause)) for (const name of namesIn(clause)) unknown.add(name)
      else if (IS_MISSING.test(clause) && !LACKS_SUBJECT.test(clause))
        for (const name of namesIn(clause).slice(0, 1)) missing.add(name)
    }
  }
  const fields = (names: readonly string[]) => names.filter((name) => FIELD.test(name))
  // Whatever may hold some words is a field, and those words are none.
  const allowed = new Set([...choices.values()].flat())
  const isUnknown = (name: string) => unknown.has(name) && !choices.has(name)
  const asked = fields([...new Set([...missing, ...unknown])]).filter((name) => !isUnknown(name) && !allowed.has(name))
  return { missing: asked, unknown: fields([...unknown].filter(isUnknown)), choices, shapes }
}

/** What a text, or an object about one field, says of a field: `reason: must be one of A, B`. */
function saidOf(value: unknown): (readonly [field: string, what: string])[] {
  if (isObject(value)) {
    const texts = Object.values(value).filter((text): text is string => typeof text === 'string')
    return fieldsNamedIn(value).flatMap((field) =>
      texts.map((text) => [field, text.slice(0, MOST_CHARACTERS)] as const),
    )
  }
  if (typeof value !== 'string' || value.length > MOST_CHARACTERS) return []
  return value.split(/[;\n]/).flatMap((clause) => {
    const [field] = namesIn(clause)
    return field === undefined ? [] : [[field, clause] as const]
  })
}

/**
 * The words that a text lists as allowed, up to the end of its sentence; none where what stands there is not a list of words.
 *
 * @example choicesIn('must be one of FRAUD, DUPLICATE') // ['FRAUD', 'DUPLICATE']
 */
export function choicesIn(text: string): string[] {
  const said = text.slice(0, MOST_CHARACTERS).replace(/\([^()]*\)/g, '')
  const lists = [...said.matchAll(LISTS)].map(([, list = '']) => {
    const words = list.split(/[,|/]|\s(?:or|and)\s/).map((word) => word.replace(/["'`[\]{}\s]+/g, ' ').trim())
    return words.filter((word) => word !== '')
  })
  const areWords = (list: string[]) => list.length > 1 && list.every((word) => /^[A-Za-z][\w-]*$/.test(word))
  return lists.find(areWords) ?? []
}

const LISTS = /\b(?:one of|(?:allowed|accepted|valid|permitted) (?:values?|are)(?: are)?)\b:?(?=([^.;\n]*))/gi

const IS_OBJECT = /(?<!\bnot )\b(?:an?|be|expected) (?:json )?object\b/i
const IS_LIST = /(?<!\bnot )\b(?:an?|be|expected) (?:json |non-?empty )?(?:list|array)\b/i

/** The object that stands for a value where one is asked for: an amount with its currency, what the body is about by its name; else null. */
function inObject(value: unknown): JsonObject | null {
  if (typeof value === 'number') return { amount: value, currency: '${currency}' }
  const subject = /^\$\{(domain|public_id)\}$/.exec(String(value))?.[1]
  return subject === undefined ? null : { [subject]: value }
}

/** What may be the path of a field; a hostile target may name anything. */
const FIELD = /^(?=.{1,80}$)[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*){0,3}$/

/** `{ path: ['item', 'domainName'], message }`, `{ field: 'kind', message }`. */
function fieldsNamedIn(object: JsonObject): string[] {
  return Object.entries(object).flatMap(([key, value]) => {
    if (!FIELD_KEYS.has(plain(key))) return []
    if (typeof value === 'string') return [pathOf(value)]
    const isPath = Array.isArray(value) && value.every((part) => typeof part === 'string')
    return isPath ? [pathOf(value.join('.'))] : []
  })
}

function isUnknownBy(object: JsonObject): boolean {
  return Object.values(object).some((value) => typeof value === 'string' && IS_UNKNOWN.test(value))
}

/** The field of `{ errors: { domainName: ['is required'] } }`; null if a place is not in such an object. */
function memberByField(at: string): string | null {
  const parts = at.split('/')
  const holder = parts.findIndex((part) => BY_FIELD.has(plain(part)))
  const member = holder === -1 ? undefined : parts[holder + 1]
  return member === undefined || /^\d+$/.test(member) ? null : pathOf(member)
}

/** Without the words before a list of complaints, as in `Two members are at fault: listing is required`. A field before a colon is one word. */
function withoutLeadIn(text: string): string {
  const [leadIn = ''] = /^(?:\w+ ){2,}\w+: /.exec(text) ?? []
  const rest = text.slice(leadIn.length)
  const namesField = namesIn(rest.split(/[;,]/)[0] ?? '').length > 0 && !LACKS_SUBJECT.test(rest)
  return namesField && !IS_MISSING.test(leadIn) && !IS_UNKNOWN.test(leadIn) ? rest : text
}

function namesIn(clause: string): string[] {
  const quoted = [...clause.matchAll(/["'`]([^"'`]+)["'`]/g)].flatMap(([, name]) => name ?? [])
  const names = quoted.length > 0 ? quoted : (clause.match(NAMES) ?? [])
  return names.map(pathOf).filter((name) => !NOT_NAMES.has(name.toLowerCase()))
}

/** `/data/kind`, `body.kind` and `buyer[email]` as a dotted path in the body. */
function pathOf(name: string): string {
  const dotted = name.replace(/\[(\w+)\]/g, '.$1').replaceAll('/', '.')
  return dotted.replace(/^[.#]+/, '').replace(/^(?:body|json|payload|\$)\./, '')
}

/** What a field holds that takes any text. */
const FREE_TEXT = 'conformance check'

/** What a field holds, by its name. The first that fits counts. */
const MEANINGS: readonly (readonly [sign: RegExp, value: (name: BodyName, first: JsonObject) => unknown])[] = [
  [/^(?:.*email)$/, (_name, first) => valueUnder(first, 'email') ?? 'buyer@example.com'],
  [/^country/, (_name, first) => valueUnder(first, 'country') ?? 'DE'],
  [/currency/, () => '${currency}'],
  [/budget/, (_name, first) => valueUnder(first, 'budget')],
  [/tier/, (_name, first) => valueUnder(first, 'tier')],
  [/price|amount/, (name) => (name === 'order' ? '${price}' : undefined)],
  [/kind|type/, (_name, first) => valueUnder(first, 'kind')],
  [/product|plan|sku/, (name) => (name === 'link_product' ? 'checkout' : undefined)],
  [/order|publicid/, (name) => (name === 'refund' ? '${public_id}' : undefined)],
  [/reason|note|comment|description/, () => FREE_TEXT],
  [/url|uri/, () => RETURN_URL],
  [/^(?:success|cancel|fail|return|back|abort)/, (name) => (name === 'checkout' ? RETURN_URL : undefined)],
  [/domain|fqdn|host|site/, domainOf],
  [/target|subject|item|name|listing/, (name) => targetOf(name)],
]

const OF_A_DOMAIN: readonly BodyName[] = ['order', 'quote', 'checkout', 'brokerage', 'link_domain']

function targetOf(name: BodyName): unknown {
  if (name === 'link_product') return 'checkout'
  if (name === 'link') return 'conformance'
  return domainOf(name)
}

function domainOf(name: BodyName): string | undefined {
  return OF_A_DOMAIN.includes(name) ? '${domain}' : undefined
}

/** What a body is about, where it lacks that and one field is asked for whose name says nothing. */
function lackedBy(name: BodyName, body: JsonObject, missing: readonly string[]): unknown {
  const subject = name === 'refund' ? '${public_id}' : domainOf(name)
  return missing.length > 1 || [...places(body)].some(({ value }) => value === subject) ? undefined : subject
}

/** Of the words that a field may hold, the one that is meant; the first of them where any will do. */
function oneOf(words: readonly string[] | undefined, meant: unknown): unknown {
  if (words === undefined || isVariable(meant)) return meant
  if (meant === undefined || meant === FREE_TEXT) return words[0]
  const sought = plain(String(meant))
  const near = words.filter((word) => plain(word).includes(sought))
  return near.find((word) => plain(word) === sought) ?? (near.length === 1 ? near[0] : meant)
}

/** What a path is in. @example holderOf('item.domain') // 'item' */
function holderOf(path: string): string {
  return path.split('.').slice(0, -1).join('.')
}

function isVariable(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('${')
}

function valueUnder(template: JsonObject, key: string): unknown {
  return [...places(template)].find((one) => plain(one.key) === key)?.value
}

/**
 * A body with the fields that a refusal asks for, by what their names mean, and without those that it does not take. What it asks
 * for takes the place of the field that has the same value under another name. Null if that changes nothing.
 *
 * @example withFieldsAskedFor('quote', { domain: '${domain}' }, { message: 'domainName is required' }) // { domainName: '${domain}' }
 */
export function withFieldsAskedFor(name: BodyName, template: JsonObject, json: unknown): JsonObject | null {
  const { missing, unknown, choices, shapes } = complaintIn(json)
  const [first] = BODY_TEMPLATES[name] as [JsonObject]
  const body = structuredClone(template) as Record<string, unknown>
  for (const path of unknown) setAt(body, path, undefined)
  for (const path of missing) {
    const key = plain(lastKeyOf(path.replaceAll('.', '/')))
    const meant = MEANINGS.find(([sign]) => sign.test(key))?.[1](name, first) ?? lackedBy(name, body, missing)
    const shape = shapes.get(path)
    // What has to be an object or a list has been given as a text, perhaps; one that does not fit is not the same one again.
    const value = oneOf(choices.get(path), meant) ?? (shape ? body[path] : undefined)
    if (value === undefined || typeof value === 'object' || (shape && typeof body[path] === 'object')) continue
    const inShape = (shape && inObject(value)) ?? value
    const wanted = shape === 'list' ? [inShape] : inShape
    const same = pathsOf(body, (leaf) => leaf === value && typeof value === 'string')
    const twin = same.find((known) => known !== path && ['', holderOf(path)].includes(holderOf(known)))
    if (twin !== undefined && !missing.includes(twin)) setAt(body, twin, undefined)
    setAt(body, path, wanted)
  }
  return JSON.stringify(body) === JSON.stringify(template) ? null : body
}
