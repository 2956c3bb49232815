import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  canonicalQuery,
  canonicalQueryOf,
  compareByCodePoint,
  decodeQuery,
  EMPTY_BODY_SHA256,
  encodeComponent,
  MalformedQueryError,
  splitTarget,
} from '../../src/contract/canonical-string.ts'
import { bodySha256, signCall } from '../../src/contract/signature.ts'
import { anyCharacter } from '../support/any-character.ts'
import { secondCanonicalQuery, signWith } from '../support/signer.ts'
import { size } from '../support/size.ts'

const RUNS = size(2_000, 20_000)

/** Text with what tends to break signers: reserved characters, escapes, the ends of the planes, no lone surrogates. */
const tellingCharacter = fc.constantFrom(
  ...'aAbB012[]-._~!\'()*;:@&=+$,/?#% "<>\\^`{|}\u00e9\ud7ff\ue000\uffff',
  '\u{10000}',
  '\u{1f600}',
  '\u{10ffff}',
)
const text = fc.oneof(
  fc.string({ unit: tellingCharacter, maxLength: 6 }),
  fc.string({ unit: anyCharacter, maxLength: 6 }),
  fc.constantFrom('', 'page', 'page2', 'filter[a]', 'filterA', '__proto__', 'constructor', 'a', 'a!', 'a-'),
)
const pairs = fc.array(fc.tuple(text, text), { maxLength: 6 })

/** Encoded as clients do it: not canonical, but meaning the same. */
function written(list: readonly (readonly [string, string])[]): string {
  return list.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`).join('&')
}

/** A raw query as a hostile caller may write it, mostly broken. */
const rawQuery = fc.string({
  unit: fc.constantFrom(
    ..."% %4 %41 %c3 %c3%a9 %C3%A9 %ff %ed%a0%80 %f0%9f%98%80 %2 %zz a b & && = + ? ; ' é".split(' '),
  ),
  maxLength: 12,
})

describe('the canonical query', () => {
  it('is the same as a second implementation has it, for any pairs', () => {
    fc.assert(
      fc.property(pairs, (list) => {
        const query = written(list)
        expect(canonicalQuery(query)).toBe(secondCanonicalQuery(query))
      }),
      { numRuns: RUNS },
    )
  })

  it('does not depend on the order of the pairs in the URL', () => {
    const shuffled = pairs.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length })),
    )
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        expect(canonicalQueryOf(other)).toBe(canonicalQueryOf(list))
      }),
      { numRuns: RUNS / 2 },
    )
  })

  it('is its own canonical form, and holds nothing but unreserved characters, upper-case escapes, = and &', () => {
    fc.assert(
      fc.property(pairs, (list) => {
        const canonical = canonicalQueryOf(list)
        expect(canonicalQuery(canonical)).toBe(canonical)
        expect(canonical).toMatch(/^(?:[A-Za-z0-9\-._~=&]|%[0-9A-F]{2})*$/)
      }),
      { numRuns: RUNS / 2 },
    )
  })

  it('keeps every pair: what is decoded from it are the pairs, sorted', () => {
    fc.assert(
      fc.property(pairs, (list) => {
        const sorted = [...list].sort((a, b) => compareByCodePoint(a[0], b[0]) || compareByCodePoint(a[1], b[1]))
        expect(decodeQuery(canonicalQueryOf(list))).toEqual(sorted)
      }),
      { numRuns: RUNS / 10 },
    )
  })

  it('is refused as malformed exactly where the second implementation refuses, whatever the bytes', () => {
    let refused = 0
    fc.assert(
      fc.property(rawQuery, (query) => {
        const ours = attempt(() => canonicalQuery(query))
        const second = attempt(() => secondCanonicalQuery(query))
        if (second instanceof Error) {
          refused++
          expect(ours).toBeInstanceOf(MalformedQueryError)
        } else expect(ours).toBe(second)
      }),
      { numRuns: RUNS / 4 },
    )
    expect(refused).toBeGreaterThan(RUNS / 40)
  })

  it.each([
    ['', ''],
    ['&', ''],
    ['b=2&a=1', 'a=1&b=2'],
    ['a=2&a=1&a=2', 'a=1&a=2&a=2'],
    ['a', 'a='],
    ['a=', 'a='],
    ['=v', '=v'],
    ['a=b=c', 'a=b%3Dc'],
    ["q=it's+(x)*!", 'q=it%27s%20%28x%29%2A%21'],
    ['q=a%2Bb&r=a+b', 'q=a%2Bb&r=a%20b'],
    ['q=%c3%a9', 'q=%C3%A9'],
    ['q=%7e%41', 'q=~A'],
    ['page2=1&page=2', 'page=2&page2=1'],
    ['a-b=1&a%21b=2', 'a%21b=2&a-b=1'],
    ['?a=1', '%3Fa=1'],
    ['a=1;b=2', 'a=1%3Bb%3D2'],
    ['%F0%9F%98%80=1&%EF%BF%BF=2', '%EF%BF%BF=2&%F0%9F%98%80=1'],
  ])('of %j is %j', (raw, canonical) => {
    expect(canonicalQuery(raw)).toBe(canonical)
  })
})

describe('the component encoder', () => {
  it('leaves only unreserved characters of printable ASCII as they are', () => {
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index))
    for (const character of printable) {
      const escaped = `%${character.charCodeAt(0).toString(16).toUpperCase()}`
      expect(encodeComponent(character)).toBe(/[A-Za-z0-9\-._~]/.test(character) ? character : escaped)
    }
  })
})

describe('the canonical string', () => {
  it('and its signature are the same as the second implementation makes them', () => {
    const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT')
    const body = fc.uint8Array({ maxLength: 20 })
    fc.assert(
      fc.property(method, pairs, body, text, fc.nat(2 ** 31), (verb, list, bytes, secret, timestampSeconds) => {
        const call = { method: verb, target: `/api/partner/v1/orders?${written(list)}`, body: bytes, nonce: 'n-1' }
        const credential = { keyId: 'pk_test_1', secret: `sk_test_${secret}` }
        const ours = signCall(credential, { ...call, timestampSeconds })
        expect(ours).toEqual(signWith(credential, { ...call, timestamp: String(timestampSeconds) }))
      }),
      { numRuns: RUNS / 10 },
    )
  })

  it('cuts the target at its first question mark and decodes nothing of the path', () => {
    expect(splitTarget('/a%2fb/?x=1?y=2')).toEqual({ path: '/a%2fb/', query: 'x=1?y=2' })
    expect(splitTarget('/a')).toEqual({ path: '/a', query: '' })
    expect(splitTarget('/a?')).toEqual({ path: '/a', query: '' })
  })

  it('hashes no bytes to the SHA-256 of the empty string, and {} to something else', () => {
    expect(bodySha256(new Uint8Array())).toBe(EMPTY_BODY_SHA256)
    expect(bodySha256(Buffer.from('{}'))).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a')
  })
})

function attempt(action: () => string): string | Error {
  try {
    return action()
  } catch (error) {
    return error as Error
  }
}
