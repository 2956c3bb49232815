import { formatInstant } from '../../clock/instant.ts'
import type { World } from '../kernel/world.ts'
import type { Funnel } from './reports.ts'
import type { AttributedSale, CommissionLine, Totals, Transaction } from './types.ts'

export function presentTransaction({ chance }: World, transaction: Transaction) {
  return {
    transaction_id: chance.id('transaction', transaction.seq),
    public_id: transaction.publicId,
    case_id: transaction.caseId,
    domain: transaction.domain,
    sale_price_cents: transaction.salePriceCents,
    commission_cents: transaction.commissionCents,
    currency: transaction.currency,
    payment_model: transaction.paymentModel,
    status: transaction.status,
    created_at: formatInstant(transaction.createdAtMs),
  }
}

export function presentTotals({ count, gmvCents, commissionCents }: Totals) {
  return { count, gmv_cents: gmvCents, commission_cents: commissionCents }
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

export function presentAttributedSale(sale: AttributedSale) {
  return {
    public_id: sale.publicId,
    link_id: sale.linkId,
    buyer: sale.buyer,
    domain: sale.domain,
    amount_cents: sale.amountCents,
    commission_cents: sale.commissionCents,
    currency: sale.currency,
    created_at: formatInstant(sale.createdAtMs),
  }
}

export function presentFunnel(funnel: Funnel) {
  return {
    clicks: funnel.clicks,
    checkouts: funnel.checkouts,
    sales: funnel.sales,
    conversion_rate: funnel.conversionRate,
    gmv_cents: funnel.gmvCents,
    commission_cents: funnel.commissionCents,
    currency: funnel.currency,
  }
}
