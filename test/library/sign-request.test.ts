import { describe, expect, it } from 'vitest'
import { signRequest } from '../../src/library/sign-request.ts'

const KEY = { keyId: 'pk_test_1', secret: 'sk_test_1' }
const CALL = { method: 'GET', target: '/api/partner/v1/orders', timestampSeconds: 1_700_000_000, nonce: 'nonce-1' }

/** As JavaScript calls it. */
const sign = signRequest as (...args: unknown[]) => unknown

describe('signRequest', () => {
  it('returns the four headers', () => {
    expect(Object.keys(signRequest(KEY, CALL).headers)).toHaveLength(4)
  })

  it.each<[unknown[], string]>([
    [[], 'key is missing'],
    [[KEY], 'call is missing'],
    [[{ ...KEY, ...CALL }], 'call is missing'],
    [[{ keyId: 'pk_test_1' }, CALL], 'key.secret is missing'],
    [[KEY, { ...CALL, nonce: undefined }], 'call.nonce is missing'],
    [[KEY, { ...CALL, timestampSeconds: '1700000000' }], 'call.timestampSeconds must be a number'],
    [[KEY, { ...CALL, body: '{}' }], 'call.body must be a Uint8Array'],
  ])('called with %j says what is missing', (args, problem) => {
    expect(() => sign(...args)).toThrow(new TypeError(`signRequest(key, call): ${problem}`))
  })
})
