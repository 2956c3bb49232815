import { diffRuns, isWorse } from '../../conformance/log/diff-runs.ts'
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts'
import type { Session } from '../operator/session.ts'
import { wantsColour } from '../output/colour.ts'
import { diffText, diffView } from './diff-lines.ts'
import { readLogFile } from './read-log-file.ts'

/** Says what became different from one run to the other, and whether that is for the worse. */
export function printDiff(
  before: string,
  after: string,
  { json = false, all = false }: { json?: boolean; all?: boolean },
  session: Session,
): ExitCode {
  const diff = diffRuns(readLogFile(before).result, readLogFile(after).result)
  const worse = isWorse(diff)
  if (json) session.out(`${JSON.stringify(diffView(diff, worse), null, 2)}\n`)
  else session.out(diffText(diff, wantsColour(session.env, session.outIsTerminal), all))
  return worse ? EXIT_CODES.refused : EXIT_CODES.ok
}
