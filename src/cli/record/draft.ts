import type { CredentialChoice, Scenario, Step } from '../../conformance/format/scenario.ts'
import { literal, type Template } from '../../conformance/format/values.ts'
import { wellFormed } from '../../contract/canonical-string.ts'
import { ENDPOINTS } from '../../contract/endpoints.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { isObject } from '../../contract/is-object.ts'
import { bodyOf, type History, pathOf, queryOf, type Recorded, type RecordedCall } from './history.ts'

/** A scenario while it is written. */
export class Draft {
  readonly history: History
  readonly domains: ReadonlyMap<string, RecordedDomain>
  readonly names = new Names()
  /** Variables of the scenario for idempotency keys that more than one call has. */
  readonly keys: ReadonlyMap<string, string>
  readonly steps: Step[] = []
  readonly leftOut: string[] = []
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
  readonly #counts = new Map<string, number>()

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

/** A domain of a recording, and what the scenario takes in its place. */
export interface RecordedDomain {
  /** `sellable`, `sellable[1]` or `unlisted`; null if the name itself is what counts. */
  fixture: string | null
  /** The listing's price when it was first seen; null if it is not known. */
  priceCents: number | null
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
  return new Map([...prices].map(([name, priceCents]) => [name, { fixture: fixtureOf(name), priceCents }]))
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
  const prices = calls.flatMap(({ answered }) => PRICE_FIELDS.map((field) => answered[field]))
  return prices.find((price) => typeof price === 'number') ?? null
}

/** A price as so much more or less than the listing's, since the scenario will have another domain. */
export function priceExpression({ fixture, priceCents }: RecordedDomain, price: number): Template {
  if (fixture === null || priceCents === null) return price
  const difference = price - priceCents
  if (difference === 0) return `\${${fixture}.price}`
  return `\${${fixture}.price ${difference > 0 ? '+' : '-'} ${Math.abs(difference)}}`
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
