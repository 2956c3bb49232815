import type { QueryPair } from '../../contract/canonical-string.ts'

/**
 * What a field of a form or a query says; none is given twice ({@link readPageRequest}).
 *
 * @example valueIn(request.query, 'pt')
 */
export function valueIn(pairs: readonly QueryPair[], name: string): string | undefined {
  return pairs.find(([key]) => key === name)?.[1]
}
