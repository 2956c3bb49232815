import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reproductionOf } from '../../../src/conformance/reports/failure-facts.ts'
import type { RedactedExchange } from '../../../src/conformance/result/result.ts'
import { INSTALLED_SHELLS } from '../../support/shells.ts'
import { sampleOf } from '../../support/size.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { INVOCATION, sampleRun } from './sample-run.ts'

const signing = { program: 'npx partner-sandbox', secretEnv: { pk_test_1: 'STAGING_SECRET' } }
const options = { color: false, invocation: INVOCATION, signing }
const place = { scenario: 'orders/one', url: 'http://127.0.0.1:4600' }

function valid(more: Partial<RedactedExchange> = {}): RedactedExchange {
  const [call] = sampleRun().exchanges
  if (!call) throw new Error('the sample has no exchange')
  return { ...call, scenario: place.scenario, ...more }
}

describe('the reproduction of a failure', () => {
  it('is the whole run, where a rule of it shows the call of another scenario', () => {
    const { call, again } = reproductionOf(valid({ scenario: 'orders/two' }), place, options)
    expect([call, again]).toEqual([expect.stringContaining('sign GET'), INVOCATION])
  })

  it('signs the call anew, with its key, its idempotency key, its headers and its body, but not with the trace of the run', () => {
    const requestHeaders: RedactedExchange['requestHeaders'] = [
      ...valid().requestHeaders,
      ['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
      ...[['Idempotency-Key', 'k 1'] as const, ['content-type', 'text/plain'] as const, ['x-shop', 'a'] as const],
    ]
    const exchange = valid({ method: 'POST', requestHeaders, requestBody: '{"a":1}' })
    expect(reproductionOf(exchange, place, options)).toEqual({
      call: `npx partner-sandbox sign POST 'http://127.0.0.1:4600/api/partner/v1/availability?domain=a.test' --key-id pk_test_1 --secret-env STAGING_SECRET --header content-type=text/plain --header x-shop=a --idempotency-key 'k 1' --body '{"a":1}' --curl | sh`,
      note: null,
      again: `${INVOCATION} --only orders/one`,
    })
  })

  it('opens a page as it is, without a signature', () => {
    const { call, note } = reproductionOf(valid({ canonicalString: null, origin: 'http://pay.test' }), place, options)
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
    expect(reproductionOf(delivery, place, options).call).toBe(
      "npx partner-sandbox sign --webhook --secret-env PARTNER_SECRET --body '{'\\''a'\\''}!' | curl -sS --globoff --path-as-is -X POST http://hooks.test/hooks -H 'content-type: application/json' --data-raw '{'\\''a'\\''}!' -H @-",
    )
    expect(reproductionOf({ ...delivery, requestBody: 'a\tb' }, place, options)).toMatchObject({
      call: null,
      note: 'only the runner sends this call: a report cannot show its bytes',
    })
  })

  it('says which variable is missing where the environment does not hold the secret of the key', () => {
    const { call, note } = reproductionOf(valid(), place, { ...options, signing: { ...signing, secretEnv: {} } })
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
    expect(reproductionOf(valid(more), place, options)).toEqual({
      call: null,
      note: `only the runner sends this call: ${why}`,
      again: `${INVOCATION} --only orders/one`,
    })
  })

  it('has no call for a delivery, or for a target that is gone', () => {
    expect(reproductionOf(valid({ speaker: 'target' }), place, options)).toMatchObject({ call: null, note: null })
    expect(reproductionOf(valid(), place, { ...options, keepsNothing: true })).toMatchObject({ call: null, note: null })
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
    const { call } = reproductionOf(valid({ method: 'POST', requestBody }), place, {
      ...options,
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
