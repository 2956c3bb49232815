import { type Db, statement } from '../../storage/database.ts'
import type { SettlementRun } from './settlement-runs.ts'

export function insertRun(db: Db, run: SettlementRun): void {
  statement(db, 'INSERT INTO settlement_runs (seq, run_id, ran_at, orders) VALUES (?, ?, ?, ?)').run(
    run.seq,
    run.runId,
    run.ranAtMs,
    run.settled.length,
  )
}
