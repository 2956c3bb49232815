import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bookPayable, bookReversal, commissionOf } from '../../../src/sandbox/ledger/ledger.ts'
import { MoneyHistory } from '../../support/money-history.ts'
import { testWorld } from '../../support/world.ts'

test('a commission is the exact share, rounded down, for any price and rate', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 10_000 }),
      fc.integer({ min: 1, max: 1_000_000_000_000 }),
      (basisPoints, priceCents) => {
        expect(BigInt(commissionOf(basisPoints, priceCents))).toBe((BigInt(priceCents) * BigInt(basisPoints)) / 10_000n)
      },
    ),
  )
})

test('becoming payable and being undone are booked once, however often they are told', () => {
  const { world } = new MoneyHistory(testWorld({ inventory: 0 })).play([
    { act: 'sell', partner: 0, model: 'hosted_checkout', priceCents: 999, linked: false },
  ])
  const ref = { orderSeq: 1 }
  for (let time = 0; time < 3; time++) bookPayable(world, ref)
  for (let time = 0; time < 3; time++) bookReversal(world, ref)
  bookPayable(world, ref)
  const lines = world.db.prepare('SELECT kind, due_cents AS due, balance_cents AS balance FROM ledger_entries').all()
  expect(lines).toEqual([
    { kind: 'accrued', due: 199, balance: 199 },
    { kind: 'accrued', due: -199, balance: 0 },
    { kind: 'pending', due: 199, balance: 199 },
    { kind: 'reversed', due: -199, balance: 0 },
  ])
})

test('a sale that was never booked is a fault and no silence', () => {
  expect(() => bookReversal(testWorld({ inventory: 0 }), { orderSeq: 7 })).toThrow('no sale was booked')
})
