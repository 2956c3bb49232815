/** A domain as the operator API shows it. */
export type DomainRow = Readonly<Record<string, unknown>>

const COLUMNS = ['domain', 'price_cents', 'floor_price_cents', 'currency', 'listed', 'live_site', 'topics'] as const

/**
 * Domains as CSV (RFC 4180), with a first line that names the columns.
 *
 * @example domainsCsv([{ domain: 'a.test', price_cents: 900, topics: ['tea', 'shop'] }]).split('\r\n')[1] // 'a.test,900,,,,,tea;shop'
 */
export function domainsCsv(domains: readonly DomainRow[]): string {
  const rows = [COLUMNS, ...domains.map((domain) => COLUMNS.map((name) => domain[name]))]
  return rows.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('')
}

function cellOf(value: unknown): string {
  const text = Array.isArray(value) ? value.join(';') : String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
