import type { NotRunReason } from './result.ts'

/** Why the rest of a scenario, or one value, is left open: which verdict checks get, and why. */
export class Open extends Error {
  override name = 'Open'
  readonly verdict: 'not_run' | 'inconclusive' | 'fail' | 'harness_error'
  /** Of what is not run. */
  readonly reason?: NotRunReason
  readonly note: string
  /** The requirement that is violated, where it is not that of the step at hand. */
  readonly breaks?: string
  /** The exchange that shows the violation; absent where it is the last one. */
  readonly exchange?: string
  /** What would make it prove something next time. */
  readonly todo?: string
  /** What was seen of the target. */
  readonly seen?: string

  private constructor(verdict: Open['verdict'], note: string, more: More) {
    super(note)
    this.verdict = verdict
    this.note = note
    Object.assign(this, more)
  }

  /** The rest cannot be run. Nothing is wrong with the target or with the runner. */
  static notRun(reason: NotRunReason | undefined, note: string): Open {
    return new Open('not_run', note, { reason })
  }

  /** The rest would prove nothing: a premise is false. */
  static unproven(note: string, more: Pick<More, 'todo' | 'seen'> = {}): Open {
    return new Open('inconclusive', note, more)
  }

  /**
   * An accepted answer lacks what the document or the target file says is there. That is the target's fault, for any use of the
   * value: what the step at hand shows fails.
   */
  static lacking(what: string, note: string): Open {
    return new Open('fail', note, { seen: `no ${what}` })
  }

  /** Something that the runner came across violates a requirement, whatever the step at hand is about. */
  static violating(breaks: string, seen: string, note: string, exchange?: string): Open {
    return new Open('fail', note, { seen, breaks, ...(exchange !== undefined && { exchange }) })
  }

  /** Our own fault. */
  static harness(note: string): Open {
    return new Open('harness_error', note, {})
  }
}

interface More {
  reason?: NotRunReason | undefined
  todo?: string
  seen?: string
  breaks?: string
  exchange?: string
}

/** Whether an error leaves checks open with one of these verdicts. */
export function isOpen(error: unknown, ...verdicts: readonly Open['verdict'][]): error is Open {
  return error instanceof Open && verdicts.includes(error.verdict)
}
