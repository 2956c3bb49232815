import type { CredentialChoice, Scenario, Step } from '../../conformance/format/scenario.ts'
import { literal, type Template } from '../../conformance/format/values.ts'
import { wellFormed } from '../../contract/canonical-string.ts'
import { ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { isObject } from '../../contract/is-object.ts'
import { grouped } from '../../contract/words.ts'
import { bodyOf, type History, pathOf, queryOf, type Recorded, type RecordedCall } from './history.ts'

/** A scenario while it is written. */
export class Draft {
  readonly history: History
  readonly domains: ReadonlyMap<string, RecordedDomain>
  readonly names = new Names()
  /** Variables of the scenario for idempotency keys that more than one call has. */
  readonly keys: ReadonlyMap<string, string>
  steps: Step[] = []
  readonly leftOut: LeftOut[] = []
  readonly effects: NonNullable<Scenario['effects']> = {}
  /** Step ids by request id. */
  readonly ids = new Map<string, string>()
  /** Who opened each checkout session. */
  readonly openers = new Map<unknown, CredentialChoice>()
  /** Orders and cases that the main partner made here: their events are looked for at the end. */
  readonly subjects: string[] = []
  /** Those of them that a hosted checkout sold. */
  readonly hosted = new Set<string>()
  latestOrder: string | null = null
  /** World time at which webhooks were registered first; null before. */
  registeredAtMs: number | null = null
  /** Calls before all others: they ask for the prices of magic domains. */
  looks: (Step & { id: string })[] = []
  readonly #counts = new Map<string, number>()
  readonly #lookIds = new Map<string, string>()
  /** Roles of earlier steps by domain and price. */
  readonly #seenPrices = new Map<string, string>()

  constructor(history: History, domains: ReadonlyMap<string, RecordedDomain>, keys: ReadonlyMap<string, string>) {
    this.history = history
    this.domains = domains
    this.keys = keys
    for (const [name, { fixture }] of domains) if (fixture !== null) this.names.learn(name, `${fixture}.domain`)
  }

  /** The calls that were logged before this one. */
  callsBefore(call: RecordedCall): RecordedCall[] {
    const { happened } = this.history
    return happened.slice(0, happened.indexOf(call)).filter((one) => one.kind === 'call')
  }

  /** Remembers the price that a step was answered with. */
  notePrice(call: RecordedCall, op: EndpointId, step: string): void {
    const row: Endpoint = ENDPOINTS[op]
    const price = pricesIn(call)[0]
    const isListing = row.method === 'GET' && row.subject?.kind === 'domain'
    if (call.status >= 300 || price === undefined || !(isListing || row.creates?.kind === 'quote')) return
    this.#seenPrices.set(`${domainOf(call)} ${price}`, `${step}.${isListing ? 'listing' : 'quote'}.price`)
  }

  /** A price in relation to the listing's, which another domain or another world has at another price. */
  priceOf(name: string | null | undefined, cents: number): Template {
    const domain = this.domains.get(name ?? '')
    // What is not a price stays what it is.
    if (!name || !domain || domain.priceCents === null || !Number.isSafeInteger(cents) || cents <= 0) return cents
    if (domain.fixture !== null) return priceExpression(`${domain.fixture}.price`, domain, cents)
    const seen = this.#seenPrices.get(`${name} ${cents}`)
    return seen === undefined ? priceExpression(`${this.#lookAt(name)}.listing.price`, domain, cents) : `\${${seen}}`
  }

  /** The step that asks for the price of a magic domain before anything else happens. */
  #lookAt(name: string): string {
    const known = this.#lookIds.get(name)
    if (known !== undefined) return known
    const id = this.nextId('price')
    this.#lookIds.set(name, id)
    this.looks.push({ id, call: { op: 'availability', query: { domain: name } } })
    return id
  }

  operate(action: NonNullable<Step['operator']>): void {
    this.steps.push({ operator: action })
  }

  nextId(name: string): string {
    const stem = name.replaceAll('.', '_')
    return `${stem}_${this.#count(stem)}`
  }

  /** Notes one more order of a domain. @returns whether the partner had one before. */
  sellsAgain(as: CredentialChoice, domain: unknown): boolean {
    return this.#count(`${as === 'other_partner' ? as : 'main'} ${domain}`) > 1
  }

  #count(what: string): number {
    const count = (this.#counts.get(what) ?? 0) + 1
    this.#counts.set(what, count)
    return count
  }
}

/** Something that a scenario cannot repeat. */
interface LeftOut {
  what: string
  why: string | null
}

/** One sentence for each reason, in the order in which they came up. */
export function leftOutInWords(leftOut: readonly LeftOut[]): string[] {
  return [...grouped(leftOut, ({ what, why }) => why ?? what).values()].map((group) => {
    const [{ what, why } = { what: '', why: null }] = group
    if (why === null) return group.length === 1 ? what : `${what} (${group.length} times)`
    return `${group.length === 1 ? what : `${group.length} calls, the first ${what}`}: ${why}`
  })
}

/** A domain of a recording, and what the scenario takes in its place. */
export interface RecordedDomain {
  /** `sellable`, `sellable[1]` or `unlisted`; null if the name itself is what counts. */
  fixture: string | null
  /** The listing's price when it was first seen; null if it is not known. */
  priceCents: number | null
  /** Prices below it in the recording, highest first. */
  lowerCents: readonly number[]
}

/** The domain that a call names. */
export function domainOf(call: RecordedCall): string | null {
  const subject = call.endpoint && ENDPOINTS[call.endpoint].subject
  if (!call.endpoint || subject?.kind !== 'domain') return null
  const { name } = subject
  const named = pathOf(call, call.endpoint)[name] ?? queryOf(call).get(name) ?? bodyOf(call)?.[name]
  return typeof named === 'string' ? wellFormed(named) : null
}

/**
 * Ordinary listed domains become domains that a run leases, unlisted ones the run's unlisted one, and magic ones stay what they are.
 * So does what no call got beyond validation with: it may be no domain name at all.
 *
 * @param isMagic whether a name behaves in a way of its own.
 * @param listedPrice the price that the operator knows for a name; null if it is not listed.
 */
export async function recordedDomains(
  happened: readonly Recorded[],
  isMagic: (name: string) => boolean,
  listedPrice: (name: string) => Promise<number | null>,
): Promise<Map<string, RecordedDomain>> {
  // What such a name did to its first call is said otherwise or left out, so that an ordinary name takes its place.
  const tricky = new Set(
    happened.map((one) => (one.kind === 'call' && one.mishap !== null && one.fault === null ? domainOf(one) : null)),
  )
  const keepsName = (name: string) => isMagic(name) && !tricky.has(name)
  const prices = new Map<string, number | null>()
  for (const name of new Set(happened.flatMap((one) => nameIn(one) ?? [])))
    prices.set(name, firstPrice(happened, name) ?? (await listedPrice(name)))
  const leased = [...prices].flatMap(([name, price]) => (keepsName(name) || price === null ? [] : [name]))
  const invalid = namesOnlyRefused(happened, 'validation_error')
  const fixtureOf = (name: string): string | null => {
    if (keepsName(name)) return null
    if (!leased.includes(name)) return invalid.has(name) ? null : 'unlisted'
    return leased.length === 1 ? 'sellable' : `sellable[${leased.indexOf(name)}]`
  }
  return new Map(
    [...prices].map(([name, priceCents]) => {
      const lowerCents = priceCents === null ? [] : pricesBelow(happened, name, priceCents)
      return [name, { fixture: fixtureOf(name), priceCents, lowerCents }]
    }),
  )
}

/** Prices of a domain below this one that a partner or the operator sent, highest first. */
function pricesBelow(happened: readonly Recorded[], name: string, priceCents: number): number[] {
  const sent = happened.map((one) => {
    if (nameIn(one) !== name || one.kind === 'sale') return null
    return one.kind === 'call' ? bodyOf(one)?.['expected_price'] : one.body['price_cents']
  })
  const lower = sent.filter((price): price is number => typeof price === 'number' && price < priceCents)
  return [...new Set(lower)].sort((a, b) => b - a)
}

/** Names that every call with them was refused for with this code. */
function namesOnlyRefused(happened: readonly Recorded[], code: ErrorCode): Set<string> {
  const refused = (one: Recorded) => one.kind === 'call' && one.code === code
  const others = new Set(happened.flatMap((one) => (refused(one) ? [] : (nameIn(one) ?? []))))
  return new Set(happened.flatMap((one) => nameIn(one) ?? []).filter((name) => !others.has(name)))
}

function nameIn(one: Recorded): string | null {
  if (one.kind === 'call') return domainOf(one)
  return one.kind === 'sale' ? one.domain : (one.params['name'] ?? null)
}

const PRICE_FIELDS = ['price_cents', 'buy_now_price_cents', 'sale_price_cents']

function firstPrice(happened: readonly Recorded[], name: string): number | null {
  const calls = happened.filter((one) => one.kind === 'call').filter((call) => domainOf(call) === name)
  return calls.flatMap(pricesIn)[0] ?? null
}

function pricesIn({ answered }: RecordedCall): number[] {
  return PRICE_FIELDS.map((field) => answered[field]).filter((price) => typeof price === 'number')
}

/** In cents. */
const LOWER_BY = 100

/**
 * A price as so much more or less than the listing's. A lower price keeps its place among the lower ones, not its
 * distance: the domain of the scenario may cost less than that.
 */
function priceExpression(listing: string, { priceCents, lowerCents }: RecordedDomain, cents: number): Template {
  const difference = cents - (priceCents ?? cents)
  if (difference === 0) return `\${${listing}}`
  return difference > 0
    ? `\${${listing} + ${difference}}`
    : `\${${listing} - ${LOWER_BY * (1 + lowerCents.indexOf(cents))}}`
}

/** A shorter text does not count as an id. */
const SHORTEST = 6

/**
 * What the values of a recording are called in its scenario: an id that a call was given becomes a reference to that call, so
 * that the scenario runs in any world.
 */
class Names {
  readonly #known = new Map<string, string>()

  /** From now on this text is written as that expression. */
  learn(text: unknown, expression: string): void {
    if (typeof text === 'string' && text !== '' && !this.#known.has(text)) this.#known.set(text, expression)
  }

  /** The reference to something that an earlier step made; null if none did. */
  reference(text: string | null | undefined): string | null {
    const expression = this.#known.get(text ?? '')
    return expression === undefined ? null : `\${${expression}}`
  }

  /** A value with every known text in it replaced, at any depth. */
  rename(value: unknown): Template {
    if (typeof value === 'string') return this.reference(value) ?? this.#renamedParts(value)
    if (Array.isArray(value)) return value.map((item) => this.rename(item))
    return isObject(value) ? this.renameMembers(value) : (value as Template)
  }

  renameMembers(members: Readonly<Record<string, unknown>>): Record<string, Template> {
    return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, this.rename(value)]))
  }

  /** What was recorded is a literal, but for the ids in it. `$` in front of a reference would make it a literal, too. */
  #renamedParts(text: string): string {
    const parts = [...this.#known.keys()].filter((part) => part.length >= SHORTEST && text.includes(part))
    if (parts.length === 0) return literal(text)
    // Of two ids that begin alike the longer one is meant.
    parts.sort((a, b) => b.length - a.length)
    const ids = new RegExp(`(?<!\\$)(${parts.map(escapeRegExp).join('|')})`)
    return text
      .split(ids)
      .map((piece, at) => (at % 2 === 0 ? literal(piece) : this.reference(piece)))
      .join('')
  }
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
