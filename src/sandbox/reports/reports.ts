import { formatInstant } from '../../clock/instant.ts'
import type { CaseState } from '../../contract/case-states.ts'
import type { OrderState } from '../../contract/order-states.ts'
import type { PaymentModel } from '../../contract/payment-models.ts'
import { conditionsOf, windowOn } from '../../storage/rows.ts'
import { LISTING_CURRENCY } from '../inventory/draw-listing.ts'
import { type DateWindow, type Page, type Paging, readPage } from '../kernel/paging.ts'
import type { Credential, World } from '../kernel/world.ts'
import { partnerBalance } from '../ledger/ledger.ts'
import { clickTotals } from '../referral/links.ts'

interface ReportScope extends DateWindow {
  partnerId: string
}

type BeforeRow = ReportScope & { beforeSeq?: number }

const PUBLIC_ID = '(SELECT public_id FROM orders WHERE orders.seq = sales.order_seq)'

const STATUS = `coalesce((SELECT status FROM orders WHERE orders.seq = sales.order_seq),
  (SELECT status FROM brokerage_cases WHERE brokerage_cases.case_id = sales.case_id))`

const salesWhere = conditionsOf<BeforeRow & TransactionFilter>(
  'seq < @beforeSeq',
  'partner_id = @partnerId',
  ...windowOn('created_at'),
  'payment_model = @paymentModel',
  `${STATUS} = @status`,
)

/** A domain sold through a partner, in any sales model; an undone one is worth nothing. */
interface Transaction {
  seq: number
  publicId: string | null
  caseId: string | null
  domain: string | null
  salePriceCents: number
  commissionCents: number
  currency: string
  paymentModel: PaymentModel
  status: OrderState | CaseState
  createdAtMs: number
}

interface Totals {
  count: number
  gmvCents: number
  commissionCents: number
}

export interface TransactionFilter extends DateWindow {
  status?: OrderState | CaseState | undefined
  paymentModel?: PaymentModel | undefined
}

/** A page of a partner's sales, newest first, with totals over all that fit the filter, on this page or not (TXN-01, TXN-02). */
export function listTransactions(
  world: World,
  caller: Credential,
  filter: TransactionFilter & Paging,
): Page<Transaction> & { totals: Totals } {
  const { db, chance } = world
  const all = { ...filter, partnerId: caller.partnerId }
  const page = readPage(
    all,
    (transactionId) => {
      const seq = chance.numberOf('transaction', transactionId)
      const sql = 'SELECT seq, partner_id AS partnerId FROM sales WHERE seq = ?'
      return seq === null ? null : (db.statement<{ seq: number; partnerId: string }>(sql).get(seq) ?? null)
    },
    (part) => {
      const wanted = { ...all, ...part }
      const sql = `SELECT seq, ${PUBLIC_ID} AS publicId, case_id AS caseId, domain,
          gross_cents AS salePriceCents, commission_cents AS commissionCents, currency, payment_model AS paymentModel,
          ${STATUS} AS status, created_at AS createdAtMs
        FROM sales WHERE ${salesWhere(wanted)} ORDER BY seq DESC LIMIT @limit`
      return db.statement<Transaction>(sql).all(wanted)
    },
  )
  const sums = `SELECT count(*) AS count, coalesce(sum(gross_cents), 0) AS gmvCents,
      coalesce(sum(commission_cents), 0) AS commissionCents
    FROM sales WHERE ${salesWhere(all)}`
  return { ...page, totals: db.statement<Totals>(sums).get(all) as Totals }
}

const ATTRIBUTED = `SELECT orders.seq, orders.public_id AS publicId, orders.partner_id AS partnerId, link_id AS linkId,
    buyer, orders.domain, gross_cents AS amountCents, sales.commission_cents AS commissionCents,
    orders.currency, orders.created_at AS createdAtMs
  FROM orders JOIN sales ON sales.order_seq = orders.seq WHERE link_id IS NOT NULL`

const attributedWhere = conditionsOf<BeforeRow>(
  'orders.seq < @beforeSeq',
  'orders.partner_id = @partnerId',
  ...windowOn('orders.created_at'),
)

/** A sale that a tracking link led to; an undone one is worth nothing. */
interface AttributedSale {
  seq: number
  publicId: string
  partnerId: string
  linkId: string | null
  buyer: { email: string; country: string | null }
  domain: string
  amountCents: number
  commissionCents: number
  currency: string
  createdAtMs: number
}

type AttributedRow = Omit<AttributedSale, 'buyer'> & { buyer: string }

/** A page of the sales that a partner's links led to, newest first (RPT-02). */
export function listAttributedSales(
  world: World,
  caller: Credential,
  filter: DateWindow & Paging,
): Page<AttributedSale> {
  const { db } = world
  const all = { ...filter, partnerId: caller.partnerId }
  const page = readPage(
    all,
    (publicId) => db.statement<AttributedRow>(`${ATTRIBUTED} AND orders.public_id = ?`).get(publicId) ?? null,
    (part) => {
      const wanted = { ...all, ...part }
      const sql = `${ATTRIBUTED} AND ${attributedWhere(wanted)} ORDER BY orders.seq DESC LIMIT @limit`
      return db.statement<AttributedRow>(sql).all(wanted)
    },
  )
  const rows = page.rows.map((row) => {
    const { email, country } = JSON.parse(row.buyer) as { email: string; country?: string }
    return { ...row, buyer: { email, country: country ?? null } }
  })
  return { ...page, rows }
}

const openedWhere = conditionsOf<ReportScope>('partner_id = @partnerId', ...windowOn('created_at'))

/** Of the conversion rate: four. */
const PLACES = 10_000

/** Clicks and checkouts of a stretch of time, and exactly the sales that {@link listAttributedSales} lists (RPT-05). */
export function funnel(world: World, caller: Credential, window: DateWindow) {
  const { partnerId } = caller
  const clicks = clickTotals(world, partnerId, window).total
  const all = { ...window, partnerId }
  const bought = `SELECT count(*) AS count, coalesce(sum(amountCents), 0) AS gmvCents,
      coalesce(sum(commissionCents), 0) AS commissionCents
    FROM (${ATTRIBUTED} AND ${attributedWhere(all)})`
  const { count, gmvCents, commissionCents } = world.db.statement<Totals>(bought).get(all) as Totals
  const opened = `SELECT count(*) FROM checkout_sessions WHERE link_id IS NOT NULL AND ${openedWhere(all)}`
  return {
    clicks,
    checkouts: world.db.statement<number>(opened).pluck().get(all) as number,
    sales: count,
    conversion_rate: clicks === 0 ? 0 : Math.round((count / clicks) * PLACES) / PLACES,
    gmv_cents: gmvCents,
    commission_cents: commissionCents,
    currency: LISTING_CURRENCY,
  }
}

/** A line of what the service owes a partner. */
export interface CommissionLine {
  seq: number
  partnerId: string
  kind: 'accrued' | 'pending' | 'paid_out' | 'reversed'
  /** Signed: what the line changes. */
  amountCents: number
  /** What was owed once it had. */
  balanceCents: number
  publicId: string | null
  caseId: string | null
  createdAtMs: number
}

export function presentCommissionLine({ chance }: World, line: CommissionLine) {
  return {
    entry_id: chance.id('ledgerEntry', line.seq),
    kind: line.kind,
    amount_cents: line.amountCents,
    balance_cents: line.balanceCents,
    public_id: line.publicId,
    case_id: line.caseId,
    created_at: formatInstant(line.createdAtMs),
  }
}

/** Lines about what the service owes, without what a partner keeps of its own sales. */
const LINE = (index = '') => `SELECT ledger_entries.seq, ledger_entries.partner_id AS partnerId, kind,
    due_cents AS amountCents, balance_cents AS balanceCents, ${PUBLIC_ID} AS publicId, case_id AS caseId,
    ledger_entries.created_at AS createdAtMs
  FROM ledger_entries ${index} JOIN sales ON sales.seq = sale_seq
  WHERE kind IN ('accrued', 'pending', 'paid_out', 'reversed')
    AND (payment_model <> 'partner_collected' OR due_cents <> 0)`

const linesWhere = conditionsOf<BeforeRow>(
  'ledger_entries.seq < @beforeSeq',
  'ledger_entries.partner_id = @partnerId',
  ...windowOn('ledger_entries.created_at'),
)

/**
 * A page of the commission ledger, newest first (RPT-03). The balance of a line is that of the whole ledger up to it, however
 * little of it the filter shows.
 */
export function listCommissions(
  world: World,
  caller: Pick<Credential, 'partnerId'>,
  filter: DateWindow & Paging,
): Page<CommissionLine> & { balanceCents: number; currency: string } {
  const { db, chance } = world
  const { partnerId } = caller
  const all = { ...filter, partnerId }
  const page = readPage(
    all,
    (entryId) => {
      const seq = chance.numberOf('ledgerEntry', entryId)
      const sql = `${LINE()} AND ledger_entries.seq = ?`
      return seq === null ? null : (db.statement<CommissionLine>(sql).get(seq) ?? null)
    },
    (part) => {
      const wanted = { ...all, ...part }
      // SQLite would take the index of all lines, and walk over those of partner-collected sales one by one.
      const sql = `${LINE('INDEXED BY ledger_of_commissions')} AND ${linesWhere(wanted)}
        ORDER BY ledger_entries.seq DESC LIMIT @limit`
      return db.statement<CommissionLine>(sql).all(wanted)
    },
  )
  return { ...page, balanceCents: partnerBalance(world, partnerId), currency: LISTING_CURRENCY }
}
