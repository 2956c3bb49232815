import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reproductionOf } from '../../../src/conformance/reports/failure-facts.ts'
import type { RenderOptions } from '../../../src/conformance/reports/report-model.ts'
import type { RedactedExchange } from '../../../src/conformance/result/result.ts'
import { INSTALLED_SHELLS } from '../../support/shells.ts'
import { sampleOf } from '../../support/size.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { INVOCATION, sampleRun } from './sample-run.ts'

const signing = { program: 'npx partner-sandbox', secretEnv: { pk_test_1: 'STAGING_SECRET' } }
const options = { color: false, invocation: INVOCATION, signing }
const place = { scenarios: ['orders/one'], url: 'http://127.0.0.1:4600' }

const reproduced = (exchange: RedactedExchange, more: Partial<RenderOptions> = {}, before?: RedactedExchange) =>
  reproductionOf({ exchange, before }, place, { ...options, ...more })

function valid(more: Partial<RedactedExchange> = {}): RedactedExchange {
  const [call] = sampleRun().exchanges
  if (!call) throw new Error('the sample has no exchange')
  return { ...call, scenario: 'orders/one', ...more }
}

describe('the reproduction of a failure', () => {
  it('runs a rule of the whole run beside the scenario that made the call', () => {
    const { call, again } = reproduced(valid({ scenario: 'orders/two' }))
    expect([call, again]).toEqual([
      expect.stringContaining('sign GET'),
      `${INVOCATION} --selected --only orders/two orders/one`,
    ])
  })

  it('signs the call anew, with its key, its idempotency key, its headers and its body, but not with the trace of the run', () => {
    const requestHeaders: RedactedExchange['requestHeaders'] = [
      ...valid().requestHeaders,
      ['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
      ...[['Idempotency-Key', 'k 1'] as const, ['content-type', 'text/plain'] as const, ['x-shop', 'a'] as const],
    ]
    const exchange = valid({ method: 'POST', requestHeaders, requestBody: '{"a":1}' })
    expect(reproduced(exchange)).toEqual({
      call: `npx partner-sandbox sign POST 'http://127.0.0.1:4600/api/partner/v1/availability?domain=a.test' --key-id pk_test_1 --secret-env STAGING_SECRET --header content-type=text/plain --header x-shop=a --idempotency-key 'k 1' --body '{"a":1}' --curl | sh`,
      note: null,
      before: null,
      again: `${INVOCATION} --selected --only orders/one`,
    })
  })

  it('has another Idempotency-Key each time, where the target would repeat its answer to the old one', () => {
    const requestHeaders = [
      ...valid().requestHeaders,
      ['Idempotency-Key', '2f8bef28-cbd4-4c8f-a2bf-dde2138b22a8'] as const,
    ]
    const order = valid({ method: 'POST', requestHeaders, requestBody: '{"domain":"a.test"}' })
    const { call, note } = reproduced(order)
    expect(call).toContain(` --idempotency-key "again-$(date +%s)" --body '{"domain":"a.test"}'`)
    expect(note).toBe('this call was accepted, so put another domain that is for sale into it, with amounts to match')
    expect(reproduced({ ...order, status: 409 }).note).toBeNull()
    const delivery = valid({ ...order, canonicalString: null, requestHeaders: [['User-Agent', 'partner-sandbox']] })
    expect(reproduced(delivery).note).not.toContain('for sale')
    const copy = reproduced({ ...order, oddity: 'the bytes of an earlier call, sent again' })
    expect(copy.call).toContain(' --idempotency-key 2f8bef28-cbd4-4c8f-a2bf-dde2138b22a8 ')
  })

  it('is two calls, where it is about a second one with the same Idempotency-Key', () => {
    const key = '2f8bef28-cbd4-4c8f-a2bf-dde2138b22a8'
    const requestHeaders = [...valid().requestHeaders, ['Idempotency-Key', key] as const]
    const order = valid({ method: 'POST', requestHeaders, status: 422, requestBody: '{"domain":"b.test"}' })
    const { before, call } = reproduced(order, {}, { ...order, status: 202, requestBody: '{"domain":"a.test"}' })
    expect(before).toContain(` --idempotency-key ${key} --body '{"domain":"a.test"}'`)
    expect(call).toContain(` --idempotency-key ${key} --body '{"domain":"b.test"}'`)
  })

  it('runs all scenarios in which it was seen again, up to six, and counts what is beyond', () => {
    const scenarios = Array.from({ length: 8 }, (_, at) => `orders/s${at}`)
    const { again, note } = reproductionOf(
      { exchange: valid({ scenario: 'probe' }), before: undefined },
      { ...place, scenarios },
      options,
    )
    expect(again).toBe(`${INVOCATION} --selected --only ${scenarios.slice(0, 6).join(' ')}`)
    expect(note).toBe('not run again: 2 more scenarios')
  })

  it('opens a page as it is, without a signature', () => {
    const { call, note } = reproduced(valid({ canonicalString: null, origin: 'http://pay.test' }))
    expect(call).toMatch(/^curl .* 'http:\/\/pay\.test\/api/)
    expect(note).toBeNull()
  })

  it('delivers an event again, with a signature that is made when the line runs', () => {
    const delivery = valid({
      ...{
        method: 'POST',
        target: '/hooks',
        origin: 'http://hooks.test',
        canonicalString: null,
        requestBody: "{'a'}!",
      },
      requestHeaders: [
        ['user-agent', 'partner-sandbox'],
        ['content-type', 'application/json'],
      ],
    })
    expect(reproduced(delivery).call).toBe(
      "npx partner-sandbox sign --webhook --secret-env PARTNER_SECRET --body '{'\\''a'\\''}!' | curl -sS --globoff --path-as-is -X POST http://hooks.test/hooks -H 'content-type: application/json' --data-raw '{'\\''a'\\''}!' -H @-",
    )
    expect(reproduced({ ...delivery, requestBody: 'a\tb' })).toMatchObject({
      call: null,
      note: 'only the runner sends this call: a report cannot show its bytes',
    })
  })

  it('says which variable is missing where the environment does not hold the secret of the key', () => {
    const { call, note } = reproduced(valid(), { signing: { ...signing, secretEnv: {} } })
    expect(call).toContain('--secret-env PARTNER_SECRET')
    expect(note).toBe('first set PARTNER_SECRET to the secret of pk_test_1')
  })

  it.each([
    ['a fault', { oddity: 'a fault on purpose, {"timestamp":"hex"}' }, 'a fault on purpose, {"timestamp":"hex"}'],
    ['a secret in its body', { requestBody: '{"secret":"[secret]"}' }, 'a report cannot show its bytes'],
    ['bytes that are no text', { requestBody: 'caf\ufffd' }, 'a report cannot show its bytes'],
    ['a body too long for a line', { requestBody: 'x'.repeat(5_000) }, 'a report cannot show its bytes'],
    ['a body whose end is missing', { requestBody: 'a\n… (7 bytes more)' }, 'a report cannot show its bytes'],
    ['a target on another host', { target: '@evil.invalid/' }, 'its URL is broken on purpose'],
    ['a broken query', { target: '/api/partner/v1/orders?a=%zz' }, 'its URL is broken on purpose'],
  ])('says that only the runner sends a call with %s', (_what, more, why) => {
    expect(reproduced(valid(more))).toEqual({
      call: null,
      before: null,
      note: `only the runner sends this call: ${why}`,
      again: `${INVOCATION} --selected --only orders/one`,
    })
  })

  it('has no call for a delivery, or for a target that is gone', () => {
    expect(reproduced(valid({ speaker: 'target' }))).toMatchObject({ call: null, note: null })
    expect(reproduced(valid(), { keepsNothing: true })).toMatchObject({ call: null, note: null })
  })
})

/** What a hostile target may have said, so that it stands in the next call. */
const HOSTILE_BODIES = [
  `{"quote_id":"qt_1\u0080'; touch RAN #"}`,
  `{"quote_id":"qt_1\u009b\\'; touch RAN #"}`,
  "it's\n'; touch RAN #",
  '\u0003\ntouch RAN\n',
  '@/etc/hostname',
  'a\u0000b',
  '\u202e$(touch RAN)`touch RAN`!!',
  '{"a":1}',
]

describe.each(INSTALLED_SHELLS)('a reproduction pasted into $name', ({ at, start: [shell, ...args] }) => {
  // A process of the shell and one of Node for each: every shell has bodies of its own.
  it.each(sampleOf(HOSTILE_BODIES, 4, at % 4))('signs the body %j, and nothing in it runs', (requestBody) => {
    const folder = tempFolder()
    const program = join(folder, 'partner-sandbox')
    // What this one prints is piped into a shell.
    writeFileSync(program, `#!${process.execPath}\n${KEEPS_WHAT_IT_WAS_GIVEN}`, { mode: 0o755 })
    const { call } = reproduced(valid({ method: 'POST', requestBody }), {
      signing: { ...signing, program },
    })
    expect(call).toMatch(/^[ -~\u00a1-\uffff]+$/)
    execFileSync(shell, args, { cwd: folder, input: `${call}\n` })
    expect(readdirSync(folder).sort()).toEqual(['given.json', 'partner-sandbox'])
    expect(JSON.parse(readFileSync(join(folder, 'given.json'), 'utf8'))).toBe(requestBody)
  })
})

const KEEPS_WHAT_IT_WAS_GIVEN = `
const { readFileSync, writeFileSync } = require('node:fs')
const body = process.argv[process.argv.indexOf('--body') + 1]
writeFileSync('given.json', JSON.stringify(body === '@-' ? readFileSync(0, 'utf8') : body))
console.log(':')
`
