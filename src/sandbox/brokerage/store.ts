import { type CaseState, CURRENT_CASE_STATES } from '../../contract/case-states.ts'
import { type Db, statement } from '../../storage/db.ts'
import { conditionsOf, countBy, storedRows, windowOn } from '../../storage/rows.ts'
import { Timelines } from '../events/timeline.ts'
import type { BrokerageCase, CaseQuery } from './types.ts'

// Spelled as in the index brokerage_one_case_a_domain, so that SQLite sees it.
const UNDER_WAY = `domain IS NOT NULL AND status IN (${CURRENT_CASE_STATES.map((state) => `'${state}'`).join(', ')})`

const CASES = storedRows<BrokerageCase>()('brokerage_cases', [
  'seq',
  'caseId',
  'partnerId',
  'tier',
  'buyerEmail',
  'budgetCents',
  'currency',
  'domain',
  'status',
  'dealPriceCents',
  'shareBasisPoints',
  'partnerCutCents',
  'closesAtMs',
  'createdAtMs',
  'updatedAtMs',
])

/** @returns false where another case that is under way has the domain. */
export function insertCase(db: Db, opened: BrokerageCase): boolean {
  return CASES.insert(db, opened, `ON CONFLICT (domain) WHERE ${UNDER_WAY} DO NOTHING`) === 1
}

export function updateCase(db: Db, moved: BrokerageCase): void {
  statement(
    db,
    `UPDATE brokerage_cases SET status = ?, deal_price_cents = ?, partner_cut_cents = ?, closes_at = ?, updated_at = ?
     WHERE seq = ?`,
  ).run(moved.status, moved.dealPriceCents, moved.partnerCutCents, moved.closesAtMs, moved.updatedAtMs, moved.seq)
}

export function caseById(db: Db, caseId: string): BrokerageCase | null {
  return CASES.where(db, 'case_id = ?').get(caseId) ?? null
}

/** The open case about a domain, of any partner. */
export function currentCaseOf(db: Db, domain: string): BrokerageCase | null {
  return CASES.where(db, `domain = ? AND ${UNDER_WAY}`).get(domain) ?? null
}

const fitting = conditionsOf<CaseQuery & { beforeSeq: number }>(
  'seq < @beforeSeq',
  'partner_id = @partnerId',
  'status = @status',
  'domain = @domain',
  ...windowOn('created_at'),
)

/** Cases that fit every given condition, newest first. */
export function casesWhere(db: Db, filter: CaseQuery & { beforeSeq: number }): BrokerageCase[] {
  return CASES.where(db, `${fitting(filter)} ORDER BY seq DESC LIMIT @limit`).all(filter)
}

export function earliestClosing(db: Db): { caseId: string; atMs: number } | null {
  const sql = `SELECT case_id AS caseId, closes_at AS atMs FROM brokerage_cases WHERE closes_at IS NOT NULL
    ORDER BY closes_at, seq LIMIT 1`
  return statement<{ caseId: string; atMs: number }>(db, sql).get() ?? null
}

export function countClosing(db: Db): number {
  const sql = 'SELECT count(*) FROM brokerage_cases WHERE closes_at IS NOT NULL'
  return statement<number>(db, sql).pluck().get() as number
}

export function countCases(db: Db): Record<string, number> {
  return countBy(db, 'brokerage_cases', 'status')
}

export const caseTimelines = new Timelines<CaseState>('brokerage_timeline', 'case_seq')
