import type { AnswerOf, Input, OperationId, ParamsOf } from '../../operator-api/operations.ts'
import { isRecord, rowsOf } from '../output/records.ts'
import type { OperatorContext } from './operator-command.ts'

/** The lists of a world that are read page by page. */
type ListId = {
  [Id in OperationId]: Id extends `${string}.list` ? (keyof ParamsOf<Id> extends 'w' ? Id : never) : never
}[OperationId]

type RowOf<Id extends ListId> = {
  [Name in keyof AnswerOf<Id>]: AnswerOf<Id>[Name] extends (infer Row)[] ? Row & Record<string, unknown> : never
}[keyof AnswerOf<Id>]

/**
 * All rows of a list of the operator API, page after page.
 *
 * @param name the member its rows stand in.
 * @param filter its parameters, with how many to ask for at a time.
 * @example await allRows(context, 'events.list', 'events', { limit: 200 })
 */
export async function allRows<Id extends ListId>(
  context: OperatorContext,
  id: Id,
  name: string,
  filter: Input<Id>,
): Promise<RowOf<Id>[]> {
  const all: Record<string, unknown>[] = []
  let cursor: string | undefined
  do {
    const page = await context.call(id, {} as never, { ...(filter as object), cursor } as Input<Id>)
    all.push(...rowsOf(page, name))
    const next = isRecord(page) ? page['next_cursor'] : null
    cursor = typeof next === 'string' ? next : undefined
  } while (cursor !== undefined)
  return all as RowOf<Id>[]
}
