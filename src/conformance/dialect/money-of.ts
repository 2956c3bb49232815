import { isObject, type JsonObject } from '../http/json-body.ts'
import { plain } from './place.ts'

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

type Unit = NonNullable<Money['unit']>

/** What was read while one expectation was judged. A place is an operation and a role: `pricing:listing.price`. */
export interface Reading {
  /** Places of amounts whose unit neither the answer nor the target file shows. */
  readonly open: Set<string>
  /** Places that the runner found without a hint. */
  readonly guessed: Set<string>
  /** Units that are supposed for open places, to see whether they explain a failure. */
  readonly supposed: ReadonlyMap<string, Unit>
  /** The item that an `includes` was satisfied with. */
  fitted?: unknown
}

export function newReading(supposed: Reading['supposed'] = new Map()): Reading {
  return { open: new Set(), guessed: new Set(), supposed }
}
