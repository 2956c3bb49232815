import { expect, test } from 'vitest'
import { ApiError } from '../../../src/contract/errors.ts'
import { parseStrictly } from '../../../src/sandbox/wire/json-body.ts'

function refusal(json: string): string {
  try {
    parseStrictly(json)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'validation_error') return error.message
    throw error
  }
  throw new Error('was accepted')
}

test.for([
  ['{"a":1,"a":2}', '"a" occurs twice in one object'],
  ['{"a":1,"\\u0061":2}', '"a" occurs twice in one object'],
  [`{"a":1,"a"${' '.repeat(5_000)}:2}`, '"a" occurs twice in one object'],
  ['{"x":{"b":1,"c":[{"b":2}],"b":3}}', '"b" occurs twice in one object'],
  ['{"__proto__":{}}', 'unknown field __proto__'],
  ['{"\\u005f_proto__":{}}', 'unknown field __proto__'],
  ['{"a":"\\ud800"}', 'the body holds half of a surrogate pair'],
  ['{"a":', 'the body is not valid JSON: it ends too early'],
  ['{"a":"', 'the body is not valid JSON: see line 1, character 7'],
  ['{"at position 3', 'the body is not valid JSON: see line 1, character 16'],
  ['{"a":tru at position 3}', 'the body is not valid JSON'],
  ['{"a":1}}', 'the body is not valid JSON: see line 1, character 8'],
  ['{"a":1,\n "b" 2}', 'the body is not valid JSON: see line 2, character 6'],
  ['\ufeff{}', 'the body is not valid JSON'],
  ['', 'the body is not valid JSON: it ends too early'],
  ["{'a':1}", 'the body is not valid JSON: see line 1, character 2'],
  [
    '{"a":65000.00000000000000001}',
    'the number 65000.00000000000000001 has too many digits: it would be read as 65000',
  ],
  ['[-0.1e-400]', 'the number -0.1e-400 has too many digits: it would be read as 0'],
  [`[1.${'0'.repeat(60_000)}1]`, `the number 1.${'0'.repeat(62)} has too many digits: it would be read as 1`],
  ['['.repeat(33) + ']'.repeat(33), 'the body is nested deeper than 32 levels'],
  ['['.repeat(30_000), 'the body is nested deeper than 32 levels'],
] as const)('refuses %s', ([json, message]) => {
  expect(refusal(json)).toBe(message)
})

test('accepts equal keys in different objects, and a value that looks like a key', () => {
  expect(parseStrictly('[{"a":"a"},{"a":"b"}]')).toEqual([{ a: 'a' }, { a: 'b' }])
})

test('accepts whole numbers in every spelling of JSON, and fractions', () => {
  expect(parseStrictly('[65000.0,6.5e4,650000e-1,0.00e-9,-0,1e400,0.1,9007199254740991]')).toEqual([
    65_000,
    65_000,
    65_000,
    0,
    -0,
    Number.POSITIVE_INFINITY,
    0.1,
    Number.MAX_SAFE_INTEGER,
  ])
})

test('accepts 32 levels', () => {
  expect(parseStrictly('['.repeat(32) + ']'.repeat(32))).toBeInstanceOf(Array)
})

test('accepts brackets and quotes inside of strings', () => {
  const text = '{"a":"}]\\"{[","b":"\\\\"}'
  expect(parseStrictly(text)).toEqual({ a: '}]"{[', b: '\\' })
})
