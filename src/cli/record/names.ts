import type { Template } from '../../conformance/scenario.ts'
import { jsonOf, type Recorded, type RecordedCall, splitTarget } from './history.ts'

/** A domain of a recording, and what the scenario takes in its place. */
export interface RecordedDomain {
  /** `sellable`, `sellable[1]` or `unlisted`; null if the name itself is what counts. */
  fixture: string | null
  /** The listing's price when it was first seen; null if it is not known. */
  priceCents: number | null
}

/** The name a call is about, in its path, query or body. */
export function domainOf(call: RecordedCall): string | null {
  const [path, query] = splitTarget(call.target)
  if (call.endpoint === 'domains.detail') return decodeURIComponent(path.split('/').at(-1) ?? '')
  const inQuery = call.endpoint === 'domains.search' ? null : new URLSearchParams(query).get('domain')
  const inBody = (jsonOf(call.body) as { domain?: unknown } | null | undefined)?.domain
  return inQuery ?? (typeof inBody === 'string' ? inBody : null)
}

/**
 * Ordinary listed domains become domains that a run leases, unlisted ones the run's unlisted one, and magic ones stay what they are.
 *
 * @param isMagic whether a name behaves in a way of its own.
 * @param listedPrice the price that the operator knows for a name; null if it is not listed.
 */
export async function recordedDomains(
  happened: readonly Recorded[],
  isMagic: (name: string) => boolean,
  listedPrice: (name: string) => Promise<number | null>,
): Promise<Map<string, RecordedDomain>> {
  const names = new Set(happened.flatMap((one) => nameIn(one) ?? []))
  // What such a name did to its first call is said otherwise or left out, so that an ordinary name takes its place.
  const tricky = new Set(
    happened.flatMap((one) =>
      one.kind === 'call' && one.mishap !== null && one.fault === null ? (nameIn(one) ?? []) : [],
    ),
  )
  const keepsName = (name: string) => isMagic(name) && !tricky.has(name)
  const prices = new Map<string, number | null>()
  for (const name of names) prices.set(name, firstPrice(happened, name) ?? (await listedPrice(name)))
  const leased = [...names].filter((name) => !keepsName(name) && prices.get(name) !== null)
  const fixtureOf = (name: string): string | null => {
    if (keepsName(name)) return null
    if (!leased.includes(name)) return 'unlisted'
    return leased.length === 1 ? 'sellable' : `sellable[${leased.indexOf(name)}]`
  }
  return new Map([...names].map((name) => [name, { fixture: fixtureOf(name), priceCents: prices.get(name) ?? null }]))
}

function nameIn(one: Recorded): string | null {
  if (one.kind === 'call') return domainOf(one)
  return one.kind === 'sale' ? one.domain : (one.params['name'] ?? null)
}

const PRICE_FIELDS = ['price_cents', 'buy_now_price_cents', 'sale_price_cents']

function firstPrice(happened: readonly Recorded[], name: string): number | null {
  const calls = happened.filter((one) => one.kind === 'call').filter((call) => domainOf(call) === name)
  const prices = calls.flatMap(({ answer }) => PRICE_FIELDS.map((field) => answer[field]))
  return prices.find((price) => typeof price === 'number') ?? null
}

/** A price as so much more or less than the listing's, since the scenario will have another domain. */
export function priceExpression({ fixture, priceCents }: RecordedDomain, price: number): Template {
  if (fixture === null || priceCents === null) return price
  const difference = price - priceCents
  if (difference === 0) return `\${${fixture}.price}`
  return `\${${fixture}.price ${difference > 0 ? '+' : '-'} ${Math.abs(difference)}}`
}

/**
 * What the values of a recording are called in its scenario: an id that a call was given becomes a reference to that call, so
 * that the scenario runs in any world.
 */
export interface Names {
  /** From now on this text is written as that expression. */
  learn(text: unknown, expression: string): void
  /** Whether there is an expression for this text. */
  knows(text: string): boolean
  /** A value with every known text in it replaced, at any depth. */
  rename(value: unknown): Template
}

/** Nothing shorter is taken for an id. */
const SHORTEST = 6

export function createNames(): Names {
  const known = new Map<string, string>()

  function renameText(text: string): string {
    const whole = known.get(text)
    if (whole !== undefined) return `\${${whole}}`
    // Literal text must not be taken for a reference.
    let renamed = text.replaceAll('${', '$${')
    for (const [part, expression] of known) {
      if (part.length >= SHORTEST) renamed = renamed.replaceAll(part, `\${${expression}}`)
    }
    return renamed
  }

  function rename(value: unknown): Template {
    if (typeof value === 'string') return renameText(value)
    if (Array.isArray(value)) return value.map(rename)
    if (typeof value !== 'object' || value === null) return value as Template
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, rename(inner)]))
  }

  return {
    learn(text, expression) {
      if (typeof text === 'string' && text !== '' && !known.has(text)) known.set(text, expression)
    },
    knows: (text) => known.has(text),
    rename,
  }
}
