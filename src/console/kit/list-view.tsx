import type { ComponentChildren } from 'preact'
import type { PagedList, RowOf } from '../../operator-api/all-rows.ts'
import type { AnswerOf, OperationInput, ParamsOf } from '../../operator-api/operations.ts'
import { asked } from '../api/command-line.ts'
import { useSignal } from '../browser/signal.ts'
import { useConsole, useWorld } from '../console-context.ts'
import { useList } from '../live/list.ts'
import type { LiveKind } from '../live/live.ts'
import { Button } from './button.tsx'
import { CopyMenu } from './copy-menu.tsx'
import { ViewHead } from './facts.tsx'
import { Empty } from './states.tsx'
import { LiveTable, type LiveTableProps } from './table.tsx'
import { countText, numberText } from './words.ts'

type ListRow<Id extends PagedList> = RowOf<AnswerOf<Id>>

interface ListViewProps<Id extends PagedList> extends Omit<LiveTableProps<ListRow<Id>>, 'list' | 'empty'> {
  title: string
  id: Id
  /** What the filters in the address ask for. */
  input: OperationInput<Id>
  live: readonly LiveKind[]
  /** The filters. */
  children: ComponentChildren
  /** What a row is called, e.g. `order`. */
  noun: string
  /** Many of them, where an s at the end does not say it. */
  nouns?: string
  /** Stand at the right of the title. */
  actions?: ComponentChildren
  /** Stands between title and filters. */
  above?: ComponentChildren
  /** Stands in a list that nothing filters: what is missing, and how it comes. */
  empty: readonly [title: string, text: string]
}

/** A view that is one list: its filters, how many rows they let through, and these. */
export function ListView<Id extends PagedList>(props: ListViewProps<Id>) {
  const { title, id, input, live, children, noun, nouns, actions, above, empty, ...table } = props
  const { world } = useWorld()
  const list = useList(id, { input, idOf: table.idOf, live })
  return (
    <>
      <ViewHead title={title} note={<RowCount list={list} noun={noun} {...(nouns && { nouns })} />}>
        {actions}
        <CopyMenu of={asked(id, { w: world } as ParamsOf<Id>, input)} />
      </ViewHead>
      {above}
      <div class="filters">{children}</div>
      <LiveTable {...table} list={list} empty={<NoRows noun={noun} empty={empty} />} />
    </>
  )
}

interface RowCountProps {
  list: { rows: readonly unknown[] | undefined; hasMore: boolean }
  noun: string
  nouns?: string
  /** Of all rows, where it is known. */
  total?: number | undefined
  /** Which rows are shown if there are more. */
  which?: 'newest' | 'first'
}

/** How many rows are shown, and of how many. */
export function RowCount(props: RowCountProps) {
  const { list, noun, nouns = `${noun}s`, total, which = 'newest' } = props
  if (list.rows === undefined) return null
  const shown = list.rows.length
  const isPart = list.hasMore && total !== undefined
  return (
    <span class="count soft">
      {list.hasMore && total === undefined && `${which} `}
      {isPart && `${numberText(shown)} of `}
      {countText(isPart ? total : shown, noun, nouns)}
    </span>
  )
}

/** An empty list: nothing matches the filters, or there is nothing yet and how it comes. */
export function NoRows({
  noun,
  empty: [title, text],
}: {
  noun: string
  empty: readonly [title: string, text: string]
}) {
  const { router } = useConsole()
  const { query } = useSignal(router.place)
  const filters = [...query.keys()]
  if (filters.length === 0) {
    return (
      <Empty title={title}>
        <p>{text}</p>
      </Empty>
    )
  }
  const searched = query.get('q')
  const clear = () => router.filter(Object.fromEntries(filters.map((name) => [name, null])))
  return (
    <Empty title={searched ? `No ${noun} matches “${searched}”` : `No ${noun} matches these filters`}>
      <p>
        <Button onClick={clear}>{searched ? 'Clear search' : 'Clear filters'}</Button>
      </p>
    </Empty>
  )
}
