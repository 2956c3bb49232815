/** One table, as far as answers depend on it. */
export interface Table {
  /** The answers that hold until it is written. */
  readonly readers: Set<Remembered<unknown>>
  /** Whether the transaction under way has written it. */
  isWritten: boolean
  /** The highest number of its rows; null if that has to be read. See {@link nextSequence} in database.ts. */
  lastSeq: number | null
}

/**
 * Which answers a write makes stale. Every statement is noted as it is prepared, so a cache of answers needs no
 * notice from the writer.
 *
 * A statement that is only prepared counts as one that was run: one extra question costs little.
 */
export class TableChanges {
  readonly #tables = new Map<string, Table>()
  /** By the transaction under way. */
  #written: Table[] = []
  /** Read by the answer that is being asked for. */
  #reading: Set<Table> | null = null

  tableOf(name: string): Table {
    let table = this.#tables.get(name)
    if (!table) {
      table = { readers: new Set(), isWritten: false, lastSeq: null }
      this.#tables.set(name, table)
    }
    return table
  }

  read(tables: Iterable<Table>): void {
    if (this.#reading) for (const table of tables) this.#reading.add(table)
  }

  write(tables: Iterable<Table>): void {
    for (const table of tables) {
      changed(table)
      if (table.isWritten) continue
      table.isWritten = true
      this.#written.push(table)
    }
  }

  writeAll(): void {
    this.write(this.#tables.values())
  }

  /** Some work of the transaction under way was undone: what was read in between does not hold either. */
  undone(): void {
    for (const table of this.#written) changed(table)
  }

  /** The transaction under way has ended. */
  settled(committed: boolean): void {
    if (!committed) this.undone()
    for (const table of this.#written) table.isWritten = false
    this.#written = []
  }

  /** @returns the tables that were read meanwhile. */
  reading(ask: () => void): Set<Table> {
    const outer = this.#reading
    const tables = new Set<Table>()
    this.#reading = tables
    try {
      ask()
      return tables
    } finally {
      this.#reading = outer
    }
  }
}

function changed(table: Table): void {
  const { readers } = table
  table.lastSeq = null
  if (readers.size === 0) return
  for (const reader of readers) reader.forget()
  readers.clear()
}

/** An answer that holds until a table that it was read from is written. */
export class Remembered<Value> {
  /** Of the database that was asked; null if the answer does not hold. */
  #changes: TableChanges | null = null
  #tables: ReadonlySet<Table> = new Set()
  #value: Value | undefined

  /** The last answer; undefined if it does not hold, or came from another database. */
  lastOf(changes: TableChanges): Value | undefined {
    return this.#changes === changes ? this.#value : undefined
  }

  /** The last answer, or a new one if that does not hold. */
  of(changes: TableChanges, ask: () => Value): Value {
    if (this.#changes !== changes) this.#ask(changes, ask)
    // Within another question it counts as read.
    changes.read(this.#tables)
    return this.#value as Value
  }

  forget(): void {
    this.#changes = null
  }

  #ask(changes: TableChanges, ask: () => Value): void {
    this.#tables = changes.reading(() => {
      this.#value = ask()
    })
    this.#changes = changes
    for (const table of this.#tables) table.readers.add(this)
  }
}

/** The last answers to questions of one kind, a few of them. */
export class RememberedFew<Value> {
  readonly #most: number
  /** The one asked for last is the last. */
  readonly #byQuestion = new Map<string, Remembered<Value>>()

  constructor(most: number) {
    this.#most = most
  }

  /** See {@link Remembered.of}. */
  of(changes: TableChanges, question: string, ask: () => Value): Value {
    const answer = this.#byQuestion.get(question) ?? this.#unused()
    this.#byQuestion.delete(question)
    this.#byQuestion.set(question, answer)
    return answer.of(changes, ask)
  }

  forget(): void {
    for (const answer of this.#byQuestion.values()) answer.forget()
  }

  /** The one of the oldest question serves again: the tables that it was read from know it for as long as they are not written. */
  #unused(): Remembered<Value> {
    const [oldest] = this.#byQuestion
    if (!oldest || this.#byQuestion.size < this.#most) return new Remembered()
    this.#byQuestion.delete(oldest[0])
    oldest[1].forget()
    return oldest[1]
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
