import type { OrderFacts } from './answers.ts'

/** What the operator API answers about money, member by member as on the wire (docs/operator-api.md). */

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

export interface AuditReport {
  balanced: boolean
  checked: Record<
    'orders' | 'cases' | 'sales' | 'entries' | 'statements' | 'payouts' | 'undone' | 'undone_by_partner',
    number
  >
  differences: { what: string; id: string; [found: string]: unknown }[]
  differences_left_out: number
}
