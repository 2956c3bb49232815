import type { EndpointId } from '../../../contract/endpoints.ts'
import { type Db, statement } from '../../../storage/database.ts'
import type { Fault, FaultEffect, NewFault } from '../../wire/fault.ts'

interface Row {
  seq: number
  fault_id: string
  endpoint: string | null
  credential: number | null
  domain: string | null
  public_id: string | null
  effect: string
  times: number | null
  probability: number
  seed: string
  hits: number
  last_request_id: string | null
}

function toFault(row: Row): Fault {
  return {
    id: row.fault_id,
    match: {
      endpoint: row.endpoint as EndpointId | null,
      credential: row.credential,
      domain: row.domain,
      publicId: row.public_id,
    },
    effect: JSON.parse(row.effect) as FaultEffect,
    times: row.times,
    probability: row.probability,
    seed: row.seed,
    hits: row.hits,
    lastRequestId: row.last_request_id,
  }
}

export function hasFaults(db: Db): boolean {
  return statement(db, 'SELECT 1 FROM faults LIMIT 1').get() !== undefined
}

export function countFaults(db: Db): number {
  return statement(db, 'SELECT count(*) FROM faults').pluck().get() as number
}

/** In the order they were made. */
export function selectFaults(db: Db): Fault[] {
  return statement<Row>(db, 'SELECT * FROM faults ORDER BY seq').all().map(toFault)
}

/** Those that may still act on calls of a credential to an endpoint, in the order they were made. */
export function selectLiveFaults(db: Db, endpoint: EndpointId, credential: number): Fault[] {
  const rows = statement(
    db,
    `SELECT * FROM faults
     WHERE (times IS NULL OR hits < times) AND (endpoint IS NULL OR endpoint = ?) AND (credential IS NULL OR credential = ?)
     ORDER BY seq`,
  ).all(endpoint, credential)
  return (rows as Row[]).map(toFault)
}

/** Numbers are never given twice, so an old id never means a new rule. */
export function nextFaultNumber(db: Db): number {
  const last = statement(db, "SELECT seq FROM sqlite_sequence WHERE name = 'faults'").pluck().get()
  return ((last as number | undefined) ?? 0) + 1
}

export function insertFault(db: Db, seq: number, id: string, { match, effect, ...fault }: NewFault): void {
  statement(
    db,
    `INSERT INTO faults (seq, fault_id, endpoint, credential, domain, public_id, effect, times, probability, seed)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    ...[seq, id, match.endpoint, match.credential, match.domain, match.publicId],
    ...[JSON.stringify(effect), fault.times, fault.probability, fault.seed],
  )
}

/** @returns false where there is none. */
export function deleteFault(db: Db, id: string): boolean {
  return statement(db, 'DELETE FROM faults WHERE fault_id = ?').run(id).changes > 0
}

export function deleteFaults(db: Db): void {
  statement(db, 'DELETE FROM faults').run()
}

export function deleteFaultsOf(db: Db, credential: number): void {
  statement(db, 'DELETE FROM faults WHERE credential = ?').run(credential)
}

export function countHit(db: Db, id: string, requestId: string): void {
  statement(db, 'UPDATE faults SET hits = hits + 1, last_request_id = ? WHERE fault_id = ?').run(requestId, id)
}

/** Which draw this is for one operation under one rule, counting from 1. */
export function nextDraw(db: Db, id: string, operation: string): number {
  return statement(
    db,
    `INSERT INTO fault_draws (fault_id, operation, draws) VALUES (?, ?, 1)
     ON CONFLICT (fault_id, operation) DO UPDATE SET draws = draws + 1 RETURNING draws`,
  )
    .pluck()
    .get(id, operation) as number
}
