/**
 * Whether a value of JSON has members: it is neither a list nor null.
 *
 * @example isObject({ code: 'forbidden' }) // true
 */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
