/** An answer of a query, and what says whether it is still right. */
export interface Remembered<Answer> {
  readonly answer: Answer
  readonly tables: ReadonlySet<string>
  readonly changes: TableChanges
  /** None of its tables was written up to this count. */
  count: number
}

/**
 * Which tables of a database were written, and when, in a count that only grows. Every statement is noted as it is
 * prepared, so whoever remembers an answer needs no notice from whoever writes.
 *
 * A statement that is only prepared counts as one that was run: to ask once more than needed costs little.
 */
export class TableChanges {
  #count = 0
  /** The count at which everything may have changed. */
  #everythingAt = 0
  readonly #writtenAt = new Map<string, number>()
  /** The tables read by the answer that is being asked for. */
  #reading: Set<string> | null = null

  get count(): number {
    return this.#count
  }

  use(tables: readonly string[], { writes }: { writes: boolean }): void {
    if (writes) {
      this.#count += 1
      for (const table of tables) this.#writtenAt.set(table, this.#count)
    } else if (this.#reading) {
      for (const table of tables) this.#reading.add(table)
    }
  }

  /** What was written after a count is undone, which changes it once more. */
  undoneSince(count: number): void {
    this.#count += 1
    for (const [table, writtenAt] of this.#writtenAt) {
      if (writtenAt > count) this.#writtenAt.set(table, this.#count)
    }
  }

  everything(): void {
    this.#count += 1
    this.#everythingAt = this.#count
  }

  /** Asks, and keeps the answer with the tables that it was read from. */
  remember<Answer>(ask: () => Answer): Remembered<Answer> {
    const tables = new Set<string>()
    const [count, outer] = [this.#count, this.#reading]
    this.#reading = tables
    try {
      return { answer: ask(), tables, changes: this, count }
    } finally {
      this.#reading = outer
      this.use([...tables], { writes: false })
    }
  }

  /** Whether the same question would be answered in the same way. */
  stillHolds(remembered: Remembered<unknown>): boolean {
    if (remembered.changes !== this) return false
    if (remembered.count === this.#count) return true
    if (remembered.count < this.#everythingAt) return false
    for (const table of remembered.tables) if ((this.#writtenAt.get(table) ?? 0) > remembered.count) return false
    remembered.count = this.#count
    return true
  }
}

const NAMED = /\b(?:FROM|JOIN|INTO|UPDATE(?:\s+OR\s+\w+)?)\s+(\w+)/gi

/**
 * The tables that a statement names. Other words may be among them; a table is never left out.
 *
 * @example tablesIn('DELETE FROM quotes WHERE seq = ?') // ['quotes']
 */
export function tablesIn(sql: string): string[] {
  return [...new Set([...sql.matchAll(NAMED)].map(([, table]) => table as string))]
}
