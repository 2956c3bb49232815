import type { Recorded, RecordedCall } from './history.ts'
import { jsonOf } from './history.ts'

/** A domain of a recording, and what the scenario takes in its place. */
export interface RecordedDomain {
  /** `sellable`, `sellable[1]` or `unlisted`; null where the name itself is what counts. */
  fixture: string | null
  /** The listing's price when it was first seen; null where nobody has said it. */
  priceCents: number | null
}

/** The name a call is about, in its path, query or body. */
export function domainOf(call: RecordedCall): string | null {
  const [path = '', query = ''] = splitTarget(call.target)
  const inPath = call.endpoint === 'domains.detail' ? decodeURIComponent(path.split('/').at(-1) ?? '') : null
  const inQuery = call.endpoint === 'domains.search' ? null : new URLSearchParams(query).get('domain')
  const body = jsonOf(call.body)
  const inBody = typeof body === 'object' && body !== null ? (body as { domain?: unknown }).domain : undefined
  return inPath ?? inQuery ?? (typeof inBody === 'string' ? inBody : null)
}

/**
 * Ordinary listed domains become domains that a run leases, unlisted ones the run's unlisted one, and magic ones stay what they are.
 *
 * @param isMagic whether a name behaves in a way of its own.
 * @param listedPrice the price that the operator knows for a name; null where it is not listed.
 */
export async function recordedDomains(
  history: readonly Recorded[],
  isMagic: (name: string) => boolean,
  listedPrice: (name: string) => Promise<number | null>,
): Promise<Map<string, RecordedDomain>> {
  const names = new Set<string>()
  // What such a name did to its first call is said otherwise or left out, so that an ordinary name takes its place.
  const tricky = new Set<string>()
  for (const happened of history) {
    const name =
      happened.kind === 'call'
        ? domainOf(happened)
        : happened.kind === 'sale'
          ? happened.domain
          : (happened.params['name'] ?? null)
    if (name !== null) names.add(name)
    if (name !== null && happened.kind === 'call' && happened.mishap !== null && happened.fault === null)
      tricky.add(name)
  }
  const keepsName = (name: string) => isMagic(name) && !tricky.has(name)
  const prices = new Map<string, number | null>()
  for (const name of names) prices.set(name, firstPrice(history, name) ?? (await listedPrice(name)))
  const leased = [...names].filter((name) => !keepsName(name) && prices.get(name) !== null)
  const fixtureOf = (name: string): string | null => {
    if (keepsName(name)) return null
    const index = leased.indexOf(name)
    if (index === -1) return 'unlisted'
    return leased.length === 1 ? 'sellable' : `sellable[${index}]`
  }
  return new Map([...names].map((name) => [name, { fixture: fixtureOf(name), priceCents: prices.get(name) ?? null }]))
}

const PRICE_FIELDS = ['price_cents', 'buy_now_price_cents', 'sale_price_cents']

function firstPrice(history: readonly Recorded[], name: string): number | null {
  for (const happened of history) {
    if (happened.kind !== 'call' || domainOf(happened) !== name) continue
    const answer = (happened.answer ?? {}) as Record<string, unknown>
    const price = PRICE_FIELDS.map((field) => answer[field]).find((value) => typeof value === 'number')
    if (price !== undefined) return price as number
  }
  return null
}

export function splitTarget(target: string): [path: string, query: string] {
  const mark = target.indexOf('?')
  return mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)]
}
