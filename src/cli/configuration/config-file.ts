import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FileProblem } from '../../conformance/yaml/read-yaml.ts'
import { refuseUnreadable } from '../files.ts'
import { CliError } from '../session.ts'

export interface ConfigFile {
  readonly file: string
  readonly data: unknown
  /** A problem at a key, with its line where the file has lines. */
  problemAtKey(path: readonly string[], message: string): FileProblem
  readonly problems: readonly FileProblem[]
}

/**
 * The configuration file of this command line; null if there is none.
 *
 * @param named the file that a flag or the environment names, with what named it.
 * @param here the files in the current folder that are called as one is.
 * @throws CliError for one that cannot be read, and for two files in the current folder.
 */
export async function findConfigFile(
  named: { file: string; by: string } | null,
  here: readonly string[],
): Promise<ConfigFile | null> {
  if (named) {
    refuseUnreadable(named.file, named.by)
    return readConfigFile(named.file)
  }
  if (here.length > 1)
    throw new CliError(`${here.join(' and ')} are both here: keep one of them, or name it with --config`)
  return here[0] === undefined ? null : readConfigFile(here[0])
}

async function readConfigFile(file: string): Promise<ConfigFile> {
  if (extname(file) === '.ts') return fromModule(file)
  // YAML has JSON in it. The parser is loaded only for a file that is there.
  const { readYaml } = await import('../../conformance/yaml/read-yaml.ts')
  const { data, problems, problemAtKey } = readYaml(file)
  return { file, data, problems, problemAtKey }
}

/** A module has no lines for its values, so that problems are at its beginning. */
async function fromModule(file: string): Promise<ConfigFile> {
  const problemAtKey = (path: readonly string[], message: string) => ({
    file,
    line: 1,
    column: 1,
    message: path.length === 0 ? message : `${path.join('.')}: ${message}`,
  })
  try {
    const { default: data } = (await import(pathToFileURL(resolve(file)).href)) as { default: unknown }
    const problems = data === undefined ? [problemAtKey([], 'it must have a default export')] : []
    return { file, data, problems, problemAtKey }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
      throw new CliError(`${file}: this Node cannot read TypeScript; use Node 22.18 or later, or a .yaml or .json file`)
    throw new CliError(`${file}: ${message}`)
  }
}
