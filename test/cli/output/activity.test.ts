import { expect, test } from 'vitest'
import { activityLine } from '../../../src/cli/output/serve.ts'
import type { Session } from '../../../src/cli/session.ts'
import { wallClock } from '../../../src/clock/wall-clock.ts'
import { USUAL_OPERATOR_URL } from '../../../src/operator-api/address.ts'
import type { Activity } from '../../../src/server.ts'

const SESSION: Session = {
  out: () => {},
  err: () => {},
  outIsTerminal: false,
  errIsTerminal: false,
  columns: 80,
  env: {},
  wall: wallClock,
  program: 'partner-sandbox',
  interrupted: () => new AbortController().signal,
  exitWith: () => undefined,
}
const AT = { atMs: Date.parse('2026-01-31T12:00:01Z'), world: 'default', skipped: 0, skippedIn: [] }

const LINES: readonly (readonly [Activity, string])[] = [
  [
    { ...AT, kind: 'call', method: 'GET', path: '/api/x', status: 200, code: null, tookMs: 1.6 },
    '12:00:01  GET     /api/x  200  2 ms\n',
  ],
  [
    { ...AT, kind: 'call', method: 'POST', path: '/api/x', status: 409, code: 'conflict', tookMs: 3, world: 'ci-1' },
    '12:00:01  POST    /api/x  409  conflict  3 ms  ci-1\n',
  ],
  [
    {
      ...AT,
      kind: 'refusal',
      requestId: 'req_1',
      method: 'GET',
      path: '/api/x',
      sentence: 'Why.',
      skipped: 2,
      skippedIn: ['default'],
    },
    '2 more refused calls: partner-sandbox request list --refused\nrefused GET /api/x: Why. (partner-sandbox request show req_1)\n',
  ],
  [
    {
      ...AT,
      kind: 'delivery',
      deliveryId: 'dlv_1',
      type: 'order.recorded',
      attempt: 2,
      status: 500,
      failure: 'the receiver answered 500',
      nextInMs: 60_000,
    },
    '12:00:01  webhook  order.recorded  dlv_1  attempt 2 failed: the receiver answered 500  next attempt in 1m\n',
  ],
  [
    {
      ...AT,
      kind: 'delivery',
      deliveryId: 'dlv_1',
      type: 'order.recorded',
      attempt: 3,
      status: 204,
      failure: null,
      nextInMs: null,
    },
    '12:00:01  webhook  order.recorded  dlv_1  attempt 3 delivered (204)\n',
  ],
  [
    { kind: 'skipped', of: 'call', skipped: 13, skippedIn: ['default'] },
    '13 more calls: partner-sandbox request list\n',
  ],
  [
    { kind: 'skipped', of: 'call', skipped: 13, skippedIn: ['ci-1', 'default', 'ci-2', 'ci-3', 'ci-4'] },
    '13 more calls in the worlds ci-1, default, ci-2, and 2 more: partner-sandbox request list --world ci-1\n',
  ],
]

test.each(LINES)('what happens on a server is a line each: %#', (activity, line) => {
  expect(activityLine(activity, SESSION, USUAL_OPERATOR_URL)).toBe(line)
})

test('what a caller wrote cannot act on the terminal', () => {
  const call = { kind: 'call', method: 'GET', path: '/\u001b[2J\n', status: 404, code: null, tookMs: 1 } as const
  expect(activityLine({ ...AT, ...call }, SESSION, null)).toBe('12:00:01  GET     /\\x1b[2J\\n  404  1 ms\n')
})

test('the command of a refusal finds the sandbox at another address, and is left out where no operator listens', () => {
  const refusal = { kind: 'refusal', requestId: 'req_1', method: 'GET', path: '/a', sentence: 'Why.' } as const
  const skipped = { ...AT, ...refusal, world: 'ci-2', skipped: 2, skippedIn: ['ci'] }
  expect(activityLine(skipped, SESSION, 'http://127.0.0.1:5001')).toBe(
    '2 more refused calls: partner-sandbox request list --refused --world ci --sandbox http://127.0.0.1:5001\n' +
      'refused GET /a: Why. (partner-sandbox request show req_1 --sandbox http://127.0.0.1:5001)\n',
  )
  expect(activityLine(skipped, SESSION, null)).toBe('2 more refused calls\nrefused GET /a: Why.\n')
})
