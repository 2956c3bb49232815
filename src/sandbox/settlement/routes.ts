import { id, integer, list, nullable, object, oneOf, text } from '../../contract/schema.ts'
import { ok } from '../wire/answer.ts'
import { nextCursor, pagingOf, pagingQuery, windowOf, windowQuery } from '../wire/list-query.ts'
import { route } from '../wire/route.ts'
import { listPayouts } from './payouts.ts'
import { presentPayout, presentStatement } from './present.ts'
import { listStatements } from './statements.ts'

const cents = integer({ minimum: 0 })
const currency = text({ format: 'currency' })
const time = text({ format: 'instant' })
const query = object({ ...windowQuery, ...pagingQuery })

const listSettlements = route({
  query,
  answer: object({
    settlements: list(
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
    ),
    next_cursor: nullable(id('statement')),
  }),
  handle({ world, caller, query: asked }) {
    const window = windowOf(asked, world.rules.settlement.filters)
    const page = listStatements(world, caller, { ...window, ...pagingOf(asked) })
    return ok({
      settlements: page.rows.map(presentStatement),
      next_cursor: nextCursor(page, ({ statementId }) => statementId),
    })
  },
})

/** The same under both of its paths; the one under /me is for affiliates. */
const payouts = route({
  query,
  answer: object({
    payouts: list(
      object({
        payout_id: id('payout'),
        amount_cents: integer({ minimum: 1 }),
        currency,
        kind: oneOf(['commission', 'brokerage']),
        paid_at: time,
      }),
    ),
    total_paid_cents: integer({ minimum: 0, description: 'Sum over all payouts that fit the filter.' }),
    next_cursor: nullable(id('payout')),
  }),
  handle({ world, caller, query: asked }) {
    const window = windowOf(asked, world.rules.payouts.filters)
    const page = listPayouts(world, caller, { ...window, ...pagingOf(asked) })
    return ok({
      payouts: page.rows.map(presentPayout),
      total_paid_cents: page.totalPaidCents,
      next_cursor: nextCursor(page, ({ payoutId }) => payoutId),
    })
  },
})

export const settlementRoutes = {
  'settlements.list': listSettlements,
  'payouts.list': payouts,
  'me.payouts': payouts,
}
