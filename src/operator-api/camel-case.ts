/** `start-transfer` and `partner_id` are `startTransfer` and `partnerId` in code. */
export type CamelCase<Name extends string> = Name extends `${infer Head}${'-' | '_'}${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

/** @example camelCase('start-transfer') // 'startTransfer' */
export function camelCase(name: string): string {
  return name.replace(/[-_]([a-z])/g, (_mark, letter: string) => letter.toUpperCase())
}

/** Options as code writes them: camelCase members, and dates for instants. */
export type CamelCased<Wire> = Wire extends readonly unknown[]
  ? Wire
  : Wire extends object
    ? { [Name in keyof Wire as Name extends string ? CamelCase<Name> : Name]: CamelValue<Name, Wire[Name]> }
    : Wire

type InstantName = 'from' | 'to' | 'now' | 'clock' | 'since' | 'until'

type CamelValue<Name, Value> = Name extends InstantName
  ? string extends Value
    ? Value | Date
    : Value
  : CamelCased<Value>

/**
 * Writes options as the operator API takes them: members in snake_case, dates as ISO 8601 texts, and nothing that was
 * left undefined.
 *
 * @example toWire({ settleEvery: '7d', clock: new Date(0) }) // { settle_every: '7d', clock: '1970-01-01T00:00:00.000Z' }
 */
export function toWire(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(toWire)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([name, inner]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), toWire(inner)]),
  )
}

/** The members of a body, as code names them. @example fromWire({ price_cents: 900 }) // { priceCents: 900 } */
export function fromWire<Wire extends object>(wire: Wire): CamelCased<Wire> {
  return Object.fromEntries(Object.entries(wire).map(([name, value]) => [camelCase(name), value])) as CamelCased<Wire>
}

/** The query string of options, with its question mark; empty if none is given. */
export function queryOf(filter: unknown): string {
  const pairs = Object.entries(toWire(filter) as Record<string, unknown>).map(([name, value]) => [name, String(value)])
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}
