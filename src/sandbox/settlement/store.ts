import type { Db } from '../../storage/db.ts'

/** A run: a settlement or a payout of all partners. */
export interface Run {
  seq: number
  runId: string
  ranAtMs: number
  /** The last event that it knew of. */
  eventSeq: number
  /** The last order or sale that it has come to; null once it is complete. */
  doneTo: number | null
}

/** How a run is shown. */
export type RunFacts = Pick<Run, 'seq' | 'runId' | 'ranAtMs'>

/** A run that has batches to come. */
export type OpenRun = RunFacts & { doneTo: number }

type RunTable = 'settlement_runs' | 'payout_runs'

/** The run whose last batch is still to come, which can only be the last one; null if it is complete. */
export function openRun(db: Db, table: RunTable): OpenRun | null {
  const sql = `SELECT seq, run_id AS runId, ran_at AS ranAtMs, done_to AS doneTo FROM ${table}
    WHERE seq = (SELECT max(seq) FROM ${table}) AND done_to IS NOT NULL`
  return db.statement<OpenRun>(sql).get() ?? null
}

/** @param doneTo null for the last batch. */
export function endBatch(db: Db, table: RunTable, { seq }: RunFacts, doneTo: number | null): void {
  db.statement(`UPDATE ${table} SET done_to = ? WHERE seq = ?`).run(doneTo, seq)
}

export function runById(db: Db, table: RunTable, runId: string): Omit<Run, 'eventSeq'> | null {
  const sql = `SELECT seq, run_id AS runId, ran_at AS ranAtMs, done_to AS doneTo FROM ${table} WHERE run_id = ?`
  return db.statement<Omit<Run, 'eventSeq'>>(sql).get(runId) ?? null
}
