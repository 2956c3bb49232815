import { shellQuote } from '../../contract/shell-quote.ts'
import { flagOf } from '../option-parsers.ts'

/**
 * Options as they would be typed again, each behind a space.
 *
 * @example typedAgain({ keyId: 'pk_1', ask: true, mode: undefined }) // ' --key-id pk_1 --ask'
 */
export function typedAgain(
  options: Readonly<Record<string, string | readonly string[] | boolean | undefined>>,
): string {
  const words = Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined || value === false) return []
    return [flagOf(name), ...(value === true ? [] : [value].flat())]
  })
  return words.map((word) => ` ${shellQuote(word)}`).join('')
}
