import type { OperatorClient } from '../operator-api/client.ts'
import { type Options, queryOf } from '../operator-api/to-wire.ts'
import type { Page } from './answers.ts'

/** How a list is read on: rows per page, and where the page before ended. */
export interface Paging {
  limit?: number
  cursor?: string
}

/** A list of a world, by the page or whole. */
export interface ListOf<Name extends string, Row, Filter extends Options> {
  /** One page as the server has it. */
  list(filter?: Filter & Paging): Promise<Page<Name, Row>>
  /** Every row that the filter lets through, over all pages. */
  all(filter?: Filter): Promise<Row[]>
}

export function listOf<Name extends string, Row, Filter extends Options>(
  client: OperatorClient,
  path: string,
  name: Name,
): ListOf<Name, Row, Filter> {
  const list = (filter?: Filter & Paging) => client.ask<Page<Name, Row>>('GET', path + queryOf(filter))
  return {
    list,
    async all(filter) {
      const rows: Row[] = []
      let cursor: string | null | undefined
      do {
        const page = await list({ ...filter, ...(cursor && { cursor }) } as Filter & Paging)
        rows.push(...page[name])
        cursor = page.next_cursor
      } while (cursor !== null)
      return rows
    },
  }
}
