import { isRecord, rowsOf } from '../output/records.ts'
import { type OperatorContext, queryOf } from './operator-command.ts'

/**
 * All rows of a list of the operator API, page after page.
 *
 * @param list its path below the world, the member its rows stand in, how many to ask for at a time, and further parameters.
 * @example await allRows(context, { path: '/events', name: 'events', limit: 200 })
 */
export async function allRows(
  context: OperatorContext,
  { path, name, limit, filter = {} }: { path: string; name: string; limit: number; filter?: Record<string, string> },
): Promise<Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = []
  let cursor: string | undefined
  do {
    const page = await context.askWorld('GET', `${path}${queryOf({ ...filter, limit: String(limit), cursor })}`)
    all.push(...rowsOf(page, name))
    const next = isRecord(page) ? page['next_cursor'] : null
    cursor = typeof next === 'string' ? next : undefined
  } while (cursor !== undefined)
  return all
}
