import { describe, expect, it } from 'vitest'
import { choiceOption, durationText, httpAddress } from '../../src/cli/option-parsers.ts'

describe('httpAddress', () => {
  it.each([
    ['http://127.0.0.1:4600', 'http://127.0.0.1:4600'],
    ['HTTPS://Sandbox.Example.test:443/', 'https://sandbox.example.test'],
    ['https://sandbox.example.test/shop//', 'https://sandbox.example.test/shop'],
    ['http://[::1]:8080/a/./b/../c%20d/', 'http://[::1]:8080/a/c%20d'],
    ['http://sandbox_1:80', 'http://sandbox_1'],
  ])('reads %s as %s', (text, address) => {
    expect(httpAddress(text)).toBe(address)
  })

  it.each([
    ...['', 'sandbox.example.test', 'ftp://a.test', 'http://', 'http:/a.test', 'http:\\\\a.test', 'http:a.test'],
    ...['http://user@a.test', 'http://user:word@a.test', 'http://@a.test', 'http://a.test?', 'http://a.test/?x=1'],
    ...['http://a.test#', 'http://a.test/x#y', 'http://a.test:99999', 'http://a.test:', 'http://a b.test'],
    ...[' http://a.test', 'http://a.test\n', 'http://a;b.test', 'http://a.test/;x', 'http://a.test/%zz', 'http://[::1'],
  ])('refuses %j', (text) => {
    expect(() => httpAddress(text)).toThrow('It must be an http:// or https:// address')
  })
})

describe('durationText', () => {
  it('keeps a duration as it is written, and refuses what is none', () => {
    expect(durationText('PT10M30S')).toBe('PT10M30S')
    for (const text of ['', '0s', 'soon', '-1h', '1h ']) expect(() => durationText(text)).toThrow('a duration')
  })
})

describe('an option of a closed set', () => {
  const option = choiceOption('--type <type>', 'only those of this type', ['order.settled', 'order.refunded'])
  const read = (text: string) => option.parseArg?.(text, undefined as never)

  it('takes what it offers, and names what was probably meant', () => {
    expect(option.argChoices).toEqual(['order.settled', 'order.refunded'])
    expect(read('order.settled')).toBe('order.settled')
    expect(() => read('order.setled')).toThrow('Did you mean "order.settled"?')
    expect(() => read('lunch')).toThrow('It must be one of order.settled, order.refunded.')
  })
})
