import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ID_PREFIXES, type IdKind } from '../../../src/contract/ids.ts'
import { Chance } from '../../../src/sandbox/kernel/chance.ts'

const KINDS = Object.keys(ID_PREFIXES) as IdKind[]
const chance = new Chance('demo')
const FIRST = Array.from({ length: 2_000 }, (_, i) => i + 1)

test('an id leads back to its number, of every kind and size', () => {
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), fc.maxSafeNat(), (kind, n) => {
      const id = chance.id(kind, n)
      expect(id).toMatch(new RegExp(`^${ID_PREFIXES[kind]}[0-9a-hjkmnp-tv-z]{16}$`))
      expect(chance.numberOf(kind, id)).toBe(n)
      expect(new Chance('demo').id(kind, n)).toBe(id)
    }),
  )
})

test('no two numbers, kinds or seeds share an id, and none leads to a row of another', () => {
  const idsOf = (of: Chance, kind: IdKind) => FIRST.map((n) => of.id(kind, n).slice(ID_PREFIXES[kind].length))
  const [orders, events, others] = [
    idsOf(chance, 'order'),
    idsOf(chance, 'event'),
    idsOf(new Chance('demo2'), 'order'),
  ] as const
  expect(new Set([...orders, ...events, ...others]).size).toBe(3 * FIRST.length)
  const reached = [...events, ...others].map((rest) => chance.numberOf('order', ID_PREFIXES.order + rest))
  // What is read from a foreign id is a number by chance, and of 2^80 those of rows are not met.
  expect(reached.filter((n) => n !== null && n < 1_000_000)).toEqual([])
})

test('a text that is no id leads nowhere', () => {
  const id = chance.id('order', 1)
  const texts = [
    '',
    'ord_',
    id.slice(0, -1),
    `${id}0`,
    id.toUpperCase(),
    id.replace('ord_', 'evt_'),
    `${id.slice(0, -1)}u`,
  ]
  expect(texts.map((text) => chance.numberOf('order', text))).toEqual(texts.map(() => null))
  expect(chance.numberOf('order', chance.id('order', -1))).toBeNull()
})

test('ids of neighbors have nothing in common: each letter and each bit of them is as likely as any other', () => {
  const bitsOf = (n: number) =>
    [...chance.id('order', n).slice(4)].flatMap((letter) => {
      const value = '0123456789abcdefghjkmnpqrstvwxyz'.indexOf(letter)
      return [16, 8, 4, 2, 1].map((bit) => ((value & bit) === 0 ? 0 : 1))
    })
  const all = FIRST.map(bitsOf)
  const changed = Array.from(
    { length: 80 },
    (_, at) => FIRST.slice(1).filter((_n, i) => all[i]![at] !== all[i + 1]![at]).length,
  )
  // Each bit changes in half of the 1,999 steps; the limits are seven times the usual deviation away.
  expect(Math.min(...changed)).toBeGreaterThan(840)
  expect(Math.max(...changed)).toBeLessThan(1_160)
})
