import type { Campaign } from './campaign.ts'
import type { Money } from './dialect.ts'
import { isObject } from './json-body.ts'

/** An amount in cents, as far as the run knows the unit; without any hint it counts as cents. */
export function centsOf(campaign: Campaign, money: Money): number {
  const unit = money.unit ?? campaign.learnt.amountUnit ?? 'cents'
  return unit === 'units' ? Math.round(money.amount * 100) : money.amount
}

export function isMoney(value: unknown): value is Money {
  return isObject(value) && typeof value.amount === 'number' && 'unit' in value && Object.keys(value).length === 2
}

/** Cents in the unit of expected_price. */
export function expectedPriceOf(campaign: Campaign, cents: number): number {
  return campaign.learnt.priceUnit === 'units' ? cents / 100 : cents
}
