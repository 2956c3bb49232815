import type { Progress } from '../conformance/engine/run-options.ts'
import type { CheckResult, RunResult } from '../conformance/result/result.ts'
import type { TargetFlags } from '../conformance/target/load-target.ts'

/** A service to be judged: by a target file (docs/judging-a-target.md), or by its address and one credential. */
export type ConformanceTarget =
  | { file: string /** Where `${env:NAME}` of the file is looked up; nowhere unless given. */; env?: NodeJS.ProcessEnv }
  | TargetFlags

export interface ConformanceOptions {
  target: ConformanceTarget
  /** Ids of scenarios, `*` standing for any text; all of them unless given. */
  only?: readonly string[]
  /** Only what proves one of these; `*` stands for any text. */
  requirements?: readonly string[]
  /** Only scenarios with one of these tags. */
  tags?: readonly string[]
  /** What the verdict is about: the requirements of these profiles (docs/judging-a-target.md); all of them unless given. */
  profile?: readonly string[]
  /** Files or folders of scenarios; those of this package unless given. */
  scenarios?: readonly string[]
  onProgress?: (progress: Progress) => void
  /** Ends the run early; it rejects with the reason of the signal. */
  signal?: AbortSignal
}

/** A check that failed, and where. */
export interface ConformanceFailure extends CheckResult {
  scenario: string
}

/** What came of a run; `failures` are the checks that the verdict `non_conforming` rests on. */
export interface ConformanceResult extends RunResult {
  failures: ConformanceFailure[]
}

/** A target file, a scenario or a selection cannot be used. Each problem is one line, with file, line and column where there is a file. */
export class ConformanceInputError extends Error {
  override name = 'ConformanceInputError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/**
 * The target cannot be judged: it does not answer, refuses every first call of its main credential, or its operator has no
 * such world. The message says which.
 */
export class ConformanceTargetError extends Error {
  override name = 'ConformanceTargetError'
}
