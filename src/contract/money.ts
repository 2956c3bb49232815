/**
 * Cents as people read money, the same on every page and in every line that we print.
 *
 * @param currency null for an amount whose currency is not known.
 * @example moneyText(880_000, 'USD') // 'USD 8,800.00'
 * @example moneyText(-5, 'USD') // '-USD 0.05'
 */
export function moneyText(cents: number, currency: string | null): string {
  const sign = cents < 0 ? '-' : ''
  const units = String(Math.floor(Math.abs(cents) / 100)).replace(/\B(?=(?:\d{3})+$)/g, ',')
  const amount = `${units}.${String(Math.abs(cents) % 100).padStart(2, '0')}`
  return currency === null ? sign + amount : `${sign}${currency} ${amount}`
}
