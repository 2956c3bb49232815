import { withoutUndefined } from '../../http/json-body.ts'
import type { NotRunReason } from '../../result/result.ts'
import type { Found } from '../role-row.ts'

/** The outcome of one expectation, before its twin is taken into account. */
export interface Judgment {
  verdict: 'pass' | 'fail' | 'tolerated' | 'inconclusive' | 'not_run'
  actual: string
  reason?: NotRunReason
  note?: string
  todo?: string
  /** The failure needs no twin: what should have been refused was accepted, or a required value is missing. */
  certain?: boolean
  /** A failure that rests on places that the runner found without a hint: it counts only if something else shows them to be right. */
  guessed?: readonly string[]
}

/** Either nothing to complain of, or the first complaint. */
export type Complaint = Judgment | null

export function failure(actual: string, note?: string): Judgment {
  return { verdict: 'fail', actual, ...withoutUndefined({ note }) }
}

export function unproven(actual: string, note?: string, todo?: string): Judgment {
  return { verdict: 'inconclusive', actual, ...withoutUndefined({ note, todo }) }
}

/** Why an answer proves nothing, where the step is not about the target's rate limit. */
export const KEPT_429 = 'the target kept answering 429'

/** What it means that a role was not found: the target's fault where the document names the key, else a gap. */
export function missing(found: Extract<Found, { found: false }>, name: string): Judgment {
  if (found.documented) return { ...failure(`no ${name}`, found.detail), certain: true }
  return { verdict: 'not_run', reason: 'needs-dialect', actual: `${name} was not found`, note: found.detail }
}
