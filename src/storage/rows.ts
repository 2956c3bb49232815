import type { Db } from './db.ts'

/** Rows that meet a condition, whose parameters are still to be given. */
interface SelectedRows<Row> {
  get(...parameters: unknown[]): Row | undefined
  all(...parameters: unknown[]): Row[]
}

/**
 * The rows of a table as entities. A column has the name of its member, in snake case and without the unit of times:
 * `created_at` for `createdAtMs`.
 */
class StoredRows<Row extends object> {
  /** Each column under the name of its member. */
  readonly columns: string
  readonly #members: readonly (keyof Row & string)[]
  readonly #insertion: string
  readonly #selection: string
  /** The SQL of each condition: a new text would have to be hashed again to find its statement. */
  readonly #selections = new Map<string, string>()

  constructor(table: string, members: readonly (keyof Row & string)[]) {
    const columns = members.map(columnOf)
    this.#members = members
    this.columns = members.map((name, i) => `${columns[i]} AS ${name}`).join(', ')
    this.#selection = `SELECT ${columns.join(', ')} FROM ${table}`
    this.#insertion = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) `
  }

  /**
   * Selects the rows that meet a condition.
   *
   * @param condition of SQL; an order and a limit may follow it.
   * @example ORDERS.where(db, 'public_id = ?').get(publicId)
   */
  where(db: Db, condition: string): SelectedRows<Row> {
    let sql = this.#selections.get(condition)
    if (sql === undefined) {
      sql = `${this.#selection} WHERE ${condition}`
      this.#selections.set(condition, sql)
    }
    // Values alone take half the time of rows with names.
    const values = db.statement<unknown[]>(sql).raw()
    return {
      get: (...parameters) => {
        const found = values.get(...parameters)
        return found && this.#rowOf(found)
      },
      all: (...parameters) => values.all(...parameters).map((found) => this.#rowOf(found)),
    }
  }

  #rowOf(values: readonly unknown[]): Row {
    const row: Partial<Record<keyof Row, unknown>> = {}
    for (let i = 0; i < this.#members.length; i++) row[this.#members[i] as keyof Row] = values[i]
    return row as Row
  }

  /**
   * @param onConflict a clause that says what else may happen.
   * @returns how many rows were written.
   */
  insert(db: Db, row: Row, onConflict = ''): number {
    return db.statement(this.#insertion + onConflict).run(...this.#members.map((member) => row[member])).changes
  }
}

/**
 * The rows of a table, with every member of the row type: a list that lacks one does not compile, and the error names it.
 *
 * @example storedRows<Link>()('links', ['seq', 'linkId', 'partnerId', 'kind', 'domain', 'product', 'createdAtMs'])
 */
export function storedRows<Row extends object>() {
  return <const Members extends readonly (keyof Row & string)[]>(
    table: string,
    members: Members & EveryMember<Row, Members>,
  ): StoredRows<Row> => new StoredRows<Row>(table, members)
}

export type { StoredRows }

type EveryMember<Row, Members extends readonly (keyof Row)[]> =
  Exclude<keyof Row, Members[number]> extends never ? unknown : { lacks: Exclude<keyof Row, Members[number]> }

function columnOf(member: string): string {
  return member.replace(/Ms$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/**
 * Makes the conditions of a list. One counts if the filter has a value for the parameter that it names; null and undefined
 * leave it out.
 *
 * @example conditionsOf('partner_id = @partnerId', 'at < @toMs')({ partnerId: null, toMs: 5 }) // 'at < @toMs'
 */
export function conditionsOf<Filter extends object>(...conditions: readonly string[]): (filter: Filter) => string {
  const named = conditions.map((condition) => [condition, /@(\w+)/.exec(condition)?.[1] as keyof Filter] as const)
  return (filter) => {
    const wanted = named.filter(([, name]) => filter[name] !== undefined && filter[name] !== null)
    return wanted.map(([condition]) => condition).join(' AND ') || 'true'
  }
}

/**
 * How many rows of a table are in each state, of the states that have any.
 *
 * @example countBy(db, 'orders', 'status') // { SETTLED: 3 }
 */
export function countBy(db: Db, table: string, column: string): Record<string, number> {
  const sql = `SELECT ${column} AS state, count(*) AS count FROM ${table} GROUP BY ${column}`
  const rows = db.statement<{ state: string; count: number }>(sql).all()
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

/** The conditions of a date range, about a column. */
export function windowOn(column: string): string[] {
  return [`${column} >= @fromMs`, `${column} < @toMs`]
}
