import type { EndpointId } from '../../../contract/endpoints.ts'
import { withoutUndefined } from '../../http/json-body.ts'
import type { CheckVerdict, NotRunReason } from '../../result/result.ts'
import type { Found } from '../roles.ts'

/** The check of one expectation. */
export interface Check {
  verdict: CheckVerdict
  actual: string
  reason?: NotRunReason
  note?: string
  todo?: string
  /** What the twin of a refused step got. */
  twin?: string
  /** Id of the exchange that shows it, where its step has made none. */
  exchange?: string
  /** The failure needs no twin: what should have been refused was accepted, or a required value is missing. */
  certain?: boolean
  waitsFor?: WaitsFor
}

/** What the rest of the run has to show before a verdict counts. */
interface WaitsFor {
  /** Of a refusal: that a valid call is accepted. */
  acceptance?: Acceptance
  /** Of a failure: that these places, which the runner found without a hint, are right. */
  places?: readonly GuessedPlace[]
}

/** A place that the runner found without a hint. */
export interface GuessedPlace {
  /** As a target file names it, such as `pricing:listing.price`. */
  readonly name: string
  readonly role: string
  readonly at: string
}

export function placeInWords({ name, at }: GuessedPlace): string {
  return `${name} at ${at}`
}

/** A call that is accepted; `op` null: any call of the credential. */
export interface Acceptance {
  op: EndpointId | null
  credential: string
  /** The credential whose acceptance of `op` counts, if this one's own never comes. */
  main: string
}

/** What was seen where nothing was judged. */
export const NOT_JUDGED = 'not judged'

export function failure(actual: string, note?: string): Check {
  return { verdict: 'fail', actual, ...withoutUndefined({ note }) }
}

export function unproven(actual: string, note?: string, todo?: string): Check {
  return { verdict: 'inconclusive', actual, ...withoutUndefined({ note, todo }) }
}

/** Why an answer proves nothing, where the step is not about the target's rate limit. */
export const KEPT_429 = 'the target kept answering 429'

/** What it means that a role was not found: the target's fault where the document names the key, else a gap. */
export function missing(found: Extract<Found, { found: false }>, name: string): Check {
  if (found.documented) return { ...failure(`no ${name}`, found.detail), certain: true }
  return { verdict: 'not_run', reason: 'needs-dialect', actual: `${name} was not found`, note: found.detail }
}
