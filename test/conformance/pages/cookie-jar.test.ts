import { describe, expect, it } from 'vitest'
import { wallClock } from '../../../src/clock/wall-clock.ts'
import { createCookieJar } from '../../../src/conformance/pages/page-visit.ts'

/** What is sent to an address after an answer from another has set these cookies. */
function sentTo(to: string, lines: string[], from = 'https://shop.example.test/a/b'): string | null {
  const jar = createCookieJar(wallClock)
  for (const line of lines)
    jar.store(new URL(from), [
      ['content-type', 'text/html'],
      ['Set-Cookie', line],
    ])
  return jar.headerFor(new URL(to))
}

describe('a cookie', () => {
  it('goes back to the host that set it, below its path', () => {
    expect(sentTo('https://shop.example.test/a/c', ['ref=l1'])).toBe('ref=l1')
    expect(sentTo('https://shop.example.test/other', ['ref=l1'])).toBeNull()
    expect(sentTo('https://shop.example.test/other', ['ref=l1; Path=/'])).toBe('ref=l1')
    expect(sentTo('https://shop.example.test/ab', ['ref=l1; Path=/a'])).toBeNull()
    expect(sentTo('https://pay.example.test/a/c', ['ref=l1; Path=/'])).toBeNull()
  })

  it('goes to the hosts of its domain, and is not taken for a foreign one', () => {
    expect(sentTo('https://pay.example.test/', ['ref=l1; Path=/; Domain=.example.test'])).toBe('ref=l1')
    expect(sentTo('https://evil.test/', ['ref=l1; Path=/; Domain=evil.test'])).toBeNull()
    expect(sentTo('https://other.test/', ['ref=l1; Path=/; Domain=test'])).toBeNull()
  })

  it('is replaced by one of its name, and taken away by one that is over', () => {
    expect(sentTo('https://shop.example.test/a/', ['ref=l1', 'ref=l2'])).toBe('ref=l2')
    expect(sentTo('https://shop.example.test/a/', ['ref=l1', 'ref=; Max-Age=0'])).toBeNull()
    expect(sentTo('https://shop.example.test/a/', ['ref=l1', 'ref=; Expires=Thu, 01 Jan 1970 00:00:00 GMT'])).toBeNull()
  })

  it('that is secure goes over https, and to this machine', () => {
    expect(sentTo('http://shop.example.test/a/', ['ref=l1; Secure'])).toBeNull()
    expect(sentTo('http://127.0.0.1:4600/', ['ref=l1; Secure; Path=/'], 'http://127.0.0.1:4600/')).toBe('ref=l1')
  })

  it('is kept with others, longer paths first, up to a limit', () => {
    expect(sentTo('https://shop.example.test/a/b', ['x=1; Path=/', 'y=2; Path=/a'])).toBe('y=2; x=1')
    const many = Array.from({ length: 500 }, (_, index) => `c${index}=1; Path=/`)
    expect(sentTo('https://shop.example.test/', many)?.split(';')).toHaveLength(100)
  })
})
