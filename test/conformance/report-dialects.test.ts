import { describe, expect, it } from 'vitest'
import { ledgerKind } from '../../src/conformance/dialect/list-values.ts'
import { modelsIn } from '../../src/conformance/dialect/words.ts'

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
