import { expect, it } from 'vitest'
import { keptOutcome, type Outcome } from '../../src/conformance/http/exchange.ts'
import { createRedactor } from '../../src/conformance/http/redact.ts'

function answer(body: Uint8Array, value = 'short'): Outcome {
  return { kind: 'response', response: { status: 200, headers: [['x-value', value]], body, tookMs: 1 } }
}

it('a short answer is kept as it is', () => {
  const outcome = answer(Buffer.from('{}'))
  expect(keptOutcome(outcome)).toBe(outcome)
})

it('megabytes are not kept, and the report says how many bytes there were', () => {
  const outcome = keptOutcome(answer(Buffer.alloc(4 * 1024 * 1024, 0x61), 'v'.repeat(60_000)))
  if (outcome.kind !== 'response') throw new Error('it was a response')
  expect(outcome.response.body.buffer.byteLength).toBeLessThan(32 * 1024)
  expect(outcome.response.headers[0]?.[1].length).toBeLessThan(5_000)
  const { responseBody } = createRedactor([]).exchange({
    ...{ id: 's1e1', scenario: 'a/b', sentAtMs: 0, canonicalString: null, outcome },
    request: { method: 'GET', target: '/', headers: [], body: new Uint8Array() },
  })
  expect(responseBody).toMatch(new RegExp(`^a+… \\(${4 * 1024 * 1024 - 16 * 1024} bytes more\\)$`))
})
