import { expect, it } from 'vitest'
import { createSecretFinder } from '../../src/contract/redact.ts'
import { sampleOf } from '../support/size.ts'

function finderOf(...secrets: string[]) {
  return createSecretFinder(secrets)
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

const json = (text: string) => JSON.stringify(text).slice(1, -1)
const percent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const units = (text: string) =>
  text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
const html = (text: string) => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
const base64 = (text: string) => Buffer.from(text).toString('base64')

// A secret that looks escaped itself has one layer more.
it.each([
  ['sk_test_a/b+c=d"e\u00e9', 3],
  ['a smile \u{1F600} within', 3],
  ['with%41its\\own\\\\escapes&amp;', 2],
] as const)('the secret %j is found through any %d escapes, and nothing around it is lost', (secret, layers) => {
  const asItIs = (text: string) => text
  const escapes = [asItIs, json, percent, encodeURIComponent, units, html]
  const chains = escapes.flatMap((first) =>
    escapes.flatMap((second) => (layers === 3 ? escapes : [asItIs]).map((third) => [first, second, third] as const)),
  )
  for (const [first, second, third] of sampleOf(chains, 5)) {
    const text = `before ${third(second(first(secret)))} after`
    expect(createSecretFinder([secret]).replaced(text, '#')).toBe('before # after')
  }
})

it('half of a secret as it is and half escaped is found, and so is an escaped base64 of it', () => {
  const finder = finderOf('sk_one_1234/5678')
  expect(finder.replaced(`x=sk_one${percent('_1234')}${units('/5')}678;`, '#')).toBe('x=#;')
  expect(finder.replaced(encodeURIComponent(base64('sk_one_1234/5678??>')), '#')).toMatch(/^#/)
})

it('a beginning of a secret is taken for it where it is long enough', () => {
  const finder = createSecretFinder()
  finder.add('abcdefghijklmnop', 8)
  expect(finder.replaced('abcdefghij, abcdefg, %61bcdefgh', '#')).toBe('#, abcdefg, #')
})

it('a secret is found however often its percent signs are escaped', () => {
  let text = percent('sk_one_1234')
  for (let times = 0; times < 12; times++) {
    expect(finderOf('sk_one_1234').replaced(`x=${text};`, '#'), `${times} times`).toBe('x=#;')
    text = text.replaceAll('%', '%25')
  }
})

it('a secret that was cut off within an escape is taken out up to there', () => {
  const secret = 'abcdefg+/hijklmnop"q\\rstu'
  const finder = finderOf(secret)
  for (const escaped of [encodeURIComponent, json, html, units, percent]) {
    const text = escaped(secret)
    for (let end = escaped('abcdefg').length; end < text.length; end++) {
      expect(finder.replaced(`x=${text.slice(0, end)}…`, '#')).not.toContain(escaped('bcdef'))
    }
  }
})
