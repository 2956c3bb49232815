import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { SCENARIO_SCHEMA_FILE } from '../../package-files.ts'

/** Where the package is for a project that has it as a dependency. */
const INSTALLED = 'node_modules/partner-sandbox/scenarios/scenario.schema.json'

/**
 * The first line of a scenario: it says to an editor where the schema is. Outside the working directory and this package that
 * is the installed dependency, since a path of this machine is not valid on another.
 *
 * @param file the scenario; none for one that is printed, which may be saved in the working directory.
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
