import { isObject } from '../../../contract/is-object.ts'
import { amountOf } from '../../output/outline.ts'
import { membersOf, type OutputRow, recordsIn } from '../../output/records.ts'
import { type Column, fields, money, table } from '../../output/table.ts'

/**
 * The facts of one order, case or session for a person: amounts as in tables, a buyer in a line.
 *
 * @example facts({ sale_price_cents: 65_000, currency: 'USD' }) // 'sale_price  USD 650.00\ncurrency    USD\n'
 */
export function facts(shown: OutputRow): string {
  return fields(Object.entries(shown).map(([name, value]) => fact(name, value, shown['currency'])))
}

function fact(name: string, value: unknown, currency: unknown): readonly [name: string, value: unknown] {
  // Lists call it by what it is the id of.
  if (name === 'public_id') return ['order', value]
  // An amount in cents whose name does not say so: the document names it.
  if (name === 'budget') return [name, money(value, currency)]
  if (name === 'buyer' && isObject(value)) return [name, buyerLine(value)]
  return amountOf(name, value, currency)
}

/** @example buyerLine({ email: 'ada@example.test', name: 'Ada', country: 'SE' }) // 'Ada <ada@example.test>, SE' */
function buyerLine({ email, name, country }: OutputRow): string {
  const isNamed = typeof name === 'string' && name !== ''
  const who = isNamed && email ? `${name} <${email}>` : isNamed ? name : email
  return [who, country].filter((part) => typeof part === 'string' && part !== '').join(', ')
}

const TIMELINE: readonly Column<OutputRow>[] = [
  ['AT', 'at'],
  ['STATUS', 'status'],
  ['EVENT', 'event_id'],
  ['NOTE', 'note'],
]

export function factsText(answer: unknown): string {
  return facts(membersOf(answer))
}

/** An order or a case: its facts, and below them its timeline. */
export function withTimeline(answer: unknown): string {
  const { timeline, ...shown } = membersOf(answer)
  return `${facts(shown)}\n${table(recordsIn(timeline), TIMELINE)}`
}
