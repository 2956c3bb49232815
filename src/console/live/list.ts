import { useEffect, useMemo } from 'preact/hooks'
import type { PagedList, RowOf } from '../../operator-api/all-rows.ts'
import type { AnswerOf, OperationInput, ParamsOf } from '../../operator-api/operations.ts'
import { Signal, useSignal } from '../browser/signal.ts'
import { useConsole, useWorld } from '../console-context.ts'
import { keepFresh, type LiveKind } from './live.ts'

export interface LiveList<ListedRow> extends ListState<ListedRow> {
  readonly reader: ListReader<ListedRow>
}

type ListedRow<Id extends PagedList> = RowOf<AnswerOf<Id>>

interface LiveListOptions<Id extends PagedList> {
  /** Filters, without cursor and limit. */
  input?: OperationInput<Id>
  idOf: (row: ListedRow<Id>) => string
  /** What has to happen for it to be read on. */
  live: readonly LiveKind[]
}

/**
 * A list of the world that is looked at, newest first, page by page and kept up to date.
 *
 * @example useList('orders.list', { input: { status }, idOf: (order) => order.public_id, live: ['event', 'act'] })
 */
export function useList<Id extends PagedList>(
  id: Id,
  { input, idOf, live: kinds }: LiveListOptions<Id>,
): LiveList<ListedRow<Id>> {
  const { client } = useConsole()
  const { world, live } = useWorld()
  const key = JSON.stringify([id, world, input])
  const reader = useMemo(() => {
    const read = async (cursor: string | null, limit: number): Promise<ListPage<ListedRow<Id>>> => {
      const asked = { ...(input ?? {}), limit, ...(cursor !== null && { cursor }) }
      const page = await client.call(id, { w: world } as ParamsOf<Id>, asked as OperationInput<Id>)
      return pageOf(page ?? {})
    }
    return new ListReader<ListedRow<Id>>(read, idOf)
  }, [client, key])

  useEffect(() => keepFresh(live, kinds, () => reader.refresh()), [reader, live])

  return { ...useSignal(reader.state), reader }
}

/** The rows are under the list's own name. */
function pageOf<ListedRow>(page: object): ListPage<ListedRow> {
  const members = new Map<string, unknown>(Object.entries(page))
  const next = members.get('next_cursor')
  return { rows: [...members.values()].find(Array.isArray) ?? [], next: next ? String(next) : null }
}

/** A page of a list, newest first. */
interface ListPage<ListedRow> {
  readonly rows: readonly ListedRow[]
  readonly next: string | null
}

interface ListState<ListedRow> {
  /** Undefined before the first page. */
  readonly rows: readonly ListedRow[] | undefined
  /** How many rows are new and wait to be shown. */
  readonly waiting: number
  /** There are more new rows than were read. */
  readonly waitsForMore: boolean
  readonly hasMore: boolean
  readonly error: unknown
}

const PAGE_ROWS = 50

/** So many rows are brought up to date at most, one call for all; what lies below is read when it is asked for. */
const MOST_REFRESHED = 100

/** A list grows to so many rows by what happens; by asking for older ones it grows without end. */
const MOST_GATHERED = 300

/** Reads so many rows behind a cursor, or the newest ones. */
type Read<ListedRow> = (cursor: string | null, limit: number) => Promise<ListPage<ListedRow>>

/**
 * A list that is read from its newest row down, and kept up to date by reading from the top until a row that is known. So
 * nothing is lost and nothing doubled, no matter what was missed meanwhile. A refresh is one call, however much has happened.
 *
 * @param read a page after a cursor, or the first one.
 * @param idOf what names a row.
 */
class ListReader<ListedRow> {
  readonly state = new Signal<ListState<ListedRow>>({
    rows: undefined,
    waiting: 0,
    waitsForMore: false,
    hasMore: false,
    error: null,
  })
  readonly read: Read<ListedRow>
  readonly idOf: (row: ListedRow) => string
  #rows: readonly ListedRow[] = []
  #next: string | null = null
  /** New rows that wait, while the reader must not move what is shown. */
  #hidden = new Set<string>()
  /** What takes the place of all rows at the release: more is new than is gathered. */
  #instead: ListPage<ListedRow> | null = null
  #waiting = 0
  #isHeld = false
  #isReading = false
  #isReadAgain = false
  #isRead = false

  constructor(read: Read<ListedRow>, idOf: (row: ListedRow) => string) {
    this.read = read
    this.idOf = idOf
  }

  /** Reads what is new. While one reading is under way, another follows it. */
  async refresh(): Promise<void> {
    if (this.#isReading) {
      this.#isReadAgain = true
      return
    }
    this.#isReading = true
    try {
      do {
        this.#isReadAgain = false
        const wanted = Math.min(Math.max(this.#rows.length, PAGE_ROWS), MOST_REFRESHED)
        this.#take(await this.read(null, wanted))
      } while (this.#isReadAgain)
    } catch (error) {
      this.#show(error)
    } finally {
      this.#isReading = false
    }
  }

  /** Reads the next page, older rows. */
  async more(): Promise<void> {
    if (this.#next === null) return
    try {
      const { rows, next } = await this.read(this.#next, PAGE_ROWS)
      const known = new Set(this.#rows.map(this.idOf))
      this.#rows = [...this.#rows, ...rows.filter((row) => !known.has(this.idOf(row)))]
      this.#next = next
      this.#show(null)
    } catch (error) {
      this.#show(error)
    }
  }

  /** While it is held, new rows wait: nothing moves under the pointer. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    if (!isHeld) this.release()
  }

  /** Shows the rows that wait. */
  release(): void {
    if (this.#hidden.size === 0 && this.#instead === null) return
    if (this.#instead) this.#startFrom(this.#instead)
    this.#instead = null
    this.#hidden = new Set()
    this.#show(null)
  }

  /** Takes the newest rows in. */
  #take(page: ListPage<ListedRow>): void {
    const known = new Set(this.#rows.map(this.idOf))
    const isNew = (row: ListedRow) => !known.has(this.idOf(row))
    // Without a common row there may be a gap between what is new and what is known.
    const meets = page.next === null || !page.rows.every(isNew)
    if (this.#isHeld && this.#isRead) this.#keepWaiting(page, page.rows.filter(isNew), meets)
    else this.#merge(page, meets)
    this.#isRead = true
    this.#show(null)
  }

  /** What is shown stays where it is. */
  #keepWaiting(page: ListPage<ListedRow>, newRows: readonly ListedRow[], meets: boolean): void {
    const isGathered = this.#instead === null && meets && this.#hidden.size + newRows.length <= MOST_GATHERED
    if (isGathered) {
      this.#merge(page, meets)
      for (const row of newRows) this.#hidden.add(this.idOf(row))
      return
    }
    this.#rows = this.#shown()
    this.#hidden = new Set()
    this.#instead = page
    this.#waiting = Math.max(this.#waiting, page.rows.length)
  }

  #merge(page: ListPage<ListedRow>, meets: boolean): void {
    const fresh = new Set(page.rows.map(this.idOf))
    const lastKnown = this.#rows.findLastIndex((row) => fresh.has(this.idOf(row)))
    const below = meets && page.next !== null ? this.#rows.slice(lastKnown + 1) : []
    const isTooLong = !this.#isHeld && page.rows.length + below.length > MOST_GATHERED
    if (below.length === 0 || isTooLong) this.#startFrom(page)
    else this.#rows = [...page.rows, ...below]
  }

  #startFrom({ rows, next }: ListPage<ListedRow>): void {
    this.#rows = rows
    this.#next = next
  }

  #shown(): readonly ListedRow[] {
    return this.#rows.filter((row) => !this.#hidden.has(this.idOf(row)))
  }

  #show(error: unknown): void {
    const shown = this.#shown()
    const waitsForMore = this.#instead !== null
    if (!waitsForMore) this.#waiting = this.#rows.length - shown.length
    const rows = this.#isRead ? shown : undefined
    this.state.set({ rows, waiting: this.#waiting, waitsForMore, hasMore: this.#next !== null, error })
  }
}
