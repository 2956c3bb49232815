import type { CheckResult, NotRunReason } from '../result/result.ts'
import type { Judgment } from './judgment.ts'
import type { Awaited } from './twin.ts'

/** A check whose verdict may still hang on what the rest of the run sees. */
export interface PendingCheck extends CheckResult {
  awaited?: Awaited
  guessed?: readonly string[]
}

/** The outcome of a step. */
export interface StepOutcome {
  checks: PendingCheck[]
  /** A premise is false: what follows proves nothing. */
  stop: Stop | null
}

export interface Stop {
  verdict: 'inconclusive' | 'not_run' | 'harness_error'
  note: string
  reason?: NotRunReason
  /** What was seen of the target that ended the scenario. */
  seen?: string
  todo?: string
}

export function pendingCheck(
  step: string,
  requirement: string,
  expected: string,
  exchange: string | null,
  judgment: Judgment & { twin?: string; awaited?: Awaited },
): PendingCheck {
  const { verdict, actual, reason, note, todo, twin, awaited, guessed } = judgment
  return {
    step,
    requirement,
    verdict,
    expected,
    actual,
    exchange,
    ...(reason === undefined ? {} : { reason }),
    ...(note === undefined ? {} : { note }),
    ...(todo === undefined ? {} : { todo }),
    ...(twin === undefined ? {} : { twin }),
    ...(awaited === undefined ? {} : { awaited }),
    ...(guessed === undefined ? {} : { guessed }),
  }
}

/** A failure that a choice of the target may explain says so. */
export function withExplanation<Given extends Judgment>(judgment: Given, open: string | undefined): Given {
  if (open === undefined || judgment.verdict !== 'fail') return judgment
  const why = `the document leaves ${open} open, which may explain it`
  return { ...judgment, note: judgment.note === undefined ? why : `${judgment.note}; ${why}` }
}

/** A check that the run did not reach. Before its step, its expectation is not known, so it has its scenario's title. */
export function undone(title: string, step: string, requirement: string, stop: Stop): PendingCheck {
  const { verdict, note, reason, todo } = stop
  const isExplained = verdict === 'inconclusive' && stop.seen === undefined
  return {
    ...{ step, requirement, verdict, expected: title },
    actual: isExplained ? note : (stop.seen ?? 'not carried out'),
    exchange: null,
    note: isExplained ? 'so this check was not reached' : note,
    ...(reason === undefined ? {} : { reason }),
    ...(todo === undefined ? {} : { todo }),
  }
}

/** A step without an id is named by its place, which already identifies it. */
export function stepInWords(name: string): string {
  const place = /^step(\d+)$/.exec(name)?.[1]
  return place === undefined ? `step ${name}` : `step ${place}`
}
