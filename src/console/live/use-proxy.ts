import type { About } from '../../operator-api/rows/sandbox.ts'
import { useQuery } from './use-query.ts'

/** The server behind a proxy; undefined for a sandbox, and until that is known. */
export function useProxy(): About['proxy'] {
  return useQuery('sandbox.show', {}).data?.proxy
}
