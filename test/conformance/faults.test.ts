import { describe, expect, it } from 'vitest'
import { signCall } from '../../src/conformance/signing/sign-call.ts'
import { describeFault, FAULTS, type Fault } from '../../src/conformance/signing/signature-faults.ts'

const AT = { timestampSeconds: 1_700_000_000, nonce: 'nonce-1' }

/** A call on which every fault has an effect: é sorts last before encoding and first after it. */
const CALL: Parameters<typeof signCall>[0] = {
  credential: { keyId: 'pk_test_abc123', secret: 'sk_test_abc123' },
  method: 'POST',
  path: '/api/partner/v1/orders',
  query: ['é=1', 'b=2', 'b=1', 'a b!='].map((text) => text.split('=') as [string, string]),
  body: Buffer.from('{ "a": 1 }'),
}

/** Two faults are of calls that sign the hash of nothing. */
function callFor(fault: Fault): Parameters<typeof signCall>[0] {
  const word = 'canonical' in fault ? fault.canonical : null
  if (word === 'body_sent') return { ...CALL, method: 'GET' }
  return word === 'body_as_braces' ? { ...CALL, method: 'GET', body: Buffer.alloc(0) } : CALL
}

/** Each word of the table, and each value with something to stand for it. */
function everyFault(): Fault[] {
  return (Object.keys(FAULTS) as (keyof typeof FAULTS)[]).flatMap((name) => {
    const words = Object.keys(FAULTS[name].words).map((word) => ({ [name]: word }) as unknown as Fault)
    const values = Object.entries<{ type: string; among?: readonly string[] }>(FAULTS[name].values).flatMap(
      ([key, { type, among = ['other'] }]) =>
        (type === 'integer' ? [-310] : among).map((value) => ({ [name]: { [key]: value } }) as unknown as Fault),
    )
    return [...words, ...values]
  })
}

const context = { earlierNonce: () => 'earlier', otherSecret: () => 'sk_test_other' }

describe('the table of faults', () => {
  it('has every fault of the scenario format', () => {
    const names = ['key_id', 'auth_headers', 'timestamp', 'nonce', 'signature', 'canonical', 'tamper']
    expect(Object.keys(FAULTS)).toEqual([...names, 'duplicate_header'])
    expect(everyFault().length).toBeGreaterThan(50)
  })

  it('makes each fault another call than the valid one and than every other, the same each time', () => {
    const sameAsAnother = new Map<string, string[]>()
    for (const fault of everyFault()) {
      const valid = callFor(fault)
      const call = { ...valid, fault, context }
      const sent = signCall(call, AT)
      expect(sent.request, describeFault(fault)).not.toEqual(signCall(valid, AT).request)
      expect(sent).toEqual(signCall(call, AT))
      const { method, target, headers, body } = sent.request
      const text = JSON.stringify([method, target, headers, Buffer.from(body).toString('latin1')])
      sameAsAnother.set(text, [...(sameAsAnother.get(text) ?? []), describeFault(fault)])
    }
    expect([...sameAsAnother.values()].filter((names) => names.length > 1)).toEqual([
      // Without a Date of the target, the edge is not known to a second.
      ['timestamp: { shift: -310 }', 'timestamp: { edge: -310 }'],
      // Where the URL is written canonically but for its order, its raw text and its pairs unsorted are one thing.
      ['canonical: query_unsorted', 'canonical: query_raw'],
      ['tamper: query', 'tamper: { query: "add" }'],
    ])
  })

  it('puts no secret in any request', () => {
    for (const fault of everyFault()) {
      const { request: wire, canonicalString } = signCall({ ...callFor(fault), fault, context }, AT)
      expect(JSON.stringify([wire, canonicalString])).not.toContain('sk_test')
    }
  })
})

describe('a fault', () => {
  it('is described as a scenario would write it', () => {
    expect(describeFault({ signature: 'no_prefix' })).toBe('signature: no_prefix')
    expect(describeFault({ timestamp: { shift: -310 } })).toBe('timestamp: { shift: -310 }')
    expect(describeFault({ nonce: { reuse: 'first' } })).toBe('nonce: { reuse: "first" }')
  })
})
