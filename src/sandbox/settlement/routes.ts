import { id, integer, list, object, oneOf } from '../../contract/schema.ts'
import { cents, currency, time } from '../wire/fields.ts'
import { listAnswer, listReply, pagingOf, pagingQuery, windowOf, windowQuery } from '../wire/list-query.ts'
import { route } from '../wire/route.ts'
import { listPayouts } from './payout-runs.ts'
import { presentPayout, presentStatement } from './present.ts'
import { listStatements } from './statements.ts'

const query = object({ ...windowQuery, ...pagingQuery })

const listSettlements = route({
  query,
  answer: listAnswer(
    'settlements',
    object({
      statement_id: id('statement'),
      period_start: time,
      period_end: time,
      gross_sold_cents: cents,
      commission_retained_cents: cents,
      amount_owed_cents: integer({
        minimum: 0,
        description: 'What the partner owes for these orders: gross sold less commission retained.',
      }),
      adjustment_cents: integer({
        maximum: 0,
        description: 'What orders that were undone after an earlier statement take off the amount owed.',
      }),
      currency,
      orders: list(id('order')),
    }),
    'statement',
  ),
  handle({ world, caller, query: asked }) {
    const page = listStatements(world, caller, { ...windowOf(asked), ...pagingOf(asked) })
    return listReply('settlements', page, {
      present: (statement) => ({ ...presentStatement(statement), orders: statement.publicIds }),
      idOf: ({ statementId }) => statementId,
    })
  },
})

/** The same under both of its paths; the one under /me is for affiliates. */
const payouts = route({
  query,
  answer: listAnswer(
    'payouts',
    object({
      payout_id: id('payout'),
      amount_cents: integer({ minimum: 1 }),
      currency,
      kind: oneOf(['commission', 'brokerage']),
      paid_at: time,
    }),
    'payout',
    { total_paid_cents: integer({ minimum: 0, description: 'Sum over all payouts that fit the filter.' }) },
  ),
  handle({ world, caller, query: asked }) {
    const page = listPayouts(world, caller, { ...windowOf(asked), ...pagingOf(asked) })
    return listReply('payouts', page, {
      present: presentPayout,
      idOf: ({ payoutId }) => payoutId,
      beside: { total_paid_cents: page.totalPaidCents },
    })
  },
})

export const settlementRoutes = {
  'settlements.list': listSettlements,
  'payouts.list': payouts,
  'me.payouts': payouts,
}
