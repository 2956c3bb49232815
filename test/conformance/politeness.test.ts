import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import type { Progress } from '../../src/conformance/engine/run-options.ts'
import { judge, scenario } from '../support/referee.ts'
import { type Answering, answerJson, scriptedTarget } from '../support/scripted-target.ts'

/** A target that is only read, with how often it is asked and how many at once. */
async function serverThat(answers: Answering) {
  const seen = { requests: 0, open: 0, mostOpen: 0 }
  const target = await scriptedTarget(
    (request, response, n) => {
      seen.requests = n
      seen.mostOpen = Math.max(seen.mostOpen, ++seen.open)
      response.on('close', () => seen.open--)
      answers(request, response, n)
    },
    { mode: 'read' },
  )
  return { target, seen }
}

function json(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  answerJson(response, status, { available: true }, headers)
}

const READ = { op: 'availability', query: { domain: 'a.example' } } as const

/** So many scenarios of one valid read each. */
function readers(count: number) {
  return Array.from({ length: count }, (_, n) => ({
    ...scenario({
      proves: ['AUTH-01'],
      steps: [{ id: 'read', call: READ, expect: { accepted: true, shows: 'AUTH-01' } }],
    }),
    id: `test/reader-${n}`,
  }))
}

describe('a run of 200 scenarios against a target that stops answering', () => {
  it.each<[string, Answering]>([
    ['by hanging', () => undefined],
    ['by hanging up', (request) => request.socket.destroy()],
    ['and says that it is broken', (_, response) => json(response, 503)],
  ])('ends early, %s', async (_how, stopped) => {
    const { target, seen } = await serverThat((request, response, n) =>
      n > 20 ? stopped(request, response, n) : json(response, 200),
    )
    const result = await judge({ ...target, timeoutMs: 50 }, readers(200), { concurrency: 1 })
    expect(seen.requests).toBeLessThan(40)
    expect(result).toMatchObject({ interrupted: true, verdict: expect.not.stringMatching('^conforming$') })
    const last = result.scenarios.flatMap(({ checks }) => checks).filter(({ reason }) => reason === 'interrupted')
    expect(last.length).toBeGreaterThan(150)
    expect(last[0]?.note).toMatch(
      /^the target had given no answer, or none but a 5xx, to \d+ valid calls in a row before this was/,
    )
  })

  it('is not ended by a single failure, or by what one operation answers', async () => {
    const { target } = await serverThat((_, response, n) => (n % 7 === 0 ? response.destroy() : json(response, 200)))
    const result = await judge(target, readers(60), { concurrency: 1 })
    expect(result).toMatchObject({ interrupted: false, summary: { checks: { pass: 60 } } })
  })
})

it('a Retry-After of a day ends the run instead of being ignored', async () => {
  const { target, seen } = await serverThat((_, response, n) =>
    n > 5 ? json(response, 429, { 'retry-after': '86400' }) : json(response, 200),
  )
  const result = await judge(target, readers(50), { concurrency: 1 })
  expect(seen.requests).toBe(6)
  expect(result.scenarios.at(-1)?.checks[0]?.note).toBe('the target had asked to wait 86400 s before this was reached')
})

it('no more calls are under way than the run may have, and no fewer', async () => {
  const held: ServerResponse[] = []
  const { target, seen } = await serverThat((_, response, n) => {
    if (n > 1 && held.push(response) < 3) return
    for (const one of n === 1 ? [response] : held.splice(0)) json(one, 200)
  })
  await judge(target, readers(39), { concurrency: 3 })
  expect(seen).toMatchObject({ requests: 40, mostOpen: 3 })
})

it.each([
  ['ahead', 3_600_000],
  ['behind', -90_000],
])('a target whose clock is far %s is told of', async (_where, byMs) => {
  const { target } = await serverThat((_, response) => {
    json(response, 200, { date: new Date(wallClock.nowMs() + byMs).toUTCString() })
  })
  const told: Progress[] = []
  await judge(target, readers(1), { onProgress: (progress) => told.push(progress) })
  const [differs] = told.flatMap((progress) => (progress.kind === 'clock-differs' ? [progress.byMs] : []))
  expect(Math.abs((differs ?? 0) - byMs)).toBeLessThan(3_000)
})

it('a clock that is a few seconds off is nothing to tell', async () => {
  const { target } = await serverThat((_, response) => json(response, 200))
  const told: Progress[] = []
  await judge(target, readers(1), { onProgress: (progress) => told.push(progress) })
  expect(told.map(({ kind }) => kind)).not.toContain('clock-differs')
})
