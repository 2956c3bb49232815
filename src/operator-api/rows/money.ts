import { object, text } from '../../contract/schema.ts'
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
  /** How many orders it lists. */
  order_count: number
}

export interface SettledOrder extends OrderFacts {
  partner_id: string
  commission_cents: number
  amount_owed_cents: number
}

/** A run, with a page of the orders that it settled: those of one statement after those of another. */
export interface SettlementRun {
  run_id: string
  ran_at: string
  settled_count: number
  settled: SettledOrder[]
  /** Where the next page of them begins; null at the end. */
  settled_next_cursor: string | null
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
    kind: 'commission' | 'brokerage'
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

/** A line of what the service owes a partner. */
export interface LedgerLine {
  entry_id: string
  kind: 'accrued' | 'pending' | 'paid_out' | 'reversed'
  amount_cents: number
  /** Sum of the whole ledger up to and including this line. */
  balance_cents: number
  public_id: string | null
  case_id: string | null
  created_at: string
}

export interface LedgerPage extends Page<'entries', LedgerLine> {
  /** What the service owes the partner now. */
  balance_cents: number
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
      summary: 'list the settlement runs, newest first',
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
    summary:
      'Closes the period: 201 with `run_id`, `ran_at`, the `statements` with the `order_count` of each, `settled_count`, and the first page of the `settled` orders with `settled_next_cursor`.',
    returns: returns<SettlementRun>(),
    command: {
      usage: 'settle run',
      summary:
        'close the settlement period: every delivered order that its partner collected for becomes SETTLED; print the statements',
      shows: 'settlement run',
      first: true,
    },
  }),
  'settlementRuns.show': get('/v1/worlds/{w}/settlement-runs/{run_id}', {
    summary: 'One run with the same members, and a page of the orders that it `settled` as they are now.',
    query: object(paging),
    returns: returns<SettlementRun>(),
    command: {
      usage: 'settle show <run-id>',
      summary: 'show what a run settled, with the statement of each partner',
      flags: pageFlags,
      shows: 'settlement run',
    },
  }),
  'payoutRuns.list': get('/v1/worlds/{w}/payout-runs', {
    summary: 'The runs so far, newest first, each with how much it paid: `payout_runs`, `next_cursor`.',
    query: object(paging),
    returns: returns<Page<'payout_runs', PayoutRunFacts>>(),
    command: {
      usage: 'payout list',
      summary: 'list the payout runs, newest first',
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
      summary: 'pay every partner what is due, and print the payouts',
      shows: 'payout run',
      first: true,
    },
  }),
  'payoutRuns.show': get('/v1/worlds/{w}/payout-runs/{run_id}', {
    summary: 'One run with the same members.',
    returns: returns<PayoutRun>(),
    command: { usage: 'payout show <run-id>', summary: 'show what a run paid to each partner', shows: 'payout run' },
  }),
  'ledger.list': get('/v1/worlds/{w}/ledger', {
    summary:
      'What the service owes one partner, line by line, newest first: `entries` with the `balance_cents` after each, the balance now, `currency`, `next_cursor`.',
    query: object({ partner_id: text({ minLength: 1, maxLength: 64 }), ...paging }),
    returns: returns<LedgerPage>(),
    command: {
      usage: 'payout ledger <partner>',
      summary: 'list what a partner is owed, line by line, newest first',
      args: ['partner_id'],
      flags: pageFlags,
      shows: {
        list: 'entries',
        none: 'no entries',
        columns: [
          ['ENTRY', 'entry_id'],
          ['KIND', 'kind'],
          ['AMOUNT', 'amount_cents', 'money'],
          ['BALANCE', 'balance_cents', 'money'],
          ['ORDER', 'public_id'],
          ['CASE', 'case_id'],
          ['CREATED', 'created_at'],
        ],
      },
    },
  }),
  'audit.show': get('/v1/worlds/{w}/audit', {
    summary: 'Recomputes all amounts: whether they are `balanced`, what was `checked`, the `differences`.',
    returns: returns<AuditReport>(),
  }),
}
