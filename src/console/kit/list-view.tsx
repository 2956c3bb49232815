import type { ComponentChildren } from 'preact'
import type { PagedList, RowOf } from '../../operator-api/all-rows.ts'
import type { AnswerOf, Input, ParamsOf } from '../../operator-api/operations.ts'
import { asked } from '../api/command-line.ts'
import { useWorld } from '../console-context.ts'
import { useList } from '../live/list.ts'
import type { LiveKind } from '../live/live.ts'
import { CopyAsCommand } from './copy.tsx'
import { ViewHead } from './facts.tsx'
import { LiveTable, type LiveTableProps } from './table.tsx'

type Row<Id extends PagedList> = RowOf<AnswerOf<Id>>

interface ListViewProps<Id extends PagedList> extends Omit<LiveTableProps<Row<Id>>, 'list'> {
  title: string
  id: Id
  /** What the filters in the address ask for. */
  input: Input<Id>
  live: readonly LiveKind[]
  /** The filters. */
  children: ComponentChildren
}

/** A view that is one list: its filters, and what they let through. */
export function ListView<Id extends PagedList>({ title, id, input, live, children, ...table }: ListViewProps<Id>) {
  const { world } = useWorld()
  const list = useList(id, { input, idOf: table.idOf, live })
  return (
    <>
      <ViewHead title={title}>
        <CopyAsCommand of={asked(id, { w: world } as ParamsOf<Id>, input)} />
      </ViewHead>
      <div class="filters">{children}</div>
      <LiveTable {...table} list={list} />
    </>
  )
}
