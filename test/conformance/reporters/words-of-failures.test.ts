import { describe, expect, it } from 'vitest'
import { reportModelOf } from '../../../src/conformance/reports/report-model.ts'
import type { RedactedExchange } from '../../../src/conformance/result/result.ts'
import { type Made, runOf } from './failing-run.ts'
import { REPORTERS } from './rendering.ts'
import { INVOCATION } from './sample-run.ts'

const options = { color: false, invocation: INVOCATION }

const cardOf = (made: Made, ...others: RedactedExchange[]) => {
  const run = runOf({ 'orders/one': [made] })
  return REPORTERS.pretty.render({ ...run, exchanges: [...others, ...run.exchanges] }, options)
}

const called = (id: string, more: Partial<RedactedExchange> = {}): RedactedExchange => {
  const [exchange] = runOf({ 'orders/one': [{}] }).exchanges
  return {
    ...(exchange as RedactedExchange),
    id,
    method: 'POST',
    target: '/api/partner/v1/orders',
    status: 202,
    ...more,
  }
}

describe('the card of a failure', () => {
  it('says which valid call it was compared with, and has no id of a transcript that it does not show', () => {
    const twin = 'a valid call was accepted in ce1'
    expect(cardOf({ twin }, called('ce1'))).toContain('  valid call    accepted (POST /orders, 202)\n')
    expect(cardOf({ twin })).toContain('  valid call    accepted\n')
  })

  it('calls what was looked for, and what came nearest, by what they are', () => {
    expect(cardOf({ note: 'asked for: case.id is case_1' })).toContain('  asked for     case.id is case_1\n')
    expect(cardOf({ note: 'nearest: domain fits' })).toContain('  nearest       domain fits\n')
    expect(cardOf({ note: 'nonces are forgotten' })).toContain('  hint          nonces are forgotten\n')
  })

  it('has the first call with the same Idempotency-Key, which the second one needs', () => {
    const requestHeaders: RedactedExchange['requestHeaders'] = [['Idempotency-Key', 'k1']]
    const first = called('s1e0', { requestHeaders, requestBody: '{"domain":"a.test"}' })
    const second = { method: 'POST', requestHeaders, requestBody: '{"domain":"b.test"}' }
    const lines = cardOf({ call: second }, first).split('\n')
    expect(lines.find((line) => line.startsWith('  first send'))).toContain('a.test')
    expect(lines.find((line) => line.startsWith('  reproduce'))).toContain('b.test')
  })

  it('has no first call where that met a limit: it is the same call', () => {
    const requestHeaders: RedactedExchange['requestHeaders'] = [['Idempotency-Key', 'k1']]
    const limited = called('s1e0', { requestHeaders, status: 429 })
    expect(cardOf({ call: { method: 'POST', requestHeaders } }, limited)).not.toContain('  first send')
  })

  it('runs all its scenarios again', () => {
    const run = runOf({ 'orders/one': [{ actual: '409' }], 'orders/two': [{ actual: '409' }] })
    expect(reportModelOf(run).failed[0]?.causes).toHaveLength(1)
    for (const text of [REPORTERS.pretty, REPORTERS.markdown, REPORTERS.github, REPORTERS.html])
      expect(text.render(run, options)).toContain(`${INVOCATION} --selected --only orders/one orders/two`)
  })
})
