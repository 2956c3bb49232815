import { isMoney, type Money } from '../dialect/money.ts'
import type { Look } from './learn-roles.ts'
import { acceptedOf, itemsIn, type Scout } from './scout.ts'

type Unit = NonNullable<Money['unit']>

/**
 * Gives amounts that do not say their unit the one that the target as a whole shows. That is whole units if any amount has a
 * fraction or the target file says so. Else it is what an order was sold for, which the document counts in cents, beside the price
 * of its domain or its row. A target counts in one unit; a unit that nothing shows stays open.
 */
export function withUnits(scout: Scout, looks: readonly Look[]): Look[] {
  const sold = soldFor(scout)
  const shown = looks.map((look) => unitShown(scout, look, sold))
  const ofTarget =
    scout.run.dialect.units.amount ??
    (looks.some((look) => moneyIn(look)?.unit === 'units') || shown.includes('units') ? 'units' : null) ??
    (shown.includes('cents') ? 'cents' : null)
  return looks.map((look) => {
    const money = moneyIn(look)
    if (!money || money.unit !== null || ofTarget === null || !look.found.found) return look
    return { ...look, found: { ...look.found, value: { ...money, unit: ofTarget } } }
  })
}

function moneyIn({ found }: Look): Money | null {
  return found.found && isMoney(found.value) ? found.value : null
}

/** The unit that makes an amount without one what an order of the same thing was sold for; null if none does. */
function unitShown(scout: Scout, look: Look, sold: ReadonlyMap<string, number>): Unit | null {
  const money = moneyIn(look)
  const cents = sold.get(soldAs(scout, look) ?? '')
  if (!money || money.unit !== null || cents === undefined || cents === 0) return null
  if (money.amount === cents) return 'cents'
  return Math.round(money.amount * 100) === cents ? 'units' : null
}

/** The domain or the order that an amount is the price of. */
function soldAs(scout: Scout, { role, subject, json, op }: Look): string | null {
  if (role === 'listing.price') return subject
  if (role !== 'transaction.amount' && role !== 'sale.amount') return null
  const { dialect } = scout.run
  const found = dialect.find(op === 'me.sales' ? 'sale.order' : 'transaction.order', { json, op })
  return found.found ? String(found.value) : null
}

/** What each order on the list was sold for, by its id and by its domain. */
function soldFor(scout: Scout): Map<string, number> {
  const { dialect } = scout.run
  const sold = new Map<string, number>()
  const op = 'orders.list'
  for (const seen of acceptedOf(scout, op)) {
    for (const json of itemsIn(scout, seen)) {
      const price = dialect.find('order.sale_price_cents', { json, op })
      if (!price.found || typeof price.value !== 'number') continue
      for (const key of ['order.public_id', 'order.domain'] as const) {
        const found = dialect.find(key, { json, op })
        if (found.found) sold.set(String(found.value), price.value)
      }
    }
  }
  return sold
}
