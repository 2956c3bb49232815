import { expect, test } from 'vitest'
import { outline } from '../../../src/cli/output/outline.ts'

test('amounts, yes and no read as in tables, at any depth', () => {
  expect(
    outline({ live: true, price_cents: 65_000, currency: 'USD', review: { above_cents: 5, below_cents: null } }),
  ).toBe('live      yes\nprice     USD 650.00\ncurrency  USD\nreview\n  above  0.05\n  below  -\n')
})
