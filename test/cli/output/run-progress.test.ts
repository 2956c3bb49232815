import { describe, expect, it } from 'vitest'
import { billLine, runProgress } from '../../../src/cli/output/run-progress.ts'
import type { Session } from '../../../src/cli/session.ts'
import type { Progress } from '../../../src/conformance/engine/run-options.ts'
import type { ScenarioResult } from '../../../src/conformance/result/result.ts'

const BILL = '2 scenarios with 0 orders, 1 quote, 0 webhook registrations; at most 9 requests\n'
const PLAN = {
  scenarios: 2,
  orders: 0,
  quotes: 1,
  webhooks: 0,
  longestWaitMs: 0,
  questions: 0,
  budget: { requests: 9, orders: 100, quotes: null },
}
const FAILED: ScenarioResult = {
  id: 'auth/zero',
  title: 'Zero',
  file: 'zero.yaml',
  verdict: 'fail',
  durationMs: 1,
  checks: [],
}

const RUN: Progress[] = [
  {
    kind: 'planned',
    plan: PLAN,
    identity: { runId: 'r', edition: 'e', scenarios: 's', target: 't' },
    tool: { name: 'partner-sandbox', version: '0.0.0' },
    target: { url: 'http://a.test', environment: 'test' },
    profile: { name: 'all', requirements: [] },
    startedAt: '2026-11-20T10:00:00.000Z',
    requirements: [],
    scenarios: [],
  },
  { kind: 'scenario-started', id: 'auth/one', title: 'One' },
  { kind: 'scenario-finished', result: FAILED, provisional: false, observations: [], created: [] },
  { kind: 'waiting', scenario: 'auth/one', why: 'rate limit\u001b[2J', forMs: 2_000 },
]

function shown(errIsTerminal: boolean, stepMs = 0, run = RUN): string {
  let text = ''
  let ms = 0
  const wall = { nowMs: () => 0, monotonicMs: () => ms }
  const session = { errIsTerminal, wall, err: (more: string) => (text += more) } as unknown as Session
  const progress = runProgress(session)
  for (const step of run) {
    progress.show(step)
    ms += stepMs
  }
  progress.finish()
  return text
}

describe('the progress of a run', () => {
  it('is the bill alone where nobody watches', () => {
    expect(shown(false)).toBe(BILL)
  })

  it('is a line each 30 seconds where it goes into a file', () => {
    expect(shown(false, 12_000)).toBe(`${BILL}1/2 done, 1 failed so far; now auth/one: rate limit\\x1b[2J (2s)\n`)
  })

  it('is cut to the width of a terminal, and to nothing elsewhere', () => {
    const run: Progress[] = [{ kind: 'waiting', scenario: 'auth/one', why: 'w'.repeat(100), forMs: 2_000 }]
    const waits = Array.from({ length: 4 }, () => run).flat()
    expect(shown(false, 12_000, waits)).toBe(`0/0 done; now auth/one: ${'w'.repeat(100)} (2s)\n`)
    expect(shown(true, 0, run)).not.toContain('w'.repeat(79))
  })

  it('says where the budget is less than the scenarios need, and nothing of a budget without limit', () => {
    expect(billLine({ plan: { ...PLAN, orders: 201 } })).toContain('with 201 orders (the budget allows 100), 1 quote,')
    expect(billLine({ plan: { ...PLAN, budget: { ...PLAN.budget, requests: null } } })).not.toContain('at most')
  })

  it('is one line, written over and over and removed in the end, on a terminal', () => {
    const lines = shown(true).split('\r\u001b[K')
    expect(lines).toEqual([
      BILL,
      '0/2 done; now auth/one',
      '1/2 done, 1 failed so far; now auth/one: rate limit\\x1b[2J (2s)',
      '',
    ])
  })
})
