import { expect, test } from 'vitest'
import type { Things } from '../../src/conformance/judge/check.ts'
import { judgeRunning } from '../../src/conformance/judge/judge-running.ts'

const RUNNING = { of: 'amount', is: 'balance', by: 'kind' }

function ledger(...lines: { kind: string; amount: number; balance: number }[]): Things {
  return {
    name: 'lines',
    size: lines.length,
    value: (index, name) => ({ value: lines[index]?.[name as 'amount'] }),
    judge: () => null,
  }
}

test('a line that is taken back may lower the balance, whatever its sign', () => {
  const earned = { kind: 'accrued', amount: 500, balance: 500 }
  expect(judgeRunning(RUNNING, ledger(earned, { kind: 'reversed', amount: -500, balance: 0 }))).toBeNull()
  expect(judgeRunning(RUNNING, ledger(earned, { kind: 'reversed', amount: 500, balance: 0 }))).toBeNull()
})

test('a line that is taken back never raises the balance', () => {
  const lines = [
    { kind: 'accrued', amount: 500, balance: 500 },
    { kind: 'reversed', amount: 500, balance: 1000 },
  ]
  expect(judgeRunning(RUNNING, ledger(...lines))).toMatchObject({ verdict: 'fail' })
  const paid = { kind: 'paid_out', amount: -500, balance: 500 }
  expect(judgeRunning(RUNNING, ledger(...lines, paid))).toMatchObject({ verdict: 'fail' })
})
