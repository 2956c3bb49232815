import { expect, it } from 'vitest'
import { closestTo, unknownName } from '../../src/contract/words.ts'

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

it.each([
  ['prot', 'unknown option "prot"; did you mean "port"?'],
  ['zzzz', 'unknown option "zzzz"; there are port, seed'],
  ['a"\n', 'unknown option "a\\"\\n"; there are port, seed'],
  [undefined, 'unknown option undefined; there are port, seed'],
  ['a'.repeat(100_000), `unknown option "${'a'.repeat(64)}"; there are port, seed`],
])('an unknown name is told in one form: %.20s', (name, says) => {
  expect(unknownName('option', name, ['port', 'seed'])).toBe(says)
})
