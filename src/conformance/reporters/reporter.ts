import type { RunResult } from '../result.ts'

/** How a report is to be written; never what is in it. */
export interface RenderOptions {
  /** ANSI colours. Only the reports for a terminal look at it. */
  colour: boolean
  /** The command line that made the run, without `--only`, e.g. `partner-sandbox conform --target staging.yaml`. */
  invocation: string
  /** The target is gone after the run, and what was created there with it. */
  keepsNothing?: boolean
}

/** A report is a function of the run's outcome and nothing else. */
export interface Reporter {
  /** One line for `--help`. */
  readonly summary: string
  /** The whole report, ending in a newline. */
  render(result: RunResult, options: RenderOptions): string
}
