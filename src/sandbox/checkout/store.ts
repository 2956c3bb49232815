import { type Db, statement } from '../../storage/database.ts'
import type { CheckoutSession, SessionBuyer, SessionFilter } from './types.ts'

export function insertSession(db: Db, session: CheckoutSession): void {
  statement(
    db,
    `INSERT INTO checkout_sessions (seq, session_id, partner_id, affiliate, domain, return_url, cancel_url, buyer, link_id,
       state, created_at, expires_at)
     VALUES (@seq, @sessionId, @partnerId, @affiliate, @domain, @returnUrl, @cancelUrl, @buyer, @linkId, @state,
       @createdAtMs, @expiresAtMs)`,
  ).run(valuesOf(session))
}

/** Writes down what may change of a session. */
export function updateSession(db: Db, session: CheckoutSession): void {
  statement(
    db,
    `UPDATE checkout_sessions SET buyer = @buyer, link_id = @linkId, state = @state, pays_at = @paysAtMs,
       agreed_price_cents = @agreedPriceCents, public_id = @publicId
     WHERE seq = @seq`,
  ).run(valuesOf(session))
}

const SELECT_SESSION = `SELECT seq, session_id AS sessionId, partner_id AS partnerId, affiliate, domain, return_url AS returnUrl,
  cancel_url AS cancelUrl, buyer, link_id AS linkId, state, pays_at AS paysAtMs, agreed_price_cents AS agreedPriceCents,
  public_id AS publicId, created_at AS createdAtMs, expires_at AS expiresAtMs FROM checkout_sessions`

export function sessionById(db: Db, sessionId: string): CheckoutSession | null {
  return firstSession(db, `${SELECT_SESSION} WHERE session_id = ?`, sessionId)
}

/** Sessions that fit every given condition, newest first. */
export function sessionsWhere(db: Db, filter: SessionFilter & { beforeSeq: number }): CheckoutSession[] {
  const conditions = ['seq < @beforeSeq']
  if (filter.partnerId !== undefined) conditions.push('partner_id = @partnerId')
  if (filter.state !== undefined) conditions.push('state = @state')
  if (filter.domain !== undefined) conditions.push('domain = @domain')
  const sql = `${SELECT_SESSION} WHERE ${conditions.join(' AND ')} ORDER BY seq DESC LIMIT @limit`
  return statement<SessionRow>(db, sql).all(filter).map(sessionFrom)
}

export function earliestExpiring(db: Db): CheckoutSession | null {
  return firstSession(db, `${SELECT_SESSION} WHERE state = 'open' ORDER BY expires_at, seq LIMIT 1`)
}

export function earliestPaying(db: Db): CheckoutSession | null {
  return firstSession(db, `${SELECT_SESSION} WHERE state = 'paying' ORDER BY pays_at, seq LIMIT 1`)
}

export function countInState(db: Db, state: 'open' | 'paying'): number {
  // Spelled out, so that each count has the partial index of its state.
  const sql = `SELECT count(*) AS n FROM checkout_sessions WHERE state = '${state}'`
  return (statement(db, sql).get() as { n: number }).n
}

function valuesOf(session: CheckoutSession) {
  const { affiliate, buyer } = session
  return { ...session, affiliate: Number(affiliate), buyer: buyer && JSON.stringify(buyer) }
}

function firstSession(db: Db, sql: string, ...values: string[]): CheckoutSession | null {
  const row = statement<SessionRow>(db, sql).get(...values)
  return row ? sessionFrom(row) : null
}

/** A row as it is selected: the buyer is JSON, and what is true is 1. */
type SessionRow = Omit<CheckoutSession, 'affiliate' | 'buyer'> & { affiliate: number; buyer: string | null }

function sessionFrom(row: SessionRow): CheckoutSession {
  const buyer = row.buyer === null ? null : (JSON.parse(row.buyer) as SessionBuyer)
  return { ...row, affiliate: row.affiliate === 1, buyer }
}
