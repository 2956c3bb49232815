import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyedHmac } from '../../../src/contract/diagnosis/signature-header.ts'

const algorithms = fc.constantFrom('md5', 'sha1', 'sha256', 'sha384', 'sha512' as const)
const bytes = (maxLength: number) => fc.uint8Array({ maxLength })

test('the quick HMAC is the usual one, for any key, text and hash', () => {
  fc.assert(
    fc.property(
      algorithms,
      fc.oneof(bytes(200), fc.string({ unit: 'binary' })),
      fc.oneof(bytes(300), fc.string({ unit: 'binary' })),
      (algorithm, key, message) => {
        expect(keyedHmac(key).hmac(algorithm, message)).toBe(createHmac(algorithm, key).update(message).digest('hex'))
      },
    ),
  )
})

test.each([0, 1, 1_365, 1_366, 4_095, 4_096, 4_097, 100_000])('and for texts of %i characters', (length) => {
  const { hmac } = keyedHmac('secret')
  for (const message of ['€'.repeat(length), 'a'.repeat(length), Buffer.alloc(length, 7)]) {
    expect(hmac('sha256', message)).toBe(createHmac('sha256', 'secret').update(message).digest('hex'))
  }
})
