import { object } from '../../contract/schema.ts'
import { get, type Page, pageFlags, paging, post, returns } from '../operation.ts'
import type { OrderFacts } from './orders.ts'

export interface Statement {
  statement_id: string
  partner_id: string
  period_start: string
  period_end: string
  gross_sold_cents: number
  commission_retained_cents: number
  amount_owed_cents: number
  adjustment_cents: number
  currency: string
  orders: string[]
}

export interface SettlementRun {
  run_id: string
  ran_at: string
  settled: (OrderFacts & { partner_id: string; commission_cents: number; amount_owed_cents: number })[]
  statements: Statement[]
}

/** A line of the list of settlement runs. */
export interface SettlementRunFacts {
  run_id: string
  ran_at: string
  settled_count: number
  statement_count: number
  amount_owed_cents: number
  adjustment_cents: number
  currency: string
}

export interface PayoutRun {
  run_id: string
  ran_at: string
  payouts: {
    payout_id: string
    partner_id: string
    amount_cents: number
    currency: string
    kind: string
    paid_at: string
  }[]
}

/** A line of the list of payout runs. */
export interface PayoutRunFacts {
  run_id: string
  ran_at: string
  payout_count: number
  paid_cents: number
  currency: string
}

export interface AuditReport {
  balanced: boolean
  checked: Record<
    'orders' | 'cases' | 'sales' | 'entries' | 'statements' | 'payouts' | 'undone' | 'undone_by_partner',
    number
  >
  differences: { what: string; id: string; [found: string]: unknown }[]
  differences_left_out: number
}

export const moneyRows = {
  'settlementRuns.list': get('/v1/worlds/{w}/settlement-runs', {
    summary:
      'The runs so far, newest first, each with how much it settled and what partners owe for it: `settlement_runs`, `next_cursor`.',
    query: object(paging),
    returns: returns<Page<'settlement_runs', SettlementRunFacts>>(),
    command: {
      usage: 'settle list',
      summary: 'the settlement runs so far, newest first',
      flags: pageFlags,
      shows: {
        list: 'settlement_runs',
        none: 'no settlement runs',
        columns: [
          ['RUN', 'run_id'],
          ['RAN AT', 'ran_at'],
          ['SETTLED', 'settled_count', 'count'],
          ['STATEMENTS', 'statement_count', 'count'],
          ['OWED', 'amount_owed_cents', 'money'],
          ['ADJUSTMENT', 'adjustment_cents', 'money'],
        ],
      },
    },
  }),
  'settlementRuns.create': post('/v1/worlds/{w}/settlement-runs', {
    summary: 'Closes the period: 201 with `run_id`, `ran_at`, the orders that were `settled` and the `statements`.',
    returns: returns<SettlementRun>(),
    command: {
      usage: 'settle run',
      summary: 'close the settlement period: every TRANSFER_COMPLETED order becomes SETTLED; show the statements',
      shows: 'settlement run',
      first: true,
    },
  }),
  'settlementRuns.show': get('/v1/worlds/{w}/settlement-runs/{run_id}', {
    summary: 'One run with the same members; the orders that it `settled` as they are now.',
    returns: returns<SettlementRun>(),
    command: {
      usage: 'settle show <run-id>',
      summary: 'what a run settled, and the statement of each partner with its figures',
      shows: 'settlement run',
    },
  }),
  'payoutRuns.list': get('/v1/worlds/{w}/payout-runs', {
    summary: 'The runs so far, newest first, each with how much it paid: `payout_runs`, `next_cursor`.',
    query: object(paging),
    returns: returns<Page<'payout_runs', PayoutRunFacts>>(),
    command: {
      usage: 'payout list',
      summary: 'the payout runs so far, newest first',
      flags: pageFlags,
      shows: {
        list: 'payout_runs',
        none: 'no payout runs',
        columns: [
          ['RUN', 'run_id'],
          ['RAN AT', 'ran_at'],
          ['PAYOUTS', 'payout_count', 'count'],
          ['PAID', 'paid_cents', 'money'],
        ],
      },
    },
  }),
  'payoutRuns.create': post('/v1/worlds/{w}/payout-runs', {
    summary: 'Pays every partner what is due: 201 with `run_id`, `ran_at`, `payouts`.',
    returns: returns<PayoutRun>(),
    command: {
      usage: 'payout run',
      summary: 'pay every partner what is due, and show the payouts',
      shows: 'payout run',
      first: true,
    },
  }),
  'payoutRuns.show': get('/v1/worlds/{w}/payout-runs/{run_id}', {
    summary: 'One run with the same members.',
    returns: returns<PayoutRun>(),
    command: { usage: 'payout show <run-id>', summary: 'what a run paid to whom', shows: 'payout run' },
  }),
  'audit.show': get('/v1/worlds/{w}/audit', {
    summary: 'Recomputes all amounts: whether they are `balanced`, what was `checked`, the `differences`.',
    returns: returns<AuditReport>(),
  }),
}
