import { describe, expect, it } from 'vitest'
import {
  ExpressionSyntaxError,
  ExpressionTypeError,
  fillIn,
  referencesIn,
} from '../../src/conformance/format/expressions.ts'

const values: Record<string, unknown> = {
  'sellable.price': 1_000,
  'made.at': '2030-01-01T00:00:00Z',
  'list.1.name': 'b',
  uuid: 'u-1',
}
const resolve = (reference: readonly (string | number)[]): unknown => values[reference.join('.')]

describe('${...}', () => {
  it('keeps the type of a value that stands alone', () => {
    expect(fillIn('${sellable.price}', resolve)).toBe(1_000)
  })

  it('is text among other text', () => {
    expect(fillIn('ref-${uuid}-${sellable.price}', resolve)).toBe('ref-u-1-1000')
  })

  it('adds and subtracts numbers', () => {
    expect(fillIn('${sellable.price + 100}', resolve)).toBe(1_100)
    expect(fillIn('${ sellable.price - 100 + 1 }', resolve)).toBe(901)
  })

  it('adds a duration to a time', () => {
    expect(fillIn('${made.at + 10m}', resolve)).toBe('2030-01-01T00:10:00.000Z')
  })

  it('reaches into lists', () => {
    expect(fillIn('${list[1].name}', resolve)).toBe('b')
  })

  it('fills in objects and lists to any depth', () => {
    expect(fillIn({ a: ['${uuid}', { b: '${sellable.price}' }], c: 1 }, resolve)).toEqual({
      a: ['u-1', { b: 1_000 }],
      c: 1,
    })
  })

  it('has an escape', () => {
    expect(fillIn('$${uuid}', resolve)).toBe('${uuid}')
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
