/** Cents as people read money. @example moneyText(123456, 'USD') // 'USD 1,234.56' */
export function moneyText(cents: number, currency: string): string {
  const text = (Math.abs(cents) / 100).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  return `${cents < 0 ? '−' : ''}${currency} ${text}`
}

/** The same where there may be no amount yet. */
export function moneyOrDash(cents: number | null, currency: string | null): string {
  return cents === null || currency === null ? '—' : moneyText(cents, currency)
}

/** Cents of an amount that a person wrote; null if it is not one. @example centsIn('1,200.50') // 120050 */
export function centsIn(text: string): number | null {
  const [, units, cents = ''] = /^(\d{1,10})(?:\.(\d{1,2}))?$/.exec(text.trim().replaceAll(',', '')) ?? []
  return units === undefined ? null : Number(units) * 100 + Number(cents.padEnd(2, '0'))
}
