import { CURRENT_CASE_STATES } from '../../contract/case-states.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { BrokerageCase, CaseFilter, CaseTimelineEntry } from './types.ts'

// Spelled as in the index brokerage_one_case_a_domain, so that SQLite sees it.
const UNDER_WAY = `domain IS NOT NULL AND status IN (${CURRENT_CASE_STATES.map((state) => `'${state}'`).join(', ')})`

/** @returns false where another case that is under way has the domain. */
export function insertCase(db: Db, opened: BrokerageCase): boolean {
  const { changes } = statement(
    db,
    `INSERT INTO brokerage_cases (seq, case_id, partner_id, tier, buyer_email, budget_cents, currency, domain, status,
       deal_price_cents, share_basis_points, partner_cut_cents, closes_at, created_at, updated_at)
     VALUES (@seq, @caseId, @partnerId, @tier, @buyerEmail, @budgetCents, @currency, @domain, @status,
       @dealPriceCents, @shareBasisPoints, @partnerCutCents, @closesAtMs, @createdAtMs, @updatedAtMs)
     ON CONFLICT (domain) WHERE ${UNDER_WAY} DO NOTHING`,
  ).run(opened)
  return changes === 1
}

/** Writes down where a case stands now. */
export function updateCase(db: Db, moved: BrokerageCase): void {
  statement(
    db,
    `UPDATE brokerage_cases SET status = ?, deal_price_cents = ?, partner_cut_cents = ?, closes_at = ?, updated_at = ?
     WHERE seq = ?`,
  ).run(moved.status, moved.dealPriceCents, moved.partnerCutCents, moved.closesAtMs, moved.updatedAtMs, moved.seq)
}

const SELECT_CASE = `SELECT seq, case_id AS caseId, partner_id AS partnerId, tier, buyer_email AS buyerEmail,
  budget_cents AS budgetCents, currency, domain, status, deal_price_cents AS dealPriceCents,
  share_basis_points AS shareBasisPoints, partner_cut_cents AS partnerCutCents, closes_at AS closesAtMs,
  created_at AS createdAtMs, updated_at AS updatedAtMs FROM brokerage_cases`

export function caseById(db: Db, caseId: string): BrokerageCase | null {
  return statement<BrokerageCase>(db, `${SELECT_CASE} WHERE case_id = ?`).get(caseId) ?? null
}

/** The case under way about a domain, whoever's it is. */
export function currentCaseOf(db: Db, domain: string): BrokerageCase | null {
  return statement<BrokerageCase>(db, `${SELECT_CASE} WHERE domain = ? AND ${UNDER_WAY}`).get(domain) ?? null
}

/** Cases that fit every given condition, newest first. */
export function casesWhere(db: Db, filter: CaseFilter & { beforeSeq: number }): BrokerageCase[] {
  const conditions = ['seq < @beforeSeq']
  if (filter.partnerId !== null) conditions.push('partner_id = @partnerId')
  if (filter.status !== undefined) conditions.push('status = @status')
  if (filter.domain !== undefined) conditions.push('domain = @domain')
  if (filter.fromMs !== undefined) conditions.push('created_at >= @fromMs')
  if (filter.toMs !== undefined) conditions.push('created_at < @toMs')
  const sql = `${SELECT_CASE} WHERE ${conditions.join(' AND ')} ORDER BY seq DESC LIMIT @limit`
  return statement<BrokerageCase>(db, sql).all(filter)
}

/** The case that closes by itself next. */
export function earliestClosing(db: Db): { caseId: string; atMs: number } | null {
  const found = statement(
    db,
    `SELECT case_id AS caseId, closes_at AS atMs FROM brokerage_cases WHERE closes_at IS NOT NULL
     ORDER BY closes_at, seq LIMIT 1`,
  ).get()
  return (found as { caseId: string; atMs: number } | undefined) ?? null
}

export function countClosing(db: Db): number {
  const sql = 'SELECT count(*) FROM brokerage_cases WHERE closes_at IS NOT NULL'
  return statement(db, sql).pluck().get() as number
}

export function addToTimeline(db: Db, caseSeq: number, entry: CaseTimelineEntry): void {
  statement(
    db,
    `INSERT INTO brokerage_timeline (case_seq, position, status, at, event_id, note)
     SELECT @caseSeq, coalesce(max(position), 0) + 1, @status, @atMs, @eventId, @note
     FROM brokerage_timeline WHERE case_seq = @caseSeq`,
  ).run({ caseSeq, ...entry })
}

export function timelineOf(db: Db, caseSeq: number): CaseTimelineEntry[] {
  return statement<CaseTimelineEntry>(
    db,
    'SELECT status, at AS atMs, event_id AS eventId, note FROM brokerage_timeline WHERE case_seq = ? ORDER BY position',
  ).all(caseSeq)
}
