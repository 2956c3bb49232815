import { shellQuote } from '../contract/shell-quote.ts'
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

/** Where commands look for a sandbox without `--sandbox`. */
export const USUAL_OPERATOR_URL = 'http://127.0.0.1:4601'

/**
 * What a command needs besides, to find the sandbox at an address: nothing for the usual one.
 *
 * @example sandboxFlag('http://127.0.0.1:5001') // ' --sandbox http://127.0.0.1:5001'
 */
export function sandboxFlag(url: string): string {
  return url === USUAL_OPERATOR_URL ? '' : ` --sandbox ${shellQuote(url)}`
}
