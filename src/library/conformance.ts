import type { Progress } from '../conformance/engine/run-options.ts'
import type { CheckResult, RunResult } from '../conformance/result/result.ts'
import type { TargetFlags } from '../conformance/target/load-target.ts'

/** The service to test: a target file (docs/judging-a-target.md), or an address and one credential. */
export type ConformanceTarget =
  | { file: string /** Where `${env:NAME}` of the file is looked up; nowhere unless given. */; env?: NodeJS.ProcessEnv }
  | TargetFlags

export interface ConformanceOptions {
  target: ConformanceTarget
  /** Ids of scenarios; `*` matches any text. All by default. */
  only?: readonly string[]
  /** Only scenarios that prove one of these requirements; `*` matches any text. */
  requirements?: readonly string[]
  /** Only scenarios with one of these tags. */
  tags?: readonly string[]
  /** What the verdict is about: the requirements of these profiles (docs/judging-a-target.md); all by default. */
  profile?: readonly string[]
  /** Files or folders of scenarios; those of this package by default. */
  scenarios?: readonly string[]
  onProgress?: (progress: Progress) => void
  /** Ends the run early; it rejects with the reason of the signal. */
  signal?: AbortSignal
}

/** A failed check and its place. */
export interface ConformanceFailure extends CheckResult {
  scenario: string
}

/** The result of a run. `failures` are the checks that cause the verdict `non_conforming`. */
export interface ConformanceResult extends RunResult {
  failures: ConformanceFailure[]
}

/** A target file, a scenario or a selection cannot be used. Each problem is one line, with file, line and column if it is in a file. */
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
