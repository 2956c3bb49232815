import { describe, expect, it } from 'vitest'
import { reproductionOf } from '../../../src/conformance/reports/reproduce.ts'
import type { RedactedExchange } from '../../../src/conformance/result/result.ts'
import { INVOCATION, sampleRun } from './sample-run.ts'

const signing = { program: 'npx partner-sandbox', secretEnv: { pk_test_1: 'STAGING_SECRET' } }
const options = { color: false, invocation: INVOCATION, signing }
const place = { scenario: 'orders/one', url: 'http://127.0.0.1:4600' }

function sound(more: Partial<RedactedExchange> = {}): RedactedExchange {
  const [call] = sampleRun().exchanges
  if (!call) throw new Error('the sample has no exchange')
  return { ...call, ...more }
}

describe('the reproduction of a failure', () => {
  it('signs the call anew, with its key, its idempotency key, its headers and its body', () => {
    const requestHeaders: RedactedExchange['requestHeaders'] = [
      ...sound().requestHeaders,
      ...[['Idempotency-Key', 'k 1'] as const, ['content-type', 'text/plain'] as const, ['x-shop', 'a'] as const],
    ]
    const exchange = sound({ method: 'POST', requestHeaders, requestBody: '{"a":1}' })
    expect(reproductionOf(exchange, place, options)).toEqual({
      call: `npx partner-sandbox sign POST 'http://127.0.0.1:4600/api/partner/v1/availability?domain=a.test' --key-id pk_test_1 --secret-env STAGING_SECRET --header content-type=text/plain --header x-shop=a --idempotency-key 'k 1' --body '{"a":1}' --curl | sh`,
      note: null,
      again: `${INVOCATION} --only orders/one`,
    })
  })

  it('opens a page as it is, without a signature', () => {
    const { call, note } = reproductionOf(sound({ canonicalString: null, origin: 'http://pay.test' }), place, options)
    expect(call).toMatch(/^curl .* 'http:\/\/pay\.test\/api/)
    expect(note).toBeNull()
  })

  it('says which variable is missing where the environment does not hold the secret of the key', () => {
    const { call, note } = reproductionOf(sound(), place, { ...options, signing: { ...signing, secretEnv: {} } })
    expect(call).toContain('--secret-env PARTNER_SECRET')
    expect(note).toBe('first set PARTNER_SECRET to the secret of pk_test_1')
  })

  it.each([
    ['a fault', { oddity: 'a fault on purpose, {"timestamp":"hex"}' }, 'a fault on purpose, {"timestamp":"hex"}'],
    ['a secret in its body', { requestBody: '{"secret":"[secret]"}' }, 'a report cannot show its bytes'],
    ['bytes that are no text', { requestBody: 'caf\ufffd' }, 'a report cannot show its bytes'],
    ['a body too long for a line', { requestBody: 'x'.repeat(5_000) }, 'a report cannot show its bytes'],
    ['a broken query', { target: '/api/partner/v1/orders?a=%zz' }, 'its URL is broken on purpose'],
  ])('says that only the runner sends a call with %s', (_what, more, why) => {
    expect(reproductionOf(sound(more), place, options)).toEqual({
      ...{ call: null, note: `only the runner sends this call: ${why}` },
      again: `${INVOCATION} --only orders/one`,
    })
  })

  it('has no call for a delivery, or for a target that is gone', () => {
    expect(reproductionOf(sound({ speaker: 'target' }), place, options)).toMatchObject({ call: null, note: null })
    expect(reproductionOf(sound(), place, { ...options, keepsNothing: true })).toMatchObject({ call: null, note: null })
  })
})
