import { expect, it } from 'vitest'
import { closestTo } from '../../src/contract/words.ts'

it.each([
  ['expct', ['expect', 'observe'], 'expect'],
  ['settlement', ['sign', 'settle'], 'settle'],
  ['settlements', ['settle', 'settlement-run', 'sett'], 'settle'],
  ['ORDERING', ['Order'], 'Order'],
  ['price_cent', ['price', 'price_cents'], 'price_cents'],
  ['Orders', ['order', 'audit'], 'order'],
  ['sales', ['core', 'resales', 'partner-sales'], 'partner-sales'],
  ['to', ['tag', 'run'], null],
  ['a'.repeat(100_000), ['audit'], null],
])('for %.20s of %j a person most likely meant %s', (word, candidates, meant) => {
  expect(closestTo(word, candidates)).toBe(meant)
})
