import { expect, test } from 'vitest'
import { sandboxOfFile, startSandbox, type TestSandbox } from '../support/sandbox.ts'

const NOON_MS = Date.UTC(2026, 0, 15, 12)
const CLOCK = '/v1/worlds/default/clock'

const FROZEN = { clockMs: NOON_MS, frozen: true }
/** For what is refused. */
const shared = sandboxOfFile(FROZEN)

function frozen(): Promise<TestSandbox> {
  return startSandbox(FROZEN)
}

test('shows mode, time, what waits and which clock judges timestamps', async () => {
  const sandbox = await frozen()
  expect((await sandbox.operate('GET', CLOCK)).json).toEqual({
    mode: 'frozen',
    now: '2026-01-15T12:00:00.000Z',
    pending: 0,
    pending_by_kind: {},
    next_due: null,
    next: null,
    idle: true,
    auth_clock: 'wall',
    auth_skew_seconds: 0,
    advancing: null,
  })
  await sandbox.call({ path: '/quotes', body: { domain: 'stalls-1.test' } })
  expect((await sandbox.operate('GET', CLOCK)).json).toMatchObject({ pending: 1, next_due: '2026-01-15T12:10:00.001Z' })
})

test('says of what is due next which kind it is, and whether waiting for it would change anything', async () => {
  const sandbox = await frozen()
  await sandbox.operate('PUT', '/v1/worlds/default/progress', { settle_every: '7d' })
  const run = { at: '2026-01-22T12:00:00.000Z', kind: 'settlement.run', id: 'settlement' }
  const { json } = await sandbox.operate('GET', CLOCK)
  expect(json).toMatchObject({ pending: 1, pending_by_kind: { 'settlement.run': 1 }, next: run, idle: true })
  const { json: quote } = await sandbox.call({ path: '/quotes', body: { domain: 'stalls-1.test' } })
  expect((await sandbox.operate('GET', CLOCK)).json).toMatchObject({
    pending: 2,
    pending_by_kind: { 'quote.expired': 1, 'settlement.run': 1 },
    idle: false,
    next: { at: '2026-01-15T12:10:00.001Z', kind: 'quote.expired', id: quote.quote_id },
  })
  await sandbox.operate('POST', `${CLOCK}/advance`, { until: 'idle' })
  expect((await sandbox.operate('GET', CLOCK)).json).toMatchObject({ pending: 1, next: run, idle: true })
})

test('advancing past a quote gives a receipt with its expiry, and another partner can then quote the domain', async () => {
  const sandbox = await frozen()
  const { json: quote } = await sandbox.call({ path: '/quotes', body: { domain: 'stalls-1.test' } })
  const held = await sandbox.call({ as: 'other-partner', path: '/quotes', body: { domain: 'stalls-1.test' } })
  expect([held.status, held.json.code]).toEqual([409, 'conflict'])
  const { status, json } = await sandbox.operate('POST', `${CLOCK}/advance`, { by: '10m30s' })
  expect(status).toBe(200)
  expect(json).toEqual({
    from: '2026-01-15T12:00:00.000Z',
    to: '2026-01-15T12:10:30.000Z',
    stopped: false,
    counts: { 'quote.expired': 1 },
    truncated: false,
    happened: [
      {
        at: '2026-01-15T12:10:00.001Z',
        kind: 'quote.expired',
        id: quote.quote_id,
        summary: 'the quote for stalls-1.test expired and its reservation ended',
      },
    ],
  })
  expect((await sandbox.call({ as: 'other-partner', path: '/quotes', body: { domain: 'stalls-1.test' } })).status).toBe(
    201,
  )
})

test('by takes both spellings, to an instant, until next and idle', async () => {
  const sandbox = await frozen()
  const reached = []
  for (const body of [
    { by: '90s' },
    { by: 'PT1M30S' },
    { by: 'P1D' },
    { to: '2026-02-01' },
    { to: '2026-02-01T01:00:00+01:00' },
    { until: 'next' },
    { until: 'idle' },
  ]) {
    reached.push((await sandbox.operate('POST', `${CLOCK}/advance`, body)).json.to)
  }
  const february = '2026-02-01T00:00:00.000Z'
  expect(reached.slice(0, 3)).toEqual([
    '2026-01-15T12:01:30.000Z',
    '2026-01-15T12:03:00.000Z',
    '2026-01-16T12:03:00.000Z',
  ])
  expect(reached.slice(3)).toEqual([february, february, february, february])
})

test('what is no way to advance is 400 and moves nothing', async () => {
  const sandbox = shared
  const wrong = [
    {},
    { by: '10m', to: '2026-02-01' },
    { by: '' },
    { by: '0s' },
    { by: '-5m' },
    { by: 'PT' },
    { by: '1.5h' },
    { by: 'NaN' },
    { by: '1e308' },
    { by: 600 },
    { by: '999999d99999999h' },
    { to: '+275760-09-13T00:00:00Z' },
    { to: '275760-09-13' },
    { to: '-000001-01-01T00:00:00Z' },
    { to: '2026-02-31' },
    { to: '2026-02-01T00:00:00' },
    { to: '9999-12-31T23:59:59.999-01:00' },
    { to: 'NaN' },
    { to: 1_800_000_000_000 },
    { until: 'noon' },
    { until: 'next', by: '1s' },
    { for: '10m' },
  ]
  for (const body of wrong) {
    const { status, json } = await sandbox.operate('POST', `${CLOCK}/advance`, body)
    expect([body, status, typeof json.detail]).toEqual([body, 400, 'string'])
  }
  expect((await sandbox.operate('GET', CLOCK)).json.now).toBe('2026-01-15T12:00:00.000Z')
})

test('going back is refused with 409 and says where the clock stands', async () => {
  const sandbox = shared
  for (const [method, path, body] of [
    ['POST', `${CLOCK}/advance`, { to: '2026-01-15T11:59:59.999Z' }],
    ['PUT', CLOCK, { now: '2020-01-01', mode: 'running', auth_skew_seconds: 9 }],
    ['PUT', CLOCK, { now: '0000-01-01' }],
  ] as const) {
    const { status, json } = await sandbox.operate(method, path, body)
    expect(status).toBe(409)
    expect(json.detail).toContain('moves forward only: it is 2026-01-15T12:00:00.000Z there')
  }
  expect((await sandbox.operate('GET', CLOCK)).json).toMatchObject({ mode: 'frozen', auth_skew_seconds: 0 })
})

test('PUT sets mode, time and the judging of timestamps at once', async () => {
  const sandbox = await startSandbox()
  const wish = { mode: 'frozen', now: '2099-01-01T00:00:00Z', auth_clock: 'wall', auth_skew_seconds: 400 }
  expect((await sandbox.operate('PUT', CLOCK, wish)).json).toEqual({
    mode: 'frozen',
    now: '2099-01-01T00:00:00.000Z',
    pending: 0,
    pending_by_kind: {},
    next_due: null,
    next: null,
    idle: true,
    auth_clock: 'wall',
    auth_skew_seconds: 400,
    advancing: null,
  })
})

test('PUT refuses what it does not know, by name', async () => {
  const sandbox = shared
  for (const [body, says] of [
    [{ mode: 'backwards' }, 'mode must be one of running, frozen'],
    [{ auth_clock: 'sundial' }, 'auth_clock must be one of wall, world'],
    [{ auth_skew_seconds: 1.5 }, 'auth_skew_seconds must be an integer'],
    [{ auth_skew_seconds: 1e15 }, 'auth_skew_seconds'],
    [{ speed: 2 }, 'unknown field speed'],
    [{ now: 'noon' }, 'now must be an ISO 8601 date'],
  ] as const) {
    const { status, json } = await sandbox.operate('PUT', CLOCK, body)
    expect(status).toBe(400)
    expect(json.detail).toContain(says)
  }
})

test('seven days ahead, a call signed with the real time still passes; 400 seconds of skew refuse it (TIME-07)', async () => {
  const sandbox = await startSandbox()
  await sandbox.operate('POST', `${CLOCK}/advance`, { by: '7d' })
  expect((await sandbox.call({ path: '/orders' })).status).toBe(200)
  await sandbox.operate('PUT', CLOCK, { auth_skew_seconds: 400 })
  const late = await sandbox.call({ path: '/orders' })
  expect([late.status, late.json.code]).toEqual([401, 'invalid_timestamp'])
  await sandbox.operate('PUT', CLOCK, { auth_skew_seconds: 0, auth_clock: 'world' })
  expect((await sandbox.call({ path: '/orders' })).json.code).toBe('invalid_timestamp')
  await sandbox.operate('PUT', CLOCK, { auth_clock: 'wall' })
  expect((await sandbox.call({ path: '/orders' })).status).toBe(200)
})

test('advances at once never mix: each is served or gets 409, and time and happenings are those of the served', async () => {
  const sandbox = await frozen()
  for (let n = 1; n <= 40; n++) await sandbox.call({ path: '/quotes', body: { domain: `stalls-${n}.test` } })
  const jumps = await Promise.all(
    Array.from({ length: 8 }, () => sandbox.operate('POST', `${CLOCK}/advance`, { by: '1h' })),
  )
  const served = jumps.filter(({ status }) => status === 200)
  for (const { json } of jumps.filter(({ status }) => status !== 200)) {
    expect([json.status, json.detail]).toEqual([
      409,
      'the clock of this world is being advanced; wait for its receipt, or stop it',
    ])
  }
  expect(served.length).toBeGreaterThan(0)
  expect(served.flatMap(({ json }) => json.happened)).toHaveLength(40)
  const now = new Date(NOON_MS + served.length * 3_600_000).toISOString()
  expect((await sandbox.operate('GET', CLOCK)).json).toMatchObject({ now, pending: 0 })
})

test.for(['1ms', 'PT1.5S', '1.5h', '0s'])(
  'a jump by %s is refused, and the message says what durations look like',
  async (by) => {
    const sandbox = shared
    const { status, json } = await sandbox.operate('POST', `${CLOCK}/advance`, { by })
    const looks = 'in whole days, hours, minutes and seconds, such as 10m30s, 2h, 7d or PT10M30S'
    expect([status, json.detail]).toEqual([400, `by must be a duration of more than zero ${looks}, not "${by}"`])
  },
)

test('a jump beyond the end of time is refused as one, however long it is written', async () => {
  for (const by of ['9999999d', '99999999d']) {
    const { status, json } = await shared.operate('POST', `${CLOCK}/advance`, { by })
    expect([status, json.detail]).toEqual([400, expect.stringMatching(/^a world’s clock ends at /)])
  }
})

test('a receipt lists as many things as it is asked to, the first ones, and counts all of them', async () => {
  const sandbox = await frozen()
  for (let n = 1; n <= 5; n++) await sandbox.call({ path: '/quotes', body: { domain: `stalls-${n}.test` } })
  const { json } = await sandbox.operate('POST', `${CLOCK}/advance`, { by: '1d', list: 2 })
  expect(json).toMatchObject({ counts: { 'quote.expired': 5 }, truncated: true })
  expect(json.happened.map(({ summary }: { summary: string }) => summary)).toEqual([
    'the quote for stalls-1.test expired and its reservation ended',
    'the quote for stalls-2.test expired and its reservation ended',
  ])
  expect((await sandbox.operate('POST', `${CLOCK}/advance`, { by: '1d', list: 0 })).json).toMatchObject({
    counts: {},
    truncated: false,
    happened: [],
  })
  const refused = await sandbox.operate('POST', `${CLOCK}/advance`, { by: '1d', list: -1 })
  expect([refused.status, refused.json.detail]).toEqual([400, expect.stringContaining('list')])
})
