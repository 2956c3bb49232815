import type { LogSurroundings } from '../log/lines.ts'
import { followRun, logOf } from '../log/write-log.ts'
import type { RenderOptions, Reporter } from './reporter.ts'

/** The run's log, from which every other report can be made. */
export const ndjson: Reporter = {
  wants: 'every-exchange',
  render: (result, options) => logOf(result, surroundingsOf(options)),
  follow: (write, options) => followRun(write, surroundingsOf(options)),
}

function surroundingsOf({ invocation, keepsNothing = false, signing }: RenderOptions): LogSurroundings {
  return { invocation, keepsNothing, ...(signing && { signing }) }
}
