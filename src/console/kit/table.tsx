import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { LiveList } from '../live/list.ts'
import { Button } from './button.tsx'
import { Failure, Unanswered } from './states.tsx'

export interface TableColumn<Row> {
  readonly head: string
  /** Stands in the head instead of its text, e.g. a box that selects all rows. */
  readonly headCell?: () => ComponentChildren
  readonly cell: (row: Row) => ComponentChildren
  /** Numbers are at the right. */
  readonly isNumber?: boolean
  /** Sentences go on in the next line; everything else is cut. */
  readonly isText?: boolean
  /** Takes the room that the other columns leave, and is cut there. */
  readonly isRest?: boolean
  /** Left out where there is little room. */
  readonly isExtra?: boolean
}

interface TableProps<Row> {
  /** What the table lists, for those who do not see it. */
  name: string
  columns: readonly TableColumn<Row>[]
  rows: readonly Row[]
  idOf: (row: Row) => string
}

export function Table<Row>({ name, columns, rows, idOf }: TableProps<Row>) {
  return (
    <table class="table" aria-label={name}>
      <thead>
        <tr>
          {columns.map(({ head, headCell, ...column }) => (
            <th key={head} scope="col" class={classOf(column)}>
              {headCell ? headCell() : head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={idOf(row)}>
            {columns.map(({ head, cell, ...column }) => (
              <td key={head} class={classOf(column)} data-head={head}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function classOf({ isNumber, isText, isRest, isExtra }: Omit<TableColumn<never>, 'head' | 'cell'>): string {
  return [isNumber && 'number', isText && 'text', isRest && 'rest', isExtra && 'extra'].filter(Boolean).join(' ')
}

export interface LiveTableProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  list: LiveList<Row>
  /** Stands where there are no rows. */
  empty: ComponentChildren
}

/** A list that is kept up to date. New rows wait above it while the pointer is over it or it is scrolled. */
export function LiveTable<Row>({ list, empty, ...table }: LiveTableProps<Row>) {
  const { rows, waiting, waitsForMore, hasMore, error, reader } = list
  const frame = useRef<HTMLDivElement>(null)
  const isOver = useRef(false)
  useEffect(() => {
    const main = frame.current?.closest('main')
    const scrolled = () => hold(reader, isOver.current, main)
    main?.addEventListener('scroll', scrolled, { passive: true })
    return () => main?.removeEventListener('scroll', scrolled)
  }, [reader])
  const pointer = (over: boolean) => {
    isOver.current = over
    hold(reader, over, frame.current?.closest('main'))
  }
  if (rows === undefined) return <Unanswered error={error} />
  return (
    <div ref={frame} class="live-table" onPointerEnter={() => pointer(true)} onPointerLeave={() => pointer(false)}>
      {error ? <Failure error={error} /> : null}
      {waiting > 0 && (
        <button type="button" class="new-rows" onClick={() => reader.release()}>
          {waitsForMore ? `${waiting}+` : waiting} new
        </button>
      )}
      {rows.length === 0 ? empty : <Table {...table} rows={rows} />}
      {hasMore && (
        <p class="more">
          <Button onClick={() => void reader.more()}>Show older</Button>
        </p>
      )}
    </div>
  )
}

function hold(reader: { hold(isHeld: boolean): void }, isOver: boolean, main: Element | null | undefined): void {
  reader.hold(isOver || (main?.scrollTop ?? 0) > 0)
}
