import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { inPackage } from '../../package-files.ts'

/** Where the schemas are for a project that has the package as a dependency. */
const INSTALLED = 'node_modules/partner-sandbox/scenarios'

/**
 * The first line of a file that the program writes: it says to an editor where the schema is. Outside the working directory and this package that
 * is the installed dependency, since a path of this machine is not valid on another.
 *
 * @param file none for one that is printed, which may be saved in the working directory.
 * @param schema the file of the schema.
 */
export function editorLine(
  file = 'printed.yaml',
  schema = schemaFile('scenario'),
  workingDirectory = process.cwd(),
): string {
  const from = dirname(resolve(workingDirectory, file))
  const isNear = isBelow(workingDirectory, schema) || isBelow(dirname(dirname(schema)), from)
  const path = relative(from, isNear ? schema : resolve(workingDirectory, INSTALLED, basename(schema)))
  const withSlashes = path.split(sep).join('/')
  return `# yaml-language-server: $schema=${withSlashes.startsWith('.') ? withSlashes : `./${withSlashes}`}\n`
}

/** @example schemaFile('baseline') */
export function schemaFile(kind: 'scenario' | 'target' | 'baseline'): string {
  return inPackage(`scenarios/${kind}.schema.json`)
}

/** Whether a file lies in a folder, at any depth, or is the path itself. */
export function isBelow(directory: string, file: string): boolean {
  const path = relative(directory, file)
  return !path.startsWith('..') && !isAbsolute(path)
}
