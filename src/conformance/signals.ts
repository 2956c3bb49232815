import type { NotRunReason } from './result.ts'

/** The rest of a scenario cannot be run; says why. Nothing is wrong with the target or with the runner. */
export class NotRun extends Error {
  override name = 'NotRun'
  readonly reason: NotRunReason

  constructor(reason: NotRunReason, note: string) {
    super(note)
    this.reason = reason
  }
}

/** The rest of a scenario would prove nothing: a premise is false. */
export class Unproven extends Error {
  override name = 'Unproven'
}
