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

/**
 * An accepted answer lacks what the document or the target file says is there. That is the target's fault, for any use of the
 * value: what the step at hand shows fails.
 */
export class Lacking extends Error {
  override name = 'Lacking'
  readonly detail: string

  constructor(what: string, detail: string) {
    super(`no ${what}`)
    this.detail = detail
  }
}
