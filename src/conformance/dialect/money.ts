import { isObject } from '../../contract/is-object.ts'
import type { GuessedPlace } from '../format/expectations/check.ts'
import { type JsonObject, plain } from '../http/json-body.ts'

export interface Money {
  amount: number
  /** Null if the answer does not show it. */
  unit: 'cents' | 'units' | null
}

/**
 * Reads an amount: a number, a numeric text with or without its currency, or an object that holds one.
 *
 * @example moneyOf({ amount: '65.00', currency: 'USD' }) // { amount: 65, unit: 'units' }
 */
export function moneyOf(value: unknown): Money | null {
  if (typeof value === 'number' && Number.isFinite(value))
    return { amount: value, unit: Number.isInteger(value) ? null : 'units' }
  if (typeof value === 'string') return moneyIn(value)
  if (!isObject(value)) return null
  const { unit, amount } = value
  if ((unit === null || unit === 'cents' || unit === 'units') && typeof amount === 'number') return { amount, unit }
  return scaled(value) ?? wholeAndRest(value) ?? keyed(value)
}

/** What a text says beside its number: a sign or a word of the currency, before or behind. */
const DECORATED =
  /^(?:[A-Z]{3} ?|[$€£¥] ?)?(-?\d{1,15}(?:\.\d{1,4})?|-?\d{1,3}(?:,\d{3})+(?:\.\d{1,4})?)(?: ?[A-Z]{3}| ?[$€£¥])?$/

function moneyIn(text: string): Money | null {
  const digits = DECORATED.exec(text)?.[1]
  if (digits === undefined) return null
  // A target that writes the currency's sign beside a number means whole units of it.
  const unit = digits.includes('.') || /[$€£¥,]/.test(text) ? 'units' : null
  return { amount: Number(digits.replaceAll(',', '')), unit }
}

/** `{ amount: 6500, exponent: 2 }`: the number of decimal places that are part of the amount. */
function scaled(value: JsonObject): Money | null {
  const places = value.exponent ?? value.precision ?? value.scale ?? value.decimals
  const amount = value.amount ?? value.value
  if (typeof places !== 'number' || typeof amount !== 'number' || !Number.isInteger(amount)) return null
  return Math.abs(places) === 2 ? { amount, unit: 'cents' } : { amount: amount / 10 ** Math.abs(places), unit: 'units' }
}

const NANOS_A_UNIT = 1e9

/** `{ units: 65, nanos: 500000000 }`. */
function wholeAndRest({ units, nanos = 0 }: JsonObject): Money | null {
  const whole = moneyOf(typeof units === 'object' ? null : units)
  if (!whole || typeof nanos !== 'number') return null
  return { amount: whole.amount + nanos / NANOS_A_UNIT, unit: 'units' }
}

const MONEY_KEYS: readonly (readonly [string, Money['unit']])[] = [
  ['amountcents', 'cents'],
  ['cents', 'cents'],
  ['minor', 'cents'],
  ['minorunits', 'cents'],
  ['amountminor', 'cents'],
  ['amountinminorunits', 'cents'],
  ['valuecents', 'cents'],
  ['amountincents', 'cents'],
  ['centamount', 'cents'],
  ['amount', null],
  ['unitamount', null],
  ['value', null],
]

function keyed(value: JsonObject): Money | null {
  const entries = Object.entries(value).map(([key, inner]) => [plain(key), inner] as const)
  for (const [wanted, unit] of MONEY_KEYS) {
    const inner = entries.find(([key]) => key === wanted)?.[1]
    if (typeof inner !== 'number' && typeof inner !== 'string') continue
    const money = moneyOf(inner)
    if (money) return { amount: money.amount, unit: unit ?? money.unit }
  }
  return null
}

/** The same amount with what its key says about the unit. */
export function withUnitOfKey(key: string, money: Money): Money {
  return /cents$|minor(units)?$/.test(plain(key)) ? { amount: money.amount, unit: 'cents' } : money
}

/** Whether two amounts may be one and the same, written in two units. */
export function sameMoney(a: Money, b: Money): boolean {
  if (a.unit === b.unit || a.unit === null || b.unit === null) {
    if (a.amount === b.amount) return true
  }
  const isCents = (money: Money, other: Money) => money.unit === 'cents' && other.unit !== 'cents'
  if (isCents(a, b)) return Math.round(b.amount * 100) === a.amount
  if (isCents(b, a)) return Math.round(a.amount * 100) === b.amount
  return false
}

export type Unit = NonNullable<Money['unit']>

/** The units that a target counts in, as far as its file says them or its answers have shown them. */
export interface Units {
  /** Of expected_price; null until an order was accepted or the target file says so. */
  price: Unit | null
  /** Of amounts that do not say it; null until a fraction, the target file or an order shows it. */
  amount: Unit | null
  /** What orders are sold for, where no listing says it; null until a refusal names it. */
  currency?: string
  /** The same of single places (see Reading). */
  readonly at: Map<string, Unit>
}

/**
 * An amount in cents. Its unit is what the answer or the target file says, else what this place has shown before, else that of the
 * target's other amounts, else cents. An amount in whole units is evidence for all that say nothing.
 */
export function centsOf(units: Units, { amount, unit }: Money, place: string, reading?: Reading): number {
  if (unit === 'units') noteUnit(units, place, 'units')
  if (unit === null) reading?.open.add(place)
  const counted = unit ?? reading?.supposed.get(place) ?? unitAt(units, place)
  return counted === 'units' ? Math.round(amount * 100) : amount
}

/** The unit of the amounts at a place that do not say it, by all that is known so far. */
export function unitAt({ amount, at }: Units, place: string): Unit {
  return at.get(place) ?? amount ?? 'cents'
}

export function noteUnit(units: Units, place: string, unit: Unit): void {
  if (!units.at.has(place)) units.at.set(place, unit)
  units.amount ??= unit
}

/**
 * A price that says no unit is in the one in which it is what its domain is listed for: a target may count in cents in one place
 * and in whole units in another.
 */
export function noteUnitByPrice(
  { at }: Units,
  place: string,
  { amount, unit }: Money,
  listedCents: readonly number[],
): void {
  if (unit !== null || at.has(place)) return
  const [isCents, isUnits] = [listedCents.includes(amount), listedCents.includes(Math.round(amount * 100))]
  if (isCents !== isUnits) at.set(place, isCents ? 'cents' : 'units')
}

/** Cents in the unit of expected_price. */
export function inPriceUnit({ price }: Units, cents: number): number {
  return price === 'units' ? cents / 100 : cents
}

export function isMoney(value: unknown): value is Money {
  return isObject(value) && typeof value.amount === 'number' && 'unit' in value && Object.keys(value).length === 2
}

/** What was read while one expectation was judged. A place is an operation and a role: `pricing:listing.price`. */
export interface Reading {
  /** Places of amounts whose unit neither the answer nor the target file shows. */
  readonly open: Set<string>
  /** Places that the runner found without a hint, by their words. */
  readonly guessed: Map<string, GuessedPlace>
  /** Amounts that are in one entry of a list: another entry may have that of another currency. */
  readonly inEntries: Set<string>
  /** Units that are supposed for open places, to see whether they explain a failure. */
  readonly supposed: ReadonlyMap<string, Unit>
  /** The item that an `includes` was satisfied with. */
  fitted?: unknown
}

export function newReading(supposed: Reading['supposed'] = new Map()): Reading {
  return { open: new Set(), guessed: new Map(), inEntries: new Set(), supposed }
}
