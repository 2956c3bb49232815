import { expect, it } from 'vitest'
import { placesInWords } from '../../../src/cli/output/discovery.ts'

it('the same place in each entry of a list is named once', () => {
  const places = ['/data/0/gmv', '/data/1/gmv', '/data/2/gmv', '/meta/gmv']
  expect(placesInWords(places)).toBe('/data/0/gmv (so in 3 entries) or /meta/gmv')
})

it('the same place of each currency is named once', () => {
  expect(placesInWords(['/totals/EUR/gmv', '/totals/USD/gmv'])).toBe('/totals/EUR/gmv (so in 2 entries)')
})
