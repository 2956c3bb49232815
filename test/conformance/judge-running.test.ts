import { expect, test } from 'vitest'
import { runningBalance } from '../../src/conformance/format/expectations/named-judges.ts'

function ledger(...lines: { kind: string; amount: number; balance: number }[]) {
  return {
    name: 'lines',
    size: lines.length,
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
