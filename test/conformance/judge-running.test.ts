import { expect, test } from 'vitest'
import { runningBalance } from '../../src/conformance/format/expectations/named-judges.ts'

function ledger(...lines: { kind: string; amount: number; balance: number; currency?: string }[]) {
  return {
    name: 'lines',
    size: lines.length,
    hint: (index: number) => lines[index]?.currency,
    value: (index: number, name: string) => ({ value: lines[index]?.[name.slice('ledger.'.length) as 'amount'] }),
  }
}

test('a line that is taken back may lower the balance, whatever its sign', () => {
  const earned = { kind: 'accrued', amount: 500, balance: 500 }
  expect(runningBalance(ledger(earned, { kind: 'reversed', amount: -500, balance: 0 }))).toBeNull()
  expect(runningBalance(ledger(earned, { kind: 'reversed', amount: 500, balance: 0 }))).toBeNull()
})

test('a line that is taken back never raises the balance', () => {
  const lines = [
    { kind: 'accrued', amount: 500, balance: 500 },
    { kind: 'reversed', amount: 500, balance: 1000 },
  ]
  expect(runningBalance(ledger(...lines))).toMatchObject({ verdict: 'fail' })
  const paid = { kind: 'paid_out', amount: -500, balance: 500 }
  expect(runningBalance(ledger(...lines, paid))).toMatchObject({ verdict: 'fail' })
})

test('each currency may have a balance of its own, which still has to be its sum', () => {
  const euros = { kind: 'accrued', amount: 500, balance: 500, currency: 'EUR' }
  const dollars = { kind: 'accrued', amount: 300, balance: 300, currency: 'USD' }
  const more = { kind: 'accrued', amount: 100, balance: 600, currency: 'EUR' }
  expect(runningBalance(ledger(euros, dollars, more))).toBeNull()
  expect(runningBalance(ledger(euros, dollars, { ...more, balance: 700 }))).toMatchObject({ verdict: 'fail' })
  expect(runningBalance(ledger(euros, { ...dollars, currency: 'EUR' }, more))).toMatchObject({ verdict: 'fail' })
})
