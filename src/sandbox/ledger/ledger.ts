import type { PaymentModel } from '../../contract/payment-models.ts'
import { type Db, nextSequence } from '../../storage/db.ts'
import { storedRows } from '../../storage/rows.ts'
import type { World } from '../kernel/world.ts'

/** What was sold: an order, or the deal of a brokerage case. */
export type SaleRef = { orderSeq: number } | { caseId: string }

interface Sale {
  seq: number
  partnerId: string
  orderSeq: number | null
  caseId: string | null
  domain: string | null
  paymentModel: PaymentModel
  currency: string
  /** What it is worth now: the sum of its lines, which is nothing once it is undone. */
  grossCents: number
  commissionCents: number
  /** The partner's share of the price as it was when it was sold. */
  rateBasisPoints: number
  createdAtMs: number
}

/** What a line is about. The first and the last are about what the partner owes, the others about what it is owed. */
type EntryKind = 'retained' | 'accrued' | 'pending' | 'paid_out' | 'reversed' | 'settled'

interface Entry {
  seq: number
  saleSeq: number
  partnerId: string
  kind: EntryKind
  /** All five are signed. */
  grossCents: number
  commissionCents: number
  /** What the service owes the partner. */
  dueCents: number
  /** The part of it that a payout run may pay now. */
  payableCents: number
  /** What the partner owes the service and no statement has said yet. */
  unsettledCents: number
  /** What the partner was owed in all, this line included. */
  balanceCents: number
  statementSeq: number | null
  payoutSeq: number | null
  createdAtMs: number
}

const SALES = storedRows<Sale>()('sales', [
  'seq',
  'partnerId',
  'orderSeq',
  'caseId',
  'domain',
  'paymentModel',
  'currency',
  'grossCents',
  'commissionCents',
  'rateBasisPoints',
  'createdAtMs',
])

const ENTRIES = storedRows<Entry>()('ledger_entries', [
  'seq',
  'saleSeq',
  'partnerId',
  'kind',
  'grossCents',
  'commissionCents',
  'dueCents',
  'payableCents',
  'unsettledCents',
  'balanceCents',
  'statementSeq',
  'payoutSeq',
  'createdAtMs',
])

/** A sale as it is booked, at its price and at the rate of that moment. */
export type NewSale = SaleRef &
  Pick<Sale, 'partnerId' | 'domain' | 'paymentModel' | 'currency' | 'commissionCents' | 'rateBasisPoints'> & {
    priceCents: number
  }

/** A change of what a sale is worth and of what is owed for it. What is left out does not change. */
export type Change = Pick<Entry, 'kind'> & Partial<Pick<Entry, Amount | 'statementSeq' | 'payoutSeq'>>

type Amount = 'grossCents' | 'commissionCents' | 'dueCents' | 'payableCents' | 'unsettledCents'

const BASIS_POINTS = 10_000

/**
 * The partner's share of a price, rounded down to whole cents in favor of the service. Exact for every price, because
 * no product is larger than the price.
 */
export function commissionOf(basisPoints: number, priceCents: number): number {
  const rest = priceCents % BASIS_POINTS
  return ((priceCents - rest) / BASIS_POINTS) * basisPoints + Math.floor((rest * basisPoints) / BASIS_POINTS)
}

/**
 * Books a sale: what the partner collected itself it owes but for its commission, what the service collected earns the
 * partner a commission (TXN-01, RPT-03). The order or case must be a row already.
 */
export function bookSale(world: World, input: NewSale): void {
  const { priceCents, commissionCents } = input
  const seq = nextSequence(world.db, 'sales')
  // Member by member, here and in book: a spread of so many costs as much as a statement.
  const sale: Sale = {
    seq,
    partnerId: input.partnerId,
    orderSeq: 'orderSeq' in input ? input.orderSeq : null,
    caseId: 'caseId' in input ? input.caseId : null,
    domain: input.domain,
    paymentModel: input.paymentModel,
    currency: input.currency,
    grossCents: priceCents,
    commissionCents,
    rateBasisPoints: input.rateBasisPoints,
    createdAtMs: world.clock.nowMs(),
  }
  const worth = { grossCents: priceCents, commissionCents }
  SALES.insert(world.db, sale)
  book(
    world,
    sale,
    sale.paymentModel === 'partner_collected'
      ? { kind: 'retained', ...worth, unsettledCents: priceCents - commissionCents }
      : { kind: 'accrued', ...worth, dueCents: commissionCents },
  )
}

/**
 * The commission of a hosted sale or a brokerage deal may be paid out from now on. Partner-collected sales have none to
 * pay, and what may be paid already stays so; both are left as they are.
 */
export function bookPayable(world: World, ref: SaleRef): void {
  const sale = bookedSale(world, ref)
  const { commissionCents, grossCents } = sale
  if (sale.paymentModel === 'partner_collected' || grossCents === 0 || isPending(world.db, sale.seq)) return
  book(world, sale, { kind: 'accrued', dueCents: -commissionCents })
  book(world, sale, { kind: 'pending', dueCents: commissionCents, payableCents: commissionCents })
}

/**
 * Undoes a sale: its worth and its commission are taken back, once (REF-04). What had been paid out or stated already is
 * then owed back, and the next payout run or statement makes up for it.
 */
export function bookReversal(world: World, ref: SaleRef): void {
  const sale = bookedSale(world, ref)
  const { grossCents, commissionCents } = sale
  if (grossCents === 0) return
  const undoing = 'UPDATE sales SET gross_cents = 0, commission_cents = 0 WHERE seq = ?'
  world.db.statement(undoing).run(sale.seq)
  const payableCents = isPending(world.db, sale.seq) ? -commissionCents : 0
  const worth = { grossCents: -grossCents, commissionCents: -commissionCents }
  book(
    world,
    sale,
    sale.paymentModel === 'partner_collected'
      ? { kind: 'reversed', ...worth, unsettledCents: commissionCents - grossCents }
      : { kind: 'reversed', ...worth, dueCents: -commissionCents, payableCents },
  )
}

/**
 * A settlement run has stated what is owed for a sale. A later undoing then leaves a negative rest, which the next
 * statement makes up for (SET-02).
 */
export function bookSettled(world: World, orderSeq: number, statementSeq: number): void {
  const sale = bookedSale(world, { orderSeq })
  const owedCents = sale.paymentModel === 'partner_collected' ? sale.grossCents - sale.commissionCents : 0
  book(world, sale, { kind: 'settled', unsettledCents: 0 - owedCents, statementSeq })
}

/** Writes one line. Lines are never altered; each carries what its partner was owed once it was written. */
export function book(world: World, { seq: saleSeq, partnerId }: Pick<Sale, 'seq' | 'partnerId'>, change: Change): void {
  const seq = nextSequence(world.db, 'ledger_entries')
  ENTRIES.insert(world.db, {
    seq,
    saleSeq,
    partnerId,
    kind: change.kind,
    grossCents: change.grossCents ?? 0,
    commissionCents: change.commissionCents ?? 0,
    dueCents: change.dueCents ?? 0,
    payableCents: change.payableCents ?? 0,
    unsettledCents: change.unsettledCents ?? 0,
    balanceCents: partnerBalance(world, partnerId) + (change.dueCents ?? 0),
    statementSeq: change.statementSeq ?? null,
    payoutSeq: change.payoutSeq ?? null,
    createdAtMs: world.clock.nowMs(),
  })
}

/** Every order and every closed deal has been booked, so one that is missing is a fault of ours. */
function bookedSale(world: World, ref: SaleRef): Sale {
  const sale =
    'orderSeq' in ref
      ? SALES.where(world.db, 'order_seq = ?').get(ref.orderSeq)
      : SALES.where(world.db, 'case_id = ?').get(ref.caseId)
  if (!sale) throw new Error(`no sale was booked for ${'orderSeq' in ref ? `order ${ref.orderSeq}` : ref.caseId}`)
  return sale
}

/** Whether the commission of a sale may be paid out or has been. */
function isPending(db: Db, saleSeq: number): boolean {
  const sql = "SELECT 1 FROM ledger_entries WHERE sale_seq = ? AND kind = 'pending' LIMIT 1"
  return db.statement(sql).get(saleSeq) !== undefined
}

/** What a partner is owed now: as its latest line says, so that writing a line needs no sum over all lines. */
export function partnerBalance({ db }: World, partnerId: string): number {
  const sql = 'SELECT balance_cents FROM ledger_entries WHERE partner_id = ? ORDER BY seq DESC LIMIT 1'
  return db.statement<number>(sql).pluck().get(partnerId) ?? 0
}
