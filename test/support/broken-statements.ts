import Database from 'better-sqlite3'
import { IS_FULL } from './size.ts'

/** What a statement fails with. `undone` as SQLite does at times: the whole transaction is rolled back with it. */
export interface StatementFault {
  readonly code: 'SQLITE_FULL' | 'SQLITE_IOERR_WRITE' | 'SQLITE_BUSY'
  readonly undone: boolean
}

const STATEMENT_FAULTS: readonly StatementFault[] = [
  { code: 'SQLITE_FULL', undone: false },
  { code: 'SQLITE_FULL', undone: true },
  { code: 'SQLITE_IOERR_WRITE', undone: false },
  { code: 'SQLITE_IOERR_WRITE', undone: true },
  { code: 'SQLITE_BUSY', undone: false },
]

/** Every kind for each statement at full size, else one kind after the other. */
export const RUNS: readonly ((n: number) => StatementFault)[] = IS_FULL
  ? STATEMENT_FAULTS.map((fault) => () => fault)
  : [(n) => STATEMENT_FAULTS[n % STATEMENT_FAULTS.length] as StatementFault]

/** A fault that waits for its statement, operation or the end. */
export interface WaitingFault {
  /** What it struck; null where so many were not reached. */
  readonly struck: () => string | null
  readonly end: () => void
}

type Method = (this: object, ...given: unknown[]) => unknown

const statements = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1')) as Record<string, Method>
const databases = Database.prototype as unknown as Record<string, Method>

/** SQLite has nothing to write for it, so it cannot fail. */
const UNFAILING = /^\s*ROLLBACK/i

/**
 * Lets the n-th statement that this process runs fail, counting from 1, whatever database it is of.
 *
 * @example const fault = failStatement(3, { code: 'SQLITE_FULL', undone: false })
 */
export function failStatement(n: number, { code, undone }: StatementFault): WaitingFault {
  let left = n
  let struck: string | null = null
  const restore: (() => void)[] = []

  function strike(db: Database.Database, sql: string): void {
    if (UNFAILING.test(sql) || --left !== 0) return
    struck = sql
    if (undone && db.inTransaction) db.exec('ROLLBACK')
    throw new Database.SqliteError('a fault of the test', code)
  }

  function wrap(methods: Record<string, Method>, name: string, before: (self: object, given: unknown[]) => void): void {
    const real = methods[name] as Method
    methods[name] = function (...given) {
      before(this, given)
      return real.apply(this, given)
    }
    restore.push(() => {
      methods[name] = real
    })
  }

  for (const name of ['run', 'get', 'all', 'iterate']) {
    wrap(statements, name, (self) => strike((self as Database.Statement).database, (self as Database.Statement).source))
  }
  wrap(databases, 'exec', (self, [sql]) => strike(self as Database.Database, String(sql)))
  wrap(databases, 'serialize', (self) => strike(self as Database.Database, 'serialize'))
  return {
    struck: () => struck,
    end: () => {
      for (const undo of restore) undo()
    },
  }
}
