import { expect, it } from 'vitest'
import { type Exchange, keptExchange } from '../../src/conformance/http/exchange.ts'
import { createRedactor } from '../../src/conformance/http/redact.ts'

function answered(body: Uint8Array, value = 'short'): Exchange {
  return {
    id: 's1e1',
    scenario: 'a/b',
    sentAtMs: 0,
    canonicalString: null,
    broken: null,
    tookMs: 1,
    request: { method: 'GET', target: '/', headers: [], body: new Uint8Array() },
    answer: { op: null, status: 200, headers: [['x-value', value]], body, json: { parsed: true } },
  }
}

it('a short answer is kept as it is, but for the JSON in it', () => {
  const exchange = answered(Buffer.from('{}'))
  expect(keptExchange(exchange)).toEqual({ ...exchange, answer: { ...exchange.answer, json: undefined } })
})

it('megabytes are not kept, and the report says how many bytes there were', () => {
  const kept = keptExchange(answered(Buffer.alloc(4 * 1024 * 1024, 0x61), 'v'.repeat(60_000)))
  expect(kept.answer?.body.buffer.byteLength).toBeLessThan(32 * 1024)
  expect(kept.answer?.headers[0]?.[1].length).toBeLessThan(5_000)
  const { responseBody } = createRedactor([]).exchange(kept)
  expect(responseBody).toMatch(new RegExp(`^a+… \\(${4 * 1024 * 1024 - 16 * 1024} bytes more\\)$`))
})
