import { expect, it } from 'vitest'
import { nextLink } from '../../src/conformance/dialect/place.ts'

it.each([
  ['</orders?after=o2>; rel="next"', '/orders?after=o2'],
  ['</a>; rel=prev, </b>; title=x; rel=next', '/b'],
  ['</a>; REL = "prev next"', '/a'],
  ['<https://a.test/o?after=c1>; rel="prev", </o?after=c3&limit=1>; rel="next"', '/o?after=c3&limit=1'],
  ['</o>; rel="last"', null],
  ['</a>; rel="nextish"', null],
  ['</a>; trel="next"', null],
])('the next page is found in %s', (header, next) => {
  expect(nextLink(header)).toBe(next)
})

it.each([
  `<a>; rel=${' '.repeat(60_000)}x`,
  `<a>; rel=${' '.repeat(16_000)}x`,
  '<'.repeat(16_000),
  `<a>${';rel=a'.repeat(2_500)}`,
])('a header that is made to be searched for ever is done with at once', (header) => {
  expect(nextLink(header)).toBeNull()
})
