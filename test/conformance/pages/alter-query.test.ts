import { describe, expect, it } from 'vitest'
import { alteredUrls } from '../../../src/conformance/pages/alter-token.ts'
import { Open } from '../../../src/conformance/result/open.ts'

const URL = 'https://shop.example.test/pay?a=1&pt=aZ9-_%2F.&z=2#pt=no'

function tokens(at: 'each' | number[], how: Parameters<typeof alteredUrls>[1]['how'] = 'other'): string[] {
  return alteredUrls(URL, { query: 'pt', at, how }).map(({ url }) => /pt=([^&]*)&z=2#pt=no$/.exec(url)?.[1] ?? 'lost')
}

describe('a token', () => {
  it('is altered in one character at a time, the rest of the address byte for byte', () => {
    expect(tokens('each')).toEqual(['bZ9-_%2F.', 'aA9-_%2F.', 'aZ0-_%2F.', 'aZ9__%2F.', 'aZ9--%2F.', 'aZ9-_%2F-'])
    expect(tokens([0, 1], 'case')).toEqual(['AZ9-_%2F.', 'az9-_%2F.'])
  })

  it('is made longer or shorter by one character, which is not padding', () => {
    expect(tokens([0], 'longer')).toEqual(['abZ9-_%2F.'])
    expect(tokens([-1], 'shorter')).toEqual(['aZ9-_%2F'])
    const padded = 'https://shop.example.test/pay?pt=ab='
    expect(() => alteredUrls(padded, { query: 'pt', at: [-1], how: 'shorter' })).toThrow(Open)
  })

  it('is left out whole, the rest of the address byte for byte', () => {
    const without = (url: string) => alteredUrls(url, { query: 'pt', at: 'each', how: 'gone' }).map((made) => made.url)
    expect(without(URL)).toEqual(['https://shop.example.test/pay?a=1&z=2#pt=no'])
    expect(without('https://shop.example.test/pay?pt=ab&z=2')).toEqual(['https://shop.example.test/pay?z=2'])
    expect(without('https://shop.example.test/pay?pt=ab#end')).toEqual(['https://shop.example.test/pay#end'])
  })

  it('is counted from its end by negative places', () => {
    expect(tokens([-1, -9])).toEqual(['aZ9-_%2F-', 'bZ9-_%2F.'])
  })

  it('has to be there', () => {
    expect(() => alteredUrls('https://shop.example.test/pay', { query: 'pt', at: 'each', how: 'other' })).toThrow(Open)
    expect(() => tokens([99])).toThrow(Open)
    expect(() => tokens([2], 'case')).toThrow(Open)
  })

  it('tries at most 64 places of a long token, the first and the last among them', () => {
    const long = `https://shop.example.test/pay?pt=${'a'.repeat(1_000)}`
    const positions = alteredUrls(long, { query: 'pt', at: 'each', how: 'other' }).map(({ position }) => position)
    expect(new Set(positions).size).toBe(64)
    expect([positions[0], positions.at(-1)]).toEqual([0, 999])
  })
})
