import { shellQuote } from '../contract/shell-quote.ts'

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
