import { useEffect, useMemo } from 'preact/hooks'
import type { PagedList, RowOf } from '../../operator-api/all-rows.ts'
import type { AnswerOf, Input, ParamsOf } from '../../operator-api/operations.ts'
import { atMostEvery } from '../browser/clock.ts'
import { useSignal } from '../browser/signal.ts'
import { useConsole, useWorld } from '../console-context.ts'
import { type ListPage, ListReader, type ListState } from './list-reader.ts'
import type { LiveKind } from './live.ts'

export interface LiveList<Row> extends ListState<Row> {
  readonly reader: ListReader<Row>
}

type Row<Id extends PagedList> = RowOf<AnswerOf<Id>>

const REFRESH_EVERY_MS = 500

interface Options<Id extends PagedList> {
  /** Filters, without cursor and limit. */
  input?: Input<Id>
  idOf: (row: Row<Id>) => string
  /** What has to happen for it to be read on. */
  live: readonly LiveKind[]
}

/**
 * A list of the world that is looked at, newest first, page by page and kept up to date.
 *
 * @example useList('orders.list', { input: { status }, idOf: (order) => order.public_id, live: ['event', 'act'] })
 */
export function useList<Id extends PagedList>(id: Id, { input, idOf, live: kinds }: Options<Id>): LiveList<Row<Id>> {
  const { client } = useConsole()
  const { world, live } = useWorld()
  const key = JSON.stringify([id, world, input])
  const reader = useMemo(() => {
    const read = async (cursor: string | null, limit: number): Promise<ListPage<Row<Id>>> => {
      const asked = { ...(input ?? {}), limit, ...(cursor !== null && { cursor }) }
      const page = await client.call(id, { w: world } as ParamsOf<Id>, asked as Input<Id>)
      return pageOf(page ?? {})
    }
    return new ListReader<Row<Id>>(read, idOf)
  }, [client, key])

  useEffect(() => {
    const refresh = atMostEvery(REFRESH_EVERY_MS, () => void reader.refresh())
    refresh()
    const stop = live.watch(kinds, refresh)
    return () => {
      stop()
      refresh.cancel()
    }
  }, [reader, live])

  return { ...useSignal(reader.state), reader }
}

/** The rows are under the list's own name. */
function pageOf<Row>(page: object): ListPage<Row> {
  const members = new Map<string, unknown>(Object.entries(page))
  const next = members.get('next_cursor')
  return { rows: [...members.values()].find(Array.isArray) ?? [], next: next ? String(next) : null }
}
