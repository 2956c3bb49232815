import { expect, it } from 'vitest'
import { indented } from '../../../src/conformance/reports/html/texts.ts'

it('lays a body out over lines, each value as it was sent', () => {
  for (const v of [{ a: 1, b: [], c: {}, d: [1, { e: 'x, [y] "z" {}' }], f: null }, [], 'q', [[[]]], { 'k y': ' \n ' }])
    for (const t of [JSON.stringify(v), JSON.stringify(v, null, 3)])
      expect(indented(t)).toBe(JSON.stringify(v, null, 2))
  expect(indented('[ ]')).toBe('[]')
  expect(indented('{"a":1.0,"a":2}')).toBe('{\n  "a": 1.0,\n  "a": 2\n}')
})
