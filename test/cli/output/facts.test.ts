import { expect, test } from 'vitest'
import { facts } from '../../../src/cli/operator/show/facts.ts'

test('amounts are shown in units of their currency, as in tables', () => {
  expect(facts({ public_id: 'ord_1', sale_price_cents: 65_000, commission_cents: 5, currency: 'USD' })).toBe(
    'order       ord_1\nsale_price  USD 650.00\ncommission  USD 0.05\ncurrency    USD\n',
  )
  expect(facts({ budget: 450_000, deal_price_cents: null, currency: 'USD' })).toBe(
    'budget      USD 4,500.00\ndeal_price  -\ncurrency    USD\n',
  )
})

test('a buyer is a line', () => {
  expect(facts({ buyer: { email: 'ada@example.test', name: 'Ada', country: 'SE' } })).toBe(
    'buyer  Ada <ada@example.test>, SE\n',
  )
  expect(facts({ buyer: { email: 'ada@example.test', name: null } })).toBe('buyer  ada@example.test\n')
  expect(facts({ buyer: { name: 'Ada' } })).toBe('buyer  Ada\n')
  expect(facts({ buyer: {} })).toBe('buyer  -\n')
  expect(facts({ buyer: null })).toBe('buyer  -\n')
})

test('what a buyer wrote cannot move the cursor of a terminal', () => {
  expect(facts({ buyer: { email: 'a@b.test', name: '\u001b[2J' } })).toBe('buyer  \\x1b[2J <a@b.test>\n')
})
