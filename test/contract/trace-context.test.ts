import { expect, test } from 'vitest'
import { traceOf, traceparentOf } from '../../src/contract/trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const VALID = `00-${TRACE}-${PARENT}-01`

test('a traceparent names its trace', () => {
  expect(traceOf([VALID])).toEqual({ id: TRACE, traceparent: VALID })
  expect(traceOf([traceparentOf(TRACE, PARENT)])).toEqual({ id: TRACE, traceparent: VALID })
})

test('a later version is read as far as version 00 goes, and passed on as version 00', () => {
  expect(traceOf([`cc-${TRACE}-${PARENT}-00`])?.traceparent).toBe(`00-${TRACE}-${PARENT}-00`)
  expect(traceOf([`01-${TRACE}-${PARENT}-01-what-the-future-will-be`])?.traceparent).toBe(VALID)
})

test.each([
  ['no header', []],
  ['an empty value', ['']],
  ['the header twice', [VALID, VALID]],
  ['two values in one', [`${VALID}, ${VALID}`]],
  ['version ff', [`ff-${TRACE}-${PARENT}-01`]],
  ['more behind version 00', [`${VALID}-more`]],
  ['more behind a later version without a dash', [`01-${TRACE}-${PARENT}-01.more`]],
  ['capital digits', [VALID.toUpperCase()]],
  ['a trace of zeros', [`00-${'0'.repeat(32)}-${PARENT}-01`]],
  ['a parent of zeros', [`00-${TRACE}-${'0'.repeat(16)}-01`]],
  ['a short trace', [`00-${TRACE.slice(1)}-${PARENT}-01`]],
  ['a digit that is none', [`00-${TRACE.slice(1)}g-${PARENT}-01`]],
  ['a line behind it', [`${VALID}\n`]],
  ['two lines behind a later version', [`01-${TRACE}-${PARENT}-01-a\nb`]],
])('%s is no trace', (_what, values) => {
  expect(traceOf(values)).toBeNull()
})
