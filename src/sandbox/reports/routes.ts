import { formatInstant } from '../../clock/instant.ts'
import { CASE_STATES } from '../../contract/case-states.ts'
import { ORDER_STATES } from '../../contract/order-states.ts'
import { PAYMENT_MODELS } from '../../contract/payment-models.ts'
import { id, integer, nullable, number, object, oneOf, optional, text } from '../../contract/schema.ts'
import { cents, count, currency, time } from '../wire/fields.ts'
import { listAnswer, listReply, pagingOf, pagingQuery, windowOf, windowQuery } from '../wire/list-query.ts'
import { ok, route } from '../wire/route.ts'
import { funnel, listAttributedSales, listCommissions, listTransactions, presentCommissionLine } from './reports.ts'

const soldDomain = text({ format: 'domain' })
const status = oneOf([...ORDER_STATES, ...CASE_STATES], 'State of the order, or of the brokerage case.')

const transactions = route({
  query: object({
    ...windowQuery,
    status: optional(status),
    payment_model: optional(oneOf(PAYMENT_MODELS)),
    ...pagingQuery,
  }),
  answer: listAnswer(
    'transactions',
    object({
      transaction_id: id('transaction'),
      public_id: nullable(id('order')),
      case_id: nullable(id('brokerageCase')),
      domain: nullable(soldDomain),
      sale_price_cents: integer({ minimum: 0, description: 'Zero for a sale that was undone.' }),
      commission_cents: cents,
      currency,
      payment_model: oneOf(PAYMENT_MODELS),
      status,
      created_at: time,
    }),
    'transaction',
    { totals: object({ count, gmv_cents: cents, commission_cents: cents }) },
  ),
  handle({ world, caller, query }) {
    const page = listTransactions(world, caller, {
      ...windowOf(query),
      status: query.status,
      paymentModel: query.payment_model,
      ...pagingOf(query),
    })
    const { count, gmvCents, commissionCents } = page.totals
    return listReply('transactions', page, {
      present: (transaction) => ({
        transaction_id: world.chance.id('transaction', transaction.seq),
        public_id: transaction.publicId,
        case_id: transaction.caseId,
        domain: transaction.domain,
        sale_price_cents: transaction.salePriceCents,
        commission_cents: transaction.commissionCents,
        currency: transaction.currency,
        payment_model: transaction.paymentModel,
        status: transaction.status,
        created_at: formatInstant(transaction.createdAtMs),
      }),
      idOf: ({ seq }) => world.chance.id('transaction', seq),
      beside: { totals: { count, gmv_cents: gmvCents, commission_cents: commissionCents } },
    })
  },
})

const commissions = route({
  query: object({ ...windowQuery, ...pagingQuery }),
  answer: listAnswer(
    'entries',
    object({
      entry_id: id('ledgerEntry'),
      kind: oneOf(['accrued', 'pending', 'paid_out', 'reversed']),
      amount_cents: integer(),
      balance_cents: integer({ description: 'Sum of the whole ledger up to and including this line.' }),
      public_id: nullable(id('order')),
      case_id: nullable(id('brokerageCase')),
      created_at: time,
    }),
    'ledgerEntry',
    { balance_cents: integer({ description: 'What the service owes the partner now.' }), currency },
  ),
  handle({ world, caller, query }) {
    const page = listCommissions(world, caller, { ...windowOf(query), ...pagingOf(query) })
    return listReply('entries', page, {
      present: (line) => presentCommissionLine(world, line),
      idOf: ({ seq }) => world.chance.id('ledgerEntry', seq),
      beside: { balance_cents: page.balanceCents, currency: page.currency },
    })
  },
})

const sales = route({
  query: object({ ...windowQuery, ...pagingQuery }),
  answer: listAnswer(
    'sales',
    object({
      public_id: id('order'),
      link_id: id('link'),
      buyer: object({ email: text(), country: nullable(text({ format: 'country' })) }),
      domain: soldDomain,
      amount_cents: cents,
      commission_cents: cents,
      currency,
      created_at: time,
    }),
    'order',
  ),
  handle({ world, caller, query }) {
    const page = listAttributedSales(world, caller, { ...windowOf(query), ...pagingOf(query) })
    return listReply('sales', page, {
      present: (sale) => ({
        public_id: sale.publicId,
        link_id: sale.linkId,
        buyer: sale.buyer,
        domain: sale.domain,
        amount_cents: sale.amountCents,
        commission_cents: sale.commissionCents,
        currency: sale.currency,
        created_at: formatInstant(sale.createdAtMs),
      }),
      idOf: ({ publicId }) => publicId,
    })
  },
})

const analytics = route({
  query: object(windowQuery),
  answer: object({
    clicks: count,
    checkouts: count,
    sales: count,
    conversion_rate: number({ minimum: 0, description: 'Sales for each click, to four places; 0 without a click.' }),
    gmv_cents: cents,
    commission_cents: cents,
    currency,
  }),
  handle: ({ world, caller, query }) => ok(funnel(world, caller, windowOf(query))),
})

export const reportRoutes = {
  'transactions.list': transactions,
  'me.sales': sales,
  'me.commissions': commissions,
  analytics,
}
