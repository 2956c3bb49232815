import type { Compared } from '../grounds.ts'
import type { CallDiagnosis } from './diagnose-call.ts'
import type { Mistake } from './mistake.ts'

/** What to do about a refusal, and a line for the shell that does it, if one can. */
export interface Help {
  readonly says: string
  readonly command: string | null
}

/** What is known of why a call was refused, or a signature does not fit. */
export interface Explained {
  readonly sentence: string
  readonly mistakes: readonly Mistake[]
  /** Null where no signature of the call as it was sent would be accepted. */
  readonly signature: CallDiagnosis | null
  /** What to send where another signature would not do; null where it would, or where the mistakes say it. */
  readonly sendInstead: string | null
  readonly compared?: readonly Compared[]
  readonly help?: readonly Help[]
}
