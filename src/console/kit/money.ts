/** Cents as people read money. @example moneyText(123456, 'USD') // 'USD 1,234.56' */
export function moneyText(cents: number, currency: string): string {
  const text = (Math.abs(cents) / 100).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  return `${cents < 0 ? '−' : ''}${currency} ${text}`
}
