import { type Db, statement } from '../../storage/database.ts'
import type { CheckoutSession, SessionBuyer, SessionFilter, SessionState } from './types.ts'

interface SessionRow {
  seq: number
  session_id: string
  partner_id: string
  affiliate: number
  domain: string
  return_url: string
  cancel_url: string
  buyer: string | null
  link_id: string | null
  state: SessionState
  pays_at: number | null
  agreed_price_cents: number | null
  public_id: string | null
  created_at: number
  expires_at: number
}

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

export function sessionById(db: Db, sessionId: string): CheckoutSession | null {
  return sessionFrom(statement(db, 'SELECT * FROM checkout_sessions WHERE session_id = ?').get(sessionId))
}

/** Sessions that fit every given condition, newest first. */
export function sessionsWhere(db: Db, filter: SessionFilter & { beforeSeq: number }): CheckoutSession[] {
  const conditions = ['seq < @beforeSeq']
  if (filter.partnerId !== undefined) conditions.push('partner_id = @partnerId')
  if (filter.state !== undefined) conditions.push('state = @state')
  if (filter.domain !== undefined) conditions.push('domain = @domain')
  const sql = `SELECT * FROM checkout_sessions WHERE ${conditions.join(' AND ')} ORDER BY seq DESC LIMIT @limit`
  return statement(db, sql)
    .all(filter)
    .map((row) => sessionFrom(row) as CheckoutSession)
}

export function earliestExpiring(db: Db): CheckoutSession | null {
  const sql = "SELECT * FROM checkout_sessions WHERE state = 'open' ORDER BY expires_at, seq LIMIT 1"
  return sessionFrom(statement(db, sql).get())
}

export function earliestPaying(db: Db): CheckoutSession | null {
  const sql = "SELECT * FROM checkout_sessions WHERE state = 'paying' ORDER BY pays_at, seq LIMIT 1"
  return sessionFrom(statement(db, sql).get())
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

function sessionFrom(found: unknown): CheckoutSession | null {
  const row = found as SessionRow | undefined
  if (!row) return null
  return {
    seq: row.seq,
    sessionId: row.session_id,
    partnerId: row.partner_id,
    affiliate: row.affiliate === 1,
    domain: row.domain,
    returnUrl: row.return_url,
    cancelUrl: row.cancel_url,
    buyer: row.buyer === null ? null : (JSON.parse(row.buyer) as SessionBuyer),
    linkId: row.link_id,
    state: row.state,
    paysAtMs: row.pays_at,
    agreedPriceCents: row.agreed_price_cents,
    publicId: row.public_id,
    createdAtMs: row.created_at,
    expiresAtMs: row.expires_at,
  }
}
