import { describe, expect, it } from 'vitest'
import { modelsIn } from '../../src/conformance/context/payment-models.ts'
import { findRole } from '../../src/conformance/dialect/find-role.ts'
import { ledgerKind } from '../../src/conformance/dialect/list-values.ts'
import { findRoleItems } from '../../src/conformance/dialect/role-items.ts'
import type { RoleName } from '../../src/conformance/format/roles.ts'
import type { EndpointId } from '../../src/contract/endpoints.ts'

function lookUp(op: EndpointId, name: RoleName, json: unknown): unknown {
  const found = findRole({}, name, { json, op })
  return found.found ? found.value : found.why
}

const cents = (amount: number) => ({ amount, unit: 'cents' })

describe('reports are understood', () => {
  it('as our sandbox writes them', () => {
    const transactions = {
      transactions: [{ transaction_id: 'txn_1', public_id: 'ord_1', sale_price_cents: 500, commission_cents: 100 }],
      totals: { count: 1, gmv_cents: 500, commission_cents: 100 },
      next_cursor: null,
    }
    const list = findRoleItems({}, 'transactions.items', { json: transactions, op: 'transactions.list' })
    expect(list.found && list.items).toHaveLength(1)
    expect(lookUp('transactions.list', 'transactions.gmv', transactions)).toEqual(cents(500))
    expect(lookUp('transactions.list', 'transactions.count', transactions)).toBe(1)
    expect(lookUp('transactions.list', 'list.next', transactions)).toBe('absent')
    expect(lookUp('transactions.list', 'transaction.order', transactions.transactions[0])).toBe('ord_1')
    expect(lookUp('transactions.list', 'transaction.case', transactions.transactions[0])).toBe('absent')
  })

  it('in other shapes that a sensible service might choose', () => {
    const statement = {
      period: { from: '2026-01-01', to: '2026-02-01' },
      totals: { gross: '12.50', retained: 2.5, owed: 10.0 },
    }
    expect(lookUp('settlements.list', 'statement.period_start', statement)).toBe('2026-01-01')
    expect(lookUp('settlements.list', 'statement.period_end', statement)).toBe('2026-02-01')
    expect(lookUp('settlements.list', 'statement.gross', statement)).toEqual({ amount: 12.5, unit: 'units' })
    expect(
      lookUp('payouts.list', 'payouts.total', { data: [], summary: { total_paid: { amount_cents: 700 } } }),
    ).toEqual(cents(700))
    expect(lookUp('me.sales', 'sale.buyer_email', { buyer: { email: 'b@a.example' } })).toBe('b@a.example')
    expect(lookUp('analytics', 'funnel.conversion_rate', { funnel: { conversionRate: 0.5 } })).toBe(0.5)
    expect(lookUp('brokerage.eligibility', 'eligibility.eligible', { eligibility: { is_eligible: 'no' } })).toBe(false)
    expect(lookUp('refunds.create', 'refund.order', { refund: { order_id: 'ord_1' } })).toBe('ord_1')
    expect(lookUp('me.clicks', 'list.next', { items: [], pagination: { next: 'c2' } })).toBe('c2')
  })

  it('never by a guess', () => {
    const twoBalances = { entries: [{ balance: 1 }, { balance: 2 }] }
    expect(lookUp('me.commissions', 'ledger.total', twoBalances)).toBe('ambiguous')
  })
})

describe('payment models', () => {
  it('are told apart by what a target calls them', () => {
    expect(modelsIn(['PARTNER_COLLECTED', 'HostedCheckout', 'brokerage', 'brokerage'])).toEqual({
      partner_collected: 'PARTNER_COLLECTED',
      hosted_checkout: 'HostedCheckout',
      brokerage: 'brokerage',
    })
  })

  it('stay unknown where two words could mean one, or none is to be understood', () => {
    expect(modelsIn(['hosted', 'checkout', 'model-b'])).toEqual({})
  })
})

describe('the kind of a ledger line', () => {
  it.each([
    ['accrued', ['accrued', 'ACCRUED', 'accrual', 'Earned']],
    ['pending', ['pending', 'Payable']],
    ['paid_out', ['paid_out', 'paid out', 'PAID-OUT', 'paidOut', 'payout', 'paid']],
    ['reversed', ['reversed', 'Reversal', 'clawback', 'claw_back']],
  ])('is %s however it is spelt', (kind, spellings) => {
    expect(spellings.map(ledgerKind)).toEqual(spellings.map(() => kind))
  })

  it('stays what it is where it is none of the four', () => {
    expect(ledgerKind('bonus')).toBe('bonus')
  })
})
