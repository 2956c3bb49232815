import { moneyText } from '../../contract/money.ts'

/** The text of an amount, or a dash if it is not known yet. */
export function moneyOrDash(cents: number | null, currency: string | null): string {
  return cents === null || currency === null ? '—' : moneyText(cents, currency)
}

/** Cents of a price that a person wrote; null if it is not one. @example centsIn('1,200.50') // 120050 */
export function centsIn(text: string): number | null {
  const [, units, decimals = ''] = /^(\d{1,10})(?:\.(\d{1,2}))?$/.exec(text.trim().replaceAll(',', '')) ?? []
  const cents = units === undefined ? 0 : Number(units) * 100 + Number(decimals.padEnd(2, '0'))
  return cents === 0 ? null : cents
}

/** What `centsIn` takes. */
export const PRICE_WORDS = 'from 0.01 to 9,999,999,999.99 with at most two decimals, such as 1200 or 1200.50'

/** Cents as a person would write them into a field. @example centsField(120050) // '1200.50' */
export function centsField(cents: number): string {
  return moneyText(cents, null).replaceAll(',', '')
}
