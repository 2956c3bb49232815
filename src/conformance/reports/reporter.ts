import type { Signing } from '../log/lines.ts'
import type { RunFollower } from '../log/write-log.ts'
import type { RunResult } from '../result/result.ts'

/** How a report is to be written; never what is in it. */
export interface RenderOptions {
  /** ANSI colours. Only the reports for a terminal look at it. */
  colour: boolean
  /** The command line that made the run, without `--only`, e.g. `partner-sandbox conform --target staging.yaml`. */
  invocation: string
  /** How a single call is signed on the reader's machine. */
  signing?: Signing
  /** All ids and observations, where a report for a terminal would count them. */
  verbose?: boolean
  /** The target is gone after the run, and what was created there with it. */
  keepsNothing?: boolean
}

/** A report is a function of the run's outcome and nothing else. */
export interface Reporter {
  /** It shows calls that no check names too: the run has to keep them all (see RunOptions.transcript). */
  readonly wants?: 'every-exchange'
  /** The whole report, ending in a newline. */
  render(result: RunResult, options: RenderOptions): string
  /**
   * Writes the report piece by piece while the run goes, for a report that has to be there even if the run is killed.
   * What it has written when `end` returns says what `render` would have said.
   */
  follow?(write: (text: string) => void, options: RenderOptions): RunFollower
}
