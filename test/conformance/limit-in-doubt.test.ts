import { describe, expect, it } from 'vitest'
import type { Step } from '../../src/conformance/format/scenario.ts'
import type { Answer, Exchange } from '../../src/conformance/http/exchange.ts'
import { limitInDoubt } from '../../src/conformance/steps/call.ts'
import { scenario } from '../support/referee.ts'

const LIMIT: Step = { operator: { rate_limit: { requests: 1, per_seconds: 3 } } }
const LIMITED: Step = {
  id: 'limited',
  call: { op: 'availability', until: '1s' },
  expect: { refused: 'rate_limited', shows: 'ERR-03' },
}

/** Calls one behind the other, which took so long each. */
function callsOf(...tookMs: number[]): Exchange[] {
  let atMs = 0
  return tookMs.map((took, index) => {
    const sentAtMs = atMs
    atMs += took + 25
    const request = { method: 'GET', target: '/', headers: [], body: new Uint8Array() }
    const answer = { op: null, status: 200, headers: [], body: new Uint8Array(), json: undefined }
    const came = { answer, broken: null, tookMs: took }
    return { id: `s1e${index}`, scenario: 'a/one', sentAtMs, request, canonicalString: null, ...came }
  })
}

function doubtOf(made: readonly Exchange[], status = 200, steps = [LIMIT, LIMITED]): string | null {
  const answer: Answer = { op: 'availability', status, headers: [], body: Buffer.alloc(0), json: undefined }
  const { scenario: limited } = scenario({ proves: ['ERR-03'], steps })
  return limitInDoubt({ scenario: limited }, LIMITED, { answer }, made)
}

describe('a limit that refused nothing', () => {
  it('is not kept, where calls were quick enough to meet it', () => {
    expect(doubtOf(callsOf(5, 5, 5, 5))).toBeNull()
  })

  it('proves nothing, where each call had a window of its own', () => {
    expect(doubtOf(callsOf(3_100, 3_100))).toBe(
      'the calls took so long that a window of 3 s hardly held more than 1 of them',
    )
  })

  it('proves nothing after one quick call, which the end of a window may have come before', () => {
    expect(doubtOf(callsOf(2_000, 5, 5, 5))).toBeNull()
    expect(doubtOf(callsOf(2_000, 5, 5))).not.toBeNull()
  })

  it('is doubted only where a step sets it', () => {
    expect(doubtOf(callsOf(3_100, 3_100), 200, [LIMITED])).toBeNull()
  })
})

it('a call that was refused is judged as it is, however slow', () => {
  expect(doubtOf(callsOf(3_100, 3_100), 429)).toBeNull()
})
