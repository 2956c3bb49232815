import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalizeDomain, readableLabel } from '../../../src/sandbox/kernel/domain-name.ts'
import { anyCharacter } from '../../support/any-character.ts'

describe('the one spelling of a domain name (INV-10)', () => {
  it.each([
    ['SunHarvest.TEST', 'sunharvest.test'],
    ['sunharvest.test.', 'sunharvest.test'],
    ['café.test', 'xn--caf-dma.test'],
    ['CAFÉ.test', 'xn--caf-dma.test'],
    ['XN--CAF-DMA.test', 'xn--caf-dma.test'],
    ['東京。test', 'xn--1lqs71d.test'],
    ['a-b-9.test', 'a-b-9.test'],
    ['1.2', '1.2'],
    [`${'a'.repeat(63)}.test`, `${'a'.repeat(63)}.test`],
  ])('%s is %s', (text, name) => {
    expect(normalizeDomain(text)).toBe(name)
  })

  it.each([
    ['nothing', ''],
    ['a dot', '.'],
    ['two trailing dots', 'a.test..'],
    ['an empty label', 'a..test'],
    ['a hyphen in front', '-a.test'],
    ['a hyphen at the end', 'a-.test'],
    ['an underscore', 'a_b.test'],
    ['a space', 'a b.test'],
    ['a blank in front', ' a.test'],
    ['a slash', 'a/b.test'],
    ['a port', 'a.test:80'],
    ['NUL', 'a\0.test'],
    ['a label of 64', `${'a'.repeat(64)}.test`],
    ['254 characters', `${'a.'.repeat(125)}test`],
    ['an A-label of nonsense', 'xn--\u0000.test'],
    ['an A-label that decodes to nothing', 'xn--a.test'],
    ['a lone surrogate', '\ud800.test'],
    ['ten thousand letters', 'é'.repeat(10_000)],
  ])('%s makes no name', (_, text) => {
    expect(normalizeDomain(text)).toBeNull()
  })

  it('takes 253 characters', () => {
    const name = `${'a.'.repeat(124)}tests`
    expect(name).toHaveLength(253)
    expect(normalizeDomain(name)).toBe(name)
  })

  it('leaves a name that it made as it is, whatever text it was made from', () => {
    const text = fc.oneof(fc.domain(), fc.string({ unit: 'grapheme' }), fc.string({ unit: anyCharacter }))
    fc.assert(
      fc.property(text, (any) => {
        const name = normalizeDomain(any)
        if (name === null) return
        expect(name).toMatch(/^[a-z0-9.-]{1,253}$/)
        expect(normalizeDomain(name)).toBe(name)
      }),
    )
  })
})

it('shows an A-label as people write it', () => {
  expect(readableLabel('xn--caf-dma.test')).toBe('café')
  expect(readableLabel('sunharvest.test')).toBe('sunharvest')
})
