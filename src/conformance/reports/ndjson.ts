import { surroundingsOf } from '../log/lines.ts'
import { followRun, logOf } from '../log/write-log.ts'
import type { Reporter } from './reporter.ts'

/** The run's log, from which every other report can be made. */
export const ndjson: Reporter = {
  wants: 'every-exchange',
  render: (result, options) => logOf(result, surroundingsOf({ keepsNothing: false, ...options })),
  follow: (write, options) => followRun(write, surroundingsOf({ keepsNothing: false, ...options })),
}
