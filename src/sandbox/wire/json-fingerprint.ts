import { hash } from 'node:crypto'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The same for two bodies that say the same in JSON, whatever their white space, escapes and order of keys. What is no JSON
 * is the same as its own bytes only.
 */
export function jsonFingerprint(body: Uint8Array): string {
  try {
    return hash('sha256', JSON.stringify(inOrder(JSON.parse(utf8.decode(body)))), 'hex')
  } catch {
    return hash('sha256', body, 'hex')
  }
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, inOrder(inner)]))
}
