import { expect, test } from 'vitest'
import { sandboxOfFile, startSandbox } from '../support/sandbox.ts'

/** For what is refused, or only read. */
const shared = sandboxOfFile()

const MANUAL = { start_after: null, complete_after: null, settle_every: null }
const PATH = '/v1/worlds/default/progress'

test('a world is manual unless somebody said otherwise', async () => {
  const sandbox = await startSandbox()
  expect((await sandbox.operate('GET', '/v1/worlds/default')).json.progress).toEqual(MANUAL)
  expect((await sandbox.operate('GET', PATH)).json).toEqual(MANUAL)
  const { json } = await sandbox.operate('POST', '/v1/worlds', { name: 'ci', progress: 'manual' })
  expect(json.progress).toEqual(MANUAL)
})

test('a new world takes its progress, and shows it', async () => {
  const sandbox = await startSandbox()
  const progress = { start_after: '10m', complete_after: 'PT2H', settle_every: '7d' }
  const { status, json } = await sandbox.operate('POST', '/v1/worlds', { name: 'ci', progress })
  expect([status, json.progress]).toEqual([201, { start_after: '10m', complete_after: '2h', settle_every: '7d' }])
  expect((await sandbox.operate('GET', '/v1/worlds/ci')).json.progress).toEqual(json.progress)
})

test('a living world takes another, which replaces all of the one before', async () => {
  const sandbox = await startSandbox({ clockMs: 0, frozen: true })
  const { status, json } = await sandbox.operate('PUT', PATH, { start_after: '1h', settle_every: '1d' })
  expect([status, json]).toEqual([200, { start_after: '1h', complete_after: null, settle_every: '1d' }])
  const clock = await sandbox.operate('GET', '/v1/worlds/default/clock')
  expect([clock.json.pending, clock.json.next_due]).toEqual([1, '1970-01-02T00:00:00.000Z'])
  expect((await sandbox.operate('PUT', PATH, {})).json).toEqual(MANUAL)
  expect((await sandbox.operate('GET', '/v1/worlds/default/clock')).json).toMatchObject({ pending: 0, next_due: null })
})

test.each([
  [{ start_after: 'soon' }, 'start_after must be null or a duration'],
  [{ complete_after: '0s' }, 'complete_after must be null or a duration'],
  [{ settle_every: '-1d' }, 'settle_every must be null or a duration'],
  [{ settle_every: '59s' }, 'settle_every must be null or at least 1m'],
  [{ settle_every: 7 }, 'settle_every must be a string'],
  [{ start: '1h' }, 'unknown field (progress.)?start'],
])('%j is refused by name and changes nothing', async (body, words) => {
  const sandbox = shared
  const { status, json } = await sandbox.operate('PUT', PATH, body)
  expect([status, json.detail]).toEqual([400, expect.stringMatching(words)])
  expect((await sandbox.operate('GET', PATH)).json).toEqual(MANUAL)
  const made = await sandbox.operate('POST', '/v1/worlds', { name: 'ci', progress: body })
  expect([made.status, made.json.detail]).toEqual([400, expect.stringMatching(words)])
  expect((await sandbox.operate('GET', '/v1/worlds/ci')).status).toBe(404)
})

test('a word other than manual is refused', async () => {
  const sandbox = shared
  const { status, json } = await sandbox.operate('POST', '/v1/worlds', { progress: 'automatic' })
  expect([status, json.detail]).toEqual([
    400,
    expect.stringContaining('progress must be one of manual, not "automatic"'),
  ])
})
