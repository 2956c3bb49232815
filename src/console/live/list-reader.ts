import { Signal } from '../browser/signal.ts'

/** A page of a list, newest first. */
export interface ListPage<Row> {
  readonly rows: readonly Row[]
  readonly next: string | null
}

export interface ListState<Row> {
  /** Undefined before the first page. */
  readonly rows: readonly Row[] | undefined
  /** How many rows are new and wait to be shown. */
  readonly waiting: number
  readonly hasMore: boolean
  readonly error: unknown
}

/** So many rows are brought up to date at most; what lies below is read when it is asked for. */
const MOST_REFRESHED = 200

/**
 * A list that is read from its newest row down, and kept up to date by reading from the top until a row that is known. So
 * nothing is lost and nothing doubled, no matter what was missed meanwhile.
 *
 * @param read a page after a cursor, or the first one.
 * @param idOf what names a row.
 */
export class ListReader<Row> {
  readonly state = new Signal<ListState<Row>>({ rows: undefined, waiting: 0, hasMore: false, error: null })
  readonly read: (cursor: string | null) => Promise<ListPage<Row>>
  readonly idOf: (row: Row) => string
  #rows: readonly Row[] = []
  #next: string | null = null
  /** New rows that wait, while the reader must not move what is shown. */
  #hidden = new Set<string>()
  #isHeld = false
  #isReading = false
  #isReadAgain = false
  #isRead = false

  constructor(read: (cursor: string | null) => Promise<ListPage<Row>>, idOf: (row: Row) => string) {
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
        this.#merge(await this.#readTop())
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
      const { rows, next } = await this.read(this.#next)
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
    if (this.#hidden.size === 0) return
    this.#hidden = new Set()
    this.#show(null)
  }

  async #readTop(): Promise<ListPage<Row> & { meets: boolean }> {
    const known = new Set(this.#rows.map(this.idOf))
    const wanted = Math.min(this.#rows.length, MOST_REFRESHED)
    const rows: Row[] = []
    let cursor: string | null = null
    for (;;) {
      const page: ListPage<Row> = await this.read(cursor)
      rows.push(...page.rows)
      cursor = page.next
      const meets = rows.some((row) => known.has(this.idOf(row)))
      if (cursor === null || (rows.length >= wanted && meets) || rows.length >= MOST_REFRESHED) {
        return { rows, next: cursor, meets }
      }
    }
  }

  #merge({ rows, next, meets }: ListPage<Row> & { meets: boolean }): void {
    const fresh = new Map(rows.map((row) => [this.idOf(row), row]))
    const before = new Set(this.#rows.map(this.idOf))
    const lastKnown = this.#rows.findLastIndex((row) => fresh.has(this.idOf(row)))
    // Without a common row there may be a gap: what was known is read again from the cursor on.
    const below = meets && next !== null ? this.#rows.slice(lastKnown + 1) : []
    if (this.#isHeld && this.#isRead) for (const id of fresh.keys()) if (!before.has(id)) this.#hidden.add(id)
    this.#rows = [...fresh.values(), ...below]
    if (below.length === 0) this.#next = next
    this.#isRead = true
    this.#show(null)
  }

  #show(error: unknown): void {
    const shown = this.#rows.filter((row) => !this.#hidden.has(this.idOf(row)))
    const waiting = this.#rows.length - shown.length
    const rows = this.#isRead ? shown : undefined
    this.state.set({ rows, waiting, hasMore: this.#next !== null, error })
  }
}
