import type { NotRunReason } from './result.ts'

/** The rest of a scenario is left open: which verdict its checks get, and why. */
export class Open extends Error {
  override name = 'Open'
  readonly verdict: 'not_run' | 'inconclusive' | 'fail'
  /** Of what is not run. */
  readonly reason?: NotRunReason
  /** What was seen of the target. */
  readonly seen: string
  readonly note: string
  /** The requirement that is violated, where it is not that of the step at hand. */
  readonly breaks?: string

  private constructor(
    verdict: Open['verdict'],
    note: string,
    { reason, seen = 'not judged', breaks }: Partial<Open> = {},
  ) {
    super(note)
    this.verdict = verdict
    this.note = note
    this.seen = seen
    if (reason !== undefined) this.reason = reason
    if (breaks !== undefined) this.breaks = breaks
  }

  /** The rest cannot be run. Nothing is wrong with the target or with the runner. */
  static notRun(reason: NotRunReason, note: string): Open {
    return new Open('not_run', note, { reason })
  }

  /** The rest would prove nothing: a premise is false. */
  static unproven(note: string): Open {
    return new Open('inconclusive', note)
  }

  /**
   * An accepted answer lacks what the document or the target file says is there. That is the target's fault, for any use of the
   * value: what the step at hand shows fails.
   */
  static lacking(what: string, note: string): Open {
    return new Open('fail', note, { seen: `no ${what}` })
  }

  /** Something that the runner came across violates a requirement, whatever the step at hand is about. */
  static violating(breaks: string, seen: string, note: string): Open {
    return new Open('fail', note, { seen, breaks })
  }
}

/** Whether an error leaves checks open with one of these verdicts. */
export function isOpen(error: unknown, ...verdicts: readonly Open['verdict'][]): error is Open {
  return error instanceof Open && verdicts.includes(error.verdict)
}
