import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compare,
  ExpressionSyntaxError,
  ExpressionTypeError,
  fillIn,
  literal,
  referencesIn,
} from '../../src/conformance/format/values.ts'
import { altered } from '../../src/conformance/judge/references.ts'

const values: Record<string, unknown> = {
  'sellable.price': 1_000,
  'made.at': '2030-01-01T00:00:00Z',
  'short.at': '20300101T000000Z',
  'list.1.name': 'b',
  uuid: 'u-1',
}
const resolve = (reference: readonly (string | number)[]): unknown => values[reference.join('.')]

describe('${...}', () => {
  it.each([
    ['keeps the type of a value that stands alone', '${sellable.price}', 1_000],
    ['is text among other text', 'ref-${uuid}-${sellable.price}', 'ref-u-1-1000'],
    ['adds numbers', '${sellable.price + 100}', 1_100],
    ['subtracts numbers', '${ sellable.price - 100 + 1 }', 901],
    ['adds a duration to a time', '${made.at + 10m}', '2030-01-01T00:10:00.000Z'],
    ['adds a duration to a time in short', '${short.at + 10m}', '2030-01-01T00:10:00.000Z'],
    ['reaches into lists', '${list[1].name}', 'b'],
    ['has an escape', '$${uuid}', '${uuid}'],
  ])('%s', (_what, text, value) => {
    expect(fillIn(text, resolve)).toBe(value)
  })

  it('fills in objects and lists to any depth', () => {
    expect(fillIn({ a: ['${uuid}', { b: '${sellable.price}' }], c: 1 }, resolve)).toEqual({
      a: ['u-1', { b: 1_000 }],
      c: 1,
    })
  })

  it('can be written so that any text is filled in as itself', () => {
    const texts = fc.array(fc.oneof(fc.constantFrom('$', '$$', '{', '}', '${', '${uuid}'), fc.string()))
    fc.assert(
      fc.property(texts, (pieces) => {
        const text = pieces.join('')
        expect(fillIn(literal(text), resolve)).toBe(text)
        expect(referencesIn(literal(text))).toEqual([])
      }),
    )
  })

  it('names what it refers to', () => {
    expect(referencesIn({ a: '${x.y[0]} ${z + 1}' })).toEqual([['x', 'y', 0], ['z']])
  })

  it.each(['${}', '${a b}', '${a +}', '${a * 2}', '${+ a}', '${a.}'])('refuses %s', (text) => {
    expect(() => referencesIn(text)).toThrow(ExpressionSyntaxError)
  })

  it('refuses to add what cannot be added', () => {
    expect(() => fillIn('${uuid + 1}', resolve)).toThrow(ExpressionTypeError)
  })
})

it.each([
  // Counted ids near it belong to something.
  ['ord_1042', 'ord_999999'],
  ['ord_2025-00019', 'ord_2025-99999'],
  ['ord_1f', 'ord_999999'],
  ['1187234987234987234', '8888888888888888888'],
  ['ord_01HQ', 'ord_01H8'],
  ['quiet-fox-8q8', 'quiet-fox-8q7'],
])('the id %s is altered into %s, which belongs to nothing', (id, other) => {
  expect(altered(id)).toBe(other)
})

it.each(['20300101T001000Z', '2030-01-01T00:10Z', '20300101T0010+0000', '2030-01-01T00:10:00.000+00'])(
  'the instant %s is compared as one',
  (text) => {
    expect(compare(text, '2030-01-01T00:10:00Z')).toBe(0)
    expect(compare(text, '2030-01-01T01:09:00+01:00')).toBe(60_000)
  },
)
