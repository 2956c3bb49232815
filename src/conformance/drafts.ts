import type { Awaited } from './control.ts'
import type { Judgement } from './judgement.ts'
import type { CheckResult, NotRunReason } from './result.ts'

/** A check whose verdict may still hang on what the rest of the run sees. */
export interface CheckDraft extends CheckResult {
  awaited?: Awaited
}

/** What a step came to. */
export interface StepOutcome {
  drafts: CheckDraft[]
  /** A premise is false: what follows proves nothing. */
  stop: Stop | null
}

export interface Stop {
  verdict: 'inconclusive' | 'not_run' | 'harness_error'
  note: string
  reason?: NotRunReason
}

export function draft(
  step: string,
  requirement: string,
  expected: string,
  exchange: string | null,
  judgement: Judgement & { twin?: string; awaited?: Awaited },
): CheckDraft {
  const { verdict, actual, reason, note, twin, awaited } = judgement
  return {
    step,
    requirement,
    verdict,
    expected,
    actual,
    exchange,
    ...(reason === undefined ? {} : { reason }),
    ...(note === undefined ? {} : { note }),
    ...(twin === undefined ? {} : { twin }),
    ...(awaited === undefined ? {} : { awaited }),
  }
}

/** A failure that a choice of the target may explain says so. */
export function withExplanation<Given extends Judgement>(judgement: Given, open: string | undefined): Given {
  if (open === undefined || judgement.verdict !== 'fail') return judgement
  const why = `the document leaves ${open} open, which may explain it`
  return { ...judgement, note: judgement.note === undefined ? why : `${judgement.note}; ${why}` }
}

/** A check that was never come to. */
export function undone(step: string, requirement: string, stop: Stop): CheckDraft {
  return {
    step,
    requirement,
    verdict: stop.verdict,
    expected: '',
    actual: 'not carried out',
    exchange: null,
    note: stop.note,
    ...(stop.reason === undefined ? {} : { reason: stop.reason }),
  }
}

/** A step without an id is called by its place, which says already what it is. */
export function stepInWords(name: string): string {
  const place = /^step(\d+)$/.exec(name)?.[1]
  return place === undefined ? `step ${name}` : `step ${place}`
}

/**
 * How a premise that does not hold stops a scenario; null where it holds.
 *
 * @param open the point that leaves it to the target whether it holds.
 */
export function stopOf(step: string, judgement: Judgement, open?: string): Stop | null {
  if (judgement.verdict === 'pass' || judgement.verdict === 'tolerated') return null
  const note = `the premise of ${stepInWords(step)} does not hold: ${judgement.actual}${judgement.note ? ` (${judgement.note})` : ''}`
  if (open !== undefined && judgement.verdict === 'fail') {
    const chose = `${stepInWords(step)} saw ${judgement.actual}; the document leaves this to the target (${open}), and what follows can only be seen where it chose otherwise`
    return { verdict: 'not_run', note: chose, reason: 'open-point' }
  }
  if (judgement.verdict === 'not_run')
    return { verdict: 'not_run', note, ...(judgement.reason ? { reason: judgement.reason } : {}) }
  return { verdict: 'inconclusive', note }
}
