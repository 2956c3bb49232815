import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { type Caller, edgeShift, noteDate, type Run, UNKNOWN_CLOCK } from '../../src/conformance/context/run.ts'
import { sign } from '../../src/conformance/context/send-call.ts'
import { callTo } from '../../src/conformance/signing/sign-call.ts'
import { judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

const AT = Date.UTC(2026, 0, 1, 12, 0, 0)

function freshRun(): Pick<Run, 'clock'> {
  return { clock: { ...UNKNOWN_CLOCK } }
}

/** Answers whose Date header is that of a clock so far ahead, a tenth of a second after one another. */
function noteAnswers({ clock }: Pick<Run, 'clock'>, aheadMs: number, count: number, waitedMs = 0): void {
  for (let index = 0; index < count; index++) {
    const sentAtMs = AT - 5_000 + index * 100
    const date = new Date(Math.floor((sentAtMs + waitedMs + aheadMs + 2) / 1_000) * 1_000).toUTCString()
    const answer = {
      op: null,
      status: 200,
      headers: [['date', date]],
      body: new Uint8Array(),
      json: undefined,
    } as const
    const wall = { nowMs: () => sentAtMs + waitedMs + 4, monotonicMs: () => 0 } as Run['wall']
    noteDate({ clock, wall }, { sentAtMs, answer })
  }
}

/** The timestamp of a call that is signed at a moment, to be so many seconds off by the clock of the target. */
function timestampAt({ clock }: Pick<Run, 'clock'>, atMs: number, seconds: number): number {
  const wall = { nowMs: () => atMs, monotonicMs: () => 0 } as Run['wall']
  const caller = { run: { clock, wall, uuid: randomUUID }, traceId: '0'.repeat(32) } as unknown as Caller
  const credential = { name: 'main', keyId: 'pk_test_1', secret: 'sk_test_1', scopes: null }
  const fault = { timestamp: { shift: edgeShift({ clock }, seconds) } }
  return Number(sign(caller, { ...callTo('orders.list', credential), fault }).timestamp)
}

it('stays ten seconds clear of the limit while the clock of the target is not known to a second', () => {
  expect([-301, 301, -299, 299].map((seconds) => edgeShift(freshRun(), seconds))).toEqual([-311, 311, -289, 289])
})

it.each([0, 100, 450, 700, -2_400])(
  'keeps a timestamp on its side of the limit of a clock %d ms ahead, within two seconds',
  (ahead) => {
    const run = freshRun()
    noteAnswers(run, ahead, 12)
    for (let signedAtMs = AT; signedAtMs < AT + 1_000; signedAtMs += 50) {
      const stamp = (seconds: number): number => timestampAt(run, signedAtMs, seconds)
      const judgedAt = (signedAtMs + ahead + 20) / 1_000
      for (const now of [judgedAt, Math.floor(judgedAt)]) {
        expect(now - stamp(-301)).toBeGreaterThan(300)
        expect(now - stamp(-301)).toBeLessThan(304)
        expect(stamp(301) - now).toBeGreaterThan(300)
        expect(stamp(301) - now).toBeLessThan(304)
        expect(now - stamp(-299)).toBeLessThan(300)
        // The limit itself is open.
        expect(stamp(299) - now).toBeLessThan(300)
      }
      // A target may cut off the parts of a second of what is between, after half a second on the way.
      expect(Math.trunc(judgedAt - stamp(-301))).toBeGreaterThan(300)
      expect(Math.trunc(stamp(301) - judgedAt - 0.45)).toBeGreaterThan(300)
    }
  },
)

it('knows the clock to two seconds by answers to calls that waited for a connection', () => {
  const run = freshRun()
  noteAnswers(run, 0, 12)
  noteAnswers(run, 0, 12, 60)
  expect(edgeShift(run, -301)).toBeGreaterThan(-304)
  expect(edgeShift(run, -299)).toBeLessThan(-296)
})

it('trusts no clock whose Date headers contradict each other', () => {
  const run = freshRun()
  noteAnswers(run, 0, 3)
  noteAnswers(run, 60_000, 3)
  expect(edgeShift(run, -301)).toBe(-311)
})

/** The verdicts about the edges at a server that takes timestamps so many seconds before and after its time, which its Date header has or not. */
async function edgesOf(past: number, future: number, aheadOfDateSeconds = 0): Promise<string[]> {
  const target = await scriptedTarget(({ headers }, response) => {
    const now = Math.floor(Date.now() / 1_000)
    const late = now + aheadOfDateSeconds - Number(headers['x-partner-timestamp'])
    const isTaken = late <= past && -late <= future
    const json = isTaken ? { available: false } : { code: 'invalid_timestamp', message: 'Not now.' }
    answerJson(response, isTaken ? 200 : 401, json, { date: new Date(now * 1_000).toUTCString() })
  })
  const steps = [-299, 299, -301, 301].map((edge) => ({
    call: { op: 'availability' as const, query: { domain: 'a.test' } },
    fault: { timestamp: { edge } },
    expect: {
      ...(Math.abs(edge) < 300 ? { accepted: true } : { refused: 'invalid_timestamp' as const }),
      shows: 'TIME-01',
    },
  }))
  const { scenarios } = await judge(target, [scenario({ proves: ['TIME-01'], steps })])
  return [...new Set(scenarios[0]?.checks.map(({ verdict }) => verdict))]
}

it.each([0, 7, -7, 30])('judges by the clock that judges, %d seconds ahead of the Date header', async (ahead) => {
  expect(await edgesOf(300, 300, ahead)).toEqual(['pass'])
})

it.each([
  [290, 300],
  [300, 310],
  [60, 60],
  [308, 308],
  [Number.POSITIVE_INFINITY, 300],
])('takes no window of %d and %d seconds for a clock that is ahead', async (past, future) => {
  expect(await edgesOf(past, future)).toContain('fail')
})
