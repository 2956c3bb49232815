import { type Db, statement } from '../../storage/db.ts'
import { conditionsOf, countBy, storedRows } from '../../storage/rows.ts'
import type { CheckoutSession, SessionBuyer, SessionFilter } from './types.ts'

/** A row as it is selected: the buyer is JSON, and what is true is 1. */
type SessionRow = Omit<CheckoutSession, 'affiliate' | 'buyer'> & { affiliate: number; buyer: string | null }

const SESSIONS = storedRows<SessionRow>()('checkout_sessions', [
  'seq',
  'sessionId',
  'partnerId',
  'affiliate',
  'domain',
  'returnUrl',
  'cancelUrl',
  'buyer',
  'linkId',
  'state',
  'paysAtMs',
  'agreedPriceCents',
  'publicId',
  'createdAtMs',
  'expiresAtMs',
])

function sessionFrom(row: SessionRow): CheckoutSession {
  const buyer = row.buyer === null ? null : (JSON.parse(row.buyer) as SessionBuyer)
  return { ...row, affiliate: row.affiliate === 1, buyer }
}

function rowOf(session: CheckoutSession): SessionRow {
  const { affiliate, buyer } = session
  return { ...session, affiliate: Number(affiliate), buyer: buyer && JSON.stringify(buyer) }
}

export function insertSession(db: Db, session: CheckoutSession): void {
  SESSIONS.insert(db, rowOf(session))
}

export function updateSession(db: Db, session: CheckoutSession): void {
  statement(
    db,
    `UPDATE checkout_sessions SET buyer = @buyer, link_id = @linkId, state = @state, pays_at = @paysAtMs,
       agreed_price_cents = @agreedPriceCents, public_id = @publicId
     WHERE seq = @seq`,
  ).run(rowOf(session))
}

export function sessionById(db: Db, sessionId: string): CheckoutSession | null {
  return firstSession(db, 'session_id = ?', sessionId)
}

const fitting = conditionsOf<SessionFilter & { beforeSeq: number }>(
  'seq < @beforeSeq',
  'partner_id = @partnerId',
  'state = @state',
  'domain = @domain',
)

/** Sessions that fit every given condition, newest first. */
export function sessionsWhere(db: Db, filter: SessionFilter & { beforeSeq: number }): CheckoutSession[] {
  return SESSIONS.where(db, `${fitting(filter)} ORDER BY seq DESC LIMIT @limit`)
    .all(filter)
    .map(sessionFrom)
}

export function earliestExpiring(db: Db): CheckoutSession | null {
  return firstSession(db, "state = 'open' ORDER BY expires_at, seq LIMIT 1")
}

export function earliestPaying(db: Db): CheckoutSession | null {
  return firstSession(db, "state = 'paying' ORDER BY pays_at, seq LIMIT 1")
}

export function countInState(db: Db, state: 'open' | 'paying'): number {
  // Spelled out, so that each count has the partial index of its state.
  return statement<number>(db, `SELECT count(*) FROM checkout_sessions WHERE state = '${state}'`)
    .pluck()
    .get() as number
}

export function countSessions(db: Db): Record<string, number> {
  return countBy(db, 'checkout_sessions', 'state')
}

function firstSession(db: Db, condition: string, ...values: string[]): CheckoutSession | null {
  const row = SESSIONS.where(db, condition).get(...values)
  return row ? sessionFrom(row) : null
}
