import { join } from 'node:path'
import type { RunEntry } from '../../conformance/reports/har.ts'
import { didYouMean } from '../../contract/words.ts'
import { saveText } from '../files.ts'
import { readRegistry, readScenarios } from '../read-registry.ts'
import { conform } from '../run/conform.ts'
import { CliError, type Session } from '../session.ts'
import { type ExportFormat, exportedFiles } from './export-formats.ts'
import { exportedCalls } from './exported-call.ts'

/**
 * Runs a scenario against a sandbox of its own and writes the calls that it made for another tool, which signs them itself.
 *
 * @param out the folder of the files; standard output if undefined.
 */
export async function exportScenario(
  id: string,
  { format, out }: { format: ExportFormat; out?: string },
  session: Session,
): Promise<void> {
  const scenarios = readScenarios(undefined, readRegistry())
  const found = scenarios.find((loaded) => loaded.id === id)
  if (!found)
    throw new CliError(
      `no such scenario: "${id}"${didYouMean(
        id,
        scenarios.map((loaded) => loaded.id),
      )}`,
    )
  const calls = exportedCalls(await exchangesOf(id, session), id)
  if (calls.length === 0) throw new CliError(`${id} makes no call against a sandbox`)
  const files = exportedFiles(format, { id, title: found.scenario.title, program: session.program }, calls)
  if (out !== undefined) for (const [name, text] of files) saveText(join(out, name), '--out', text)
  else if (files.length === 1) session.out(files.map(([, text]) => text).join(''))
  else throw new CliError('--out: required, because a collection of Bruno has several files')
}

/** Those of a run of this scenario alone. */
async function exchangesOf(id: string, session: Session): Promise<RunEntry[]> {
  let archive = ''
  const quiet: Session = Object.assign(Object.create(session) as Session, {
    ...{ outIsTerminal: false, errIsTerminal: false, err: () => undefined },
    out: (text: string) => {
      archive += text
    },
  })
  await conform(undefined, { self: true, selected: true, only: [id], reporter: ['har'] }, quiet)
  return JSON.parse(archive).log.entries
}
