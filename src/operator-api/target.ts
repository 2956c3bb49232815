import { queryOf } from './camel-case.ts'

/**
 * Path and query of an operation. An id may hold anything; as a segment of a path it names one thing.
 *
 * @example targetOf('/v1/worlds/{w}/orders', { w: 'default' }, { limit: 5 }) // '/v1/worlds/default/orders?limit=5'
 */
export function targetOf(path: string, params: Readonly<Record<string, string>>, query?: unknown): string {
  const filled = path.replace(/\{(\w+)\}/g, (_segment, name: string) => encodeURIComponent(params[name] ?? ''))
  return filled + queryOf(query ?? {})
}
