import { describe, expect, it } from 'vitest'
import type { NamedStep, Step } from '../../src/conformance/format/scenario.ts'
import { limitOvertaken } from '../../src/conformance/steps/report-step.ts'
import { fakeTarget, scenario, targetOf } from '../support/referee.ts'

const QUOTE: Step = { id: 'quote', call: { op: 'quotes.create' } }
const ORDER: Step = { id: 'order', call: { op: 'orders.create' }, expect: { accepted: true, shows: 'QUOTE-02' } }
const movedBy = (duration: string): Step => ({ operator: { advance_clock: duration } }) as Step

async function doubtAfter(duration: string, neededMs: number): Promise<string | null> {
  const { scenario: written } = scenario({ proves: ['QUOTE-02'], steps: [QUOTE, movedBy(duration), ORDER] })
  const run = { target: targetOf(await fakeTarget()) }
  const answered = { sentAtMs: neededMs - 10, tookMs: 10 }
  return limitOvertaken({ scenario: written, run }, written.steps.at(-1) as NamedStep, answered, [
    { sentAtMs: 0 },
    answered,
  ])
}

describe('an answer half a minute short of the end of a quote', () => {
  it('counts, where the run was quick', async () => {
    expect(await doubtAfter('9m30s', 1_000)).toBeNull()
  })

  it('proves nothing, where the run itself took so long that the end may have come', async () => {
    expect(await doubtAfter('9m30s', 40_000)).toBe(
      'the run needed 40 s beside the move of the clock, so what ends 30 s later may have ended',
    )
  })

  it('counts however long the run took, where the clock was not moved close to an end', async () => {
    expect(await doubtAfter('10m30s', 40_000)).toBeNull()
    expect(await doubtAfter('1h', 40_000)).toBeNull()
  })
})
