import { expect, it } from 'vitest'
import { createWordQueue, namePartsOf } from '../../src/conformance/context/name-parts.ts'

it('finds the words of names that are written together by what two of them share', () => {
  expect(namePartsOf('amberbakery', ['briskbakery'])).toEqual(['bakery', 'amber', 'brisk'])
  expect(namePartsOf('solarroof', ['solarfarm'])).toEqual(['solar', 'roof', 'farm'])
})

it('finds nothing in names that share fewer than three characters', () => {
  expect(namePartsOf('solarroof', ['sofa', 'reef'])).toEqual([])
})

it('gives each word once, and those that resemble an earlier one last', () => {
  const words = createWordQueue(['bakery'])
  const taken = [words.take()]
  words.add(['rbakery', 'bakery', 'amber'])
  taken.push(words.take(), words.take(), words.take())
  expect(taken).toEqual(['bakery', 'amber', 'rbakery', null])
})

it('gives the words in reserve once nothing else is left', () => {
  const words = createWordQueue(['bakery'], ['silver', 'bakery'])
  const taken = [words.take()]
  words.add(['amber'])
  taken.push(words.take(), words.take(), words.take())
  expect(taken).toEqual(['bakery', 'amber', 'silver', null])
})
