import { expect, it } from 'vitest'
import { moneyText } from '../../src/contract/money.ts'

it('writes an amount with its currency in front, thousands in groups and the sign first', () => {
  const texts = [0, 5, 65_000, 880_000, 123_456_789, -5, -1_250_00].map((cents) => moneyText(cents, 'USD'))
  expect(texts).toEqual([
    'USD 0.00',
    'USD 0.05',
    'USD 650.00',
    'USD 8,800.00',
    'USD 1,234,567.89',
    '-USD 0.05',
    '-USD 1,250.00',
  ])
  expect(moneyText(-1_250, null)).toBe('-12.50')
})
