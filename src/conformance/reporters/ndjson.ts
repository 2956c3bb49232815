import type { LogSurroundings } from '../log/lines.ts'
import { followRun, logOf } from '../log/write-log.ts'
import type { RenderOptions, Reporter } from './reporter.ts'

/** The run's log, from which every other report can be made. */
export const ndjson: Reporter = {
  summary: 'the log of the run, one JSON object a line; every other report can be made from it',
  wants: 'every-exchange',
  render: (result, options) => logOf(result, surroundingsOf(options)),
  follow: (write, options) => followRun(write, surroundingsOf(options)),
}

function surroundingsOf({ invocation, keepsNothing = false }: RenderOptions): LogSurroundings {
  return { invocation, keepsNothing }
}
