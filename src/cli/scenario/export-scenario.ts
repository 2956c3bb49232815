import { join } from 'node:path'
import { loadRequirements } from '../../conformance/format/requirements.ts'
import type { RunEntry } from '../../conformance/reports/har.ts'
import { baseOf } from '../../conformance/result/result.ts'
import { didYouMean } from '../../contract/words.ts'
import { saveText } from '../files.ts'
import { conform } from '../run/conform.ts'
import { CliError, type Session } from '../session.ts'
import { writtenBy } from '../written-by.ts'
import { type ExportFormat, exportedFiles } from './export-formats.ts'
import { exportedCalls } from './exported-call.ts'
import { scenariosNamed } from './scenarios-named.ts'

/**
 * Runs a scenario against a sandbox of its own and writes the calls that it made for another tool, which signs them itself.
 *
 * @param paths where the scenarios are; those of this package if there are none.
 * @param out the folder of the files; standard output if undefined.
 */
export async function exportScenario(
  name: string,
  paths: readonly string[],
  { format, out }: { format: ExportFormat; out?: string },
  session: Session,
): Promise<void> {
  const { id, files: sources, scenarios } = scenariosNamed(name, paths, loadRequirements())
  const found = scenarios.find((loaded) => loaded.id === id)
  if (!found) {
    const ids = scenarios.map((loaded) => loaded.id)
    const rows = ids.filter((each) => baseOf(each) === id)
    if (rows.length > 0) throw new CliError(`${id} has ${rows.length} rows; name one of them, such as "${rows[0]}"`)
    const advice = didYouMean(id, ids) || `; "${session.program} scenario list" shows them all`
    throw new CliError(`no such scenario: "${id}"${advice}`)
  }
  const calls = exportedCalls(await exchangesOf(id, sources, session), id)
  if (calls.length === 0) throw new CliError(`${id} makes no call against a sandbox`)
  const files = exportedFiles(format, { id, title: found.scenario.title, program: session.program }, calls)
  if (out !== undefined) for (const [name, text] of files) saveText(join(out, name), '--out', text)
  else if (files.length === 1) session.out(files.map(([, text]) => text).join(''))
  else throw new CliError('--out: required, because a collection of Bruno has several files')
}

/** Those of a run of this scenario alone. */
async function exchangesOf(id: string, sources: readonly string[], session: Session): Promise<RunEntry[]> {
  const own = sources.length > 0 && { scenarios: [...sources] }
  const options = { self: true, selected: true, only: [id], reporter: ['har'], ...own }
  const run = (quiet: Session) => conform(undefined, options, quiet)
  const { out, failure } = await writtenBy(run, session, session.interrupted())
  if (failure) throw failure
  return JSON.parse(out).log.entries
}
