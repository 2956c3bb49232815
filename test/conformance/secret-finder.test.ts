import { expect, it } from 'vitest'
import { createSecretFinder } from '../../src/conformance/secret-finder.ts'

function finderOf(...forms: string[]) {
  const finder = createSecretFinder()
  for (const form of forms) finder.add(form)
  return finder
}

it.each([
  ['nothing of it', 'nothing of it'],
  ['sk_one_1234', '#'],
  ['SK_One_1234', '#'],
  ['a sk_one_1234, sk_one_1234sk_two_1234.', 'a #, ##.'],
  ['sk_one_1235', 'sk_one_1235'],
  ['sk_one_123', 'sk_one_123'],
  ['sk_sk_one_1234', 'sk_#'],
  ['İİİİİsk_one_1234 ü', 'İİİİİ# ü'],
])('%j becomes %j', (text, clean) => {
  expect(finderOf('sk_one_1234', 'sk_two_1234').replaced(text, '#')).toBe(clean)
})

it('the longest of several that begin at one place is taken out', () => {
  expect(finderOf('sk_one', 'sk_one_1234').replaced('sk_one_1234 sk_one_12', '#')).toBe('# #_12')
})

it('agrees with an alternation of all forms', () => {
  const forms = Array.from({ length: 300 }, (_, n) => `sk_${(n * 7919).toString(16)}_${n}abc`)
  const text = forms.map((form, n) => `${form.slice(0, n % 12)}-${form}/${form.slice(3)}`).join('')
  const pattern = new RegExp([...forms].sort((a, b) => b.length - a.length).join('|'), 'gi')
  expect(finderOf(...forms).replaced(text, '#')).toBe(text.replace(pattern, '#'))
})
