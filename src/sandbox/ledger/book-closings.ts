import type { World } from '../kernel/world.ts'
import { book, bookedSale } from './ledger.ts'
import type { Sale } from './types.ts'

/**
 * A settlement run has stated what is owed for a sale. A later undoing then leaves a negative rest, which the next
 * statement makes up for (SET-02).
 */
export function bookSettled(world: World, publicId: string, statementSeq: number): void {
  const sale = bookedSale(world, { publicId })
  const owedCents = sale.paymentModel === 'partner_collected' ? sale.grossCents - sale.commissionCents : 0
  book(world, sale, { kind: 'settled', unsettledCents: 0 - owedCents, statementSeq })
}

/** A statement makes up for a sale that was undone after an earlier one had stated it. */
export function bookAdjusted(
  world: World,
  sale: Pick<Sale, 'seq' | 'partnerId'>,
  cents: number,
  statementSeq: number,
): void {
  book(world, sale, { kind: 'settled', unsettledCents: cents, statementSeq })
}

/** A payout has paid what was payable for a sale; negative where it takes back what had been paid for an undone one. */
export function bookPaidOut(
  world: World,
  sale: Pick<Sale, 'seq' | 'partnerId'>,
  cents: number,
  payoutSeq: number,
): void {
  book(world, sale, { kind: 'paid_out', dueCents: -cents, payableCents: -cents, payoutSeq })
}
