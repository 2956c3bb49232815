import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { SCENARIO_SCHEMA_FILE } from '../package-files.ts'

/** Where the package is for a project that has it as a dependency. */
const INSTALLED = 'node_modules/partner-sandbox/scenarios/scenario.schema.json'

/**
 * The first line of a scenario: it tells an editor where the schema is, from the file on. Below the folder the program is
 * called in, or beside the file in this package, the schema is named where it is; anywhere else as a dependency of the
 * project, since a path of this machine would lead nobody else there.
 *
 * @param file the scenario; none for one that is printed, which may be saved in the working directory.
 * @example editorLine('scenarios/auth/mine.yaml') // '# yaml-language-server: $schema=../scenario.schema.json\n'
 */
export function editorLine(
  file = 'printed.yaml',
  schema = SCENARIO_SCHEMA_FILE,
  workingDirectory = process.cwd(),
): string {
  const from = dirname(resolve(workingDirectory, file))
  const isNear = isBelow(workingDirectory, schema) || isBelow(dirname(dirname(schema)), from)
  const path = relative(from, isNear ? schema : resolve(workingDirectory, INSTALLED))
  const withSlashes = path.split(sep).join('/')
  return `# yaml-language-server: $schema=${withSlashes.startsWith('.') ? withSlashes : `./${withSlashes}`}\n`
}

function isBelow(directory: string, file: string): boolean {
  const path = relative(directory, file)
  return !path.startsWith('..') && !isAbsolute(path)
}
