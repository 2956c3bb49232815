import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FILL_IN } from '../../conformance/fill-in.ts'
import { loadScenarios } from '../../conformance/load.ts'
import { didYouMean } from '../../contract/words.ts'
import { CliError, type Session } from '../operator/session.ts'
import { unwritable, writingTo } from '../output-file.ts'
import { SCENARIOS_DIRECTORY } from '../package-files.ts'
import { readRegistry } from '../read-registry.ts'
import { editorLine } from './editor-line.ts'
import { scaffoldFor } from './scaffold.ts'

/** Writes a scenario to begin with, and says what is left to do. */
export function newScenario(id: string, options: { area?: string; out?: string }, session: Session): void {
  const registry = readRegistry()
  const requirement = registry.requirements.get(id.toUpperCase())
  if (!requirement)
    throw new CliError(`"${id}" is no requirement${didYouMean(id.toUpperCase(), registry.requirements.keys())}`)
  if (options.area !== undefined && !/^[a-z][a-z0-9-]*$/.test(options.area))
    throw new CliError(`--area: "${options.area}" is no name of a folder such as orders`)
  const { scenarios } = loadScenarios(SCENARIOS_DIRECTORY, registry)
  const { area, text, toDo } = scaffoldFor(requirement, scenarios, options.area)
  const file = options.out ?? join('scenarios', area, `${requirement.id.toLowerCase()}.yaml`)
  createFile(file, editorLine(file) + text)
  session.out(`${file}\n`)
  session.err(`fill in, where ${FILL_IN} stands:\n${toDo.map((line) => `  ${line}\n`).join('')}`)
  session.err(
    `then: ${session.program} scenario lint ${file} && ${session.program} conform --self --scenarios ${file}\n`,
  )
}

/** @throws CliError where a file of that name is there. */
function createFile(file: string, text: string): void {
  try {
    writingTo(file, null, () => writeFileSync(file, text, { flag: 'wx' }))
  } catch (error) {
    if (error instanceof CliError && error.message.includes('EEXIST'))
      throw new CliError(`${file} is there already; name another with --out`)
    throw error instanceof CliError ? error : unwritable(file, null, error)
  }
}
