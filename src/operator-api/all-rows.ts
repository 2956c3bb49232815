import type { OperatorClient } from './client.ts'
import type { AnswerOf, OperationId, OperationInput, ParamsOf } from './operations.ts'

/** The lists that come in pages. */
export type PagedList = {
  [Id in OperationId]: AnswerOf<Id> extends { next_cursor: unknown } ? Id : never
}[OperationId]

export type RowOf<Page> = {
  [Name in keyof Page]: Page[Name] extends readonly (infer Row)[] ? Row : never
}[keyof Page]

/**
 * All rows of a list, page after page. That of faults is short and has one page.
 *
 * @param w name of the world.
 * @param filter its parameters, with how many to ask for at a time.
 * @example await allRows(client, 'default', 'events.list', { limit: 200 })
 */
export async function allRows<Id extends PagedList | 'faults.list'>(
  client: OperatorClient,
  w: string,
  id: Id,
  filter: object = {},
): Promise<RowOf<AnswerOf<Id>>[]> {
  const rows: RowOf<AnswerOf<Id>>[] = []
  let cursor: unknown
  do {
    const asked = { ...filter, ...(cursor ? { cursor } : {}) }
    const page = new Map(
      Object.entries((await client.call(id, { w } as ParamsOf<Id>, asked as OperationInput<Id>)) ?? {}),
    )
    rows.push(...([...page.values()].find(Array.isArray) ?? []))
    cursor = page.get('next_cursor') ?? null
  } while (cursor !== null)
  return rows
}
