import { isAccepted } from '../answer.ts'
import { findRole } from '../dialect.ts'
import { isMoney } from '../money.ts'
import type { Money } from '../money-of.ts'
import { findRoleItems } from '../role-items.ts'
import type { Sighting } from './learn-roles.ts'
import type { Scout } from './scout.ts'

/**
 * Gives amounts their unit where another answer about the same thing tells it: the price of a domain elsewhere, or what the
 * order was sold for, which the document counts in cents. What nothing tells stays untold.
 */
export function withUnits(scout: Scout, sightings: readonly Sighting[]): Sighting[] {
  const sold = soldFor(scout)
  const prices = sightings.filter(({ role }) => role === 'listing.price')
  return sightings.map((sighting) => {
    const money = moneyIn(sighting)
    if (!money || money.unit !== null || !sighting.found.found) return sighting
    const known =
      sighting.role === 'listing.price'
        ? knownPrice(prices, sighting)
        : SOLD_FOR.includes(sighting.role)
          ? sold.get(orderIn(scout, sighting) ?? '')
          : undefined
    const unit = known ? unitBy(money.amount, known) : null
    return unit === null ? sighting : { ...sighting, found: { ...sighting.found, value: { ...money, unit } } }
  })
}

/** Amounts of a row that are what its order was sold for. */
const SOLD_FOR: readonly string[] = ['transaction.amount', 'sale.amount']

function moneyIn({ found }: Sighting): Money | null {
  return found.found && isMoney(found.value) ? found.value : null
}

function knownPrice(prices: readonly Sighting[], { subject }: Sighting): Money | undefined {
  const others = prices.filter((other) => other.subject === subject).map(moneyIn)
  return others.find((money): money is Money => money !== null && money.unit !== null)
}

/** The unit that makes two amounts the same; null where none does, or both do. */
function unitBy(amount: number, known: Money): Money['unit'] {
  const cents = known.unit === 'cents' ? known.amount : Math.round(known.amount * 100)
  if (amount === 0) return null
  if (amount === cents) return 'cents'
  return Math.round(amount * 100) === cents ? 'units' : null
}

function orderIn(scout: Scout, { json, op }: Sighting): string | null {
  const { roles } = scout.desk.campaign.target.dialect
  const found = findRole(roles, op === 'me.sales' ? 'sale.order' : 'transaction.order', { json, op })
  return found.found ? String(found.value) : null
}

/** What each order on the list was sold for. */
function soldFor(scout: Scout): Map<string, Money> {
  const { roles } = scout.desk.campaign.target.dialect
  const sold = new Map<string, Money>()
  for (const { op, answer } of scout.seen) {
    if (op !== 'orders.list' || !isAccepted(answer)) continue
    const list = findRoleItems(roles, 'orders.items', answer)
    for (const json of list.found ? list.items : []) {
      const id = findRole(roles, 'order.public_id', { json, op })
      const price = findRole(roles, 'order.sale_price_cents', { json, op })
      if (id.found && price.found && typeof price.value === 'number')
        sold.set(String(id.value), { amount: price.value, unit: 'cents' })
    }
  }
  return sold
}
