import { moneyText } from '../../contract/money.ts'

/** The text of an amount, or a dash if it is not known yet. */
export function moneyOrDash(cents: number | null, currency: string | null): string {
  return cents === null || currency === null ? '—' : moneyText(cents, currency)
}

/** Cents of an amount that a person wrote; null if it is not one. @example centsIn('1,200.50') // 120050 */
export function centsIn(text: string): number | null {
  const [, units, cents = ''] = /^(\d{1,10})(?:\.(\d{1,2}))?$/.exec(text.trim().replaceAll(',', '')) ?? []
  return units === undefined ? null : Number(units) * 100 + Number(cents.padEnd(2, '0'))
}

/** Cents as a person would write them into a field. @example centsField(120050) // '1200.50' */
export function centsField(cents: number): string {
  return moneyText(cents, null).replaceAll(',', '')
}
