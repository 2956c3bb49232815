import type { LogSurroundings } from '../log/lines.ts'
import type { RunFollower } from '../log/write-log.ts'
import type { ReportModel } from './report-model.ts'

/** How a report is to be written; never what is in it. */
export interface RenderOptions extends Pick<LogSurroundings, 'invocation' | 'signing'> {
  /** ANSI colors. Only the reports for a terminal look at it. */
  color: boolean
  /** All ids, places, signed lines and observations, where a report for a terminal would count them. */
  verbose?: boolean
  keepsNothing?: LogSurroundings['keepsNothing']
  /** Folder of the scenarios of this package, as the names of their files begin: no reader has these files. */
  ownScenarios?: string
}

/** A report depends only on the outcome of the run. */
export interface Reporter {
  /** It shows calls that no check names too: the run has to keep them all (see RunOptions.transcript). */
  readonly wants?: 'every-exchange'
  /** The whole report, ending in a newline. */
  render(model: ReportModel, options: RenderOptions): string
  /**
   * Writes the report piece by piece while the run goes, for a report that has to be there even if the run is killed.
   * What it has written when `end` returns says what `render` would have said.
   */
  follow?(write: (text: string) => void, options: RenderOptions): RunFollower
}
