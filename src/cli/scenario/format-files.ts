import { readFileSync } from 'node:fs'
import { loadScenarios } from '../../conformance/load.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { FilesWithProblems, type Session } from '../operator/session.ts'
import { problemLines } from '../output/problem-lines.ts'
import { replaceText } from '../output-file.ts'
import { SCENARIOS_DIRECTORY } from '../package-files.ts'
import { readRegistry } from '../read-registry.ts'
import { formatYaml, NotFormattableError } from './format-yaml.ts'
import { keyOrderAt } from './key-order.ts'

/** Brings scenario files into the one layout, or only says which are not in it. */
export function formatFiles(paths: readonly string[], options: { check?: boolean }, session: Session): void {
  // A file with a problem is left alone: its keys may not mean what they seem to.
  const { scenarios, problems } = loadScenarios(paths.length > 0 ? paths : SCENARIOS_DIRECTORY, readRegistry())
  if (problems.length > 0) throw new FilesWithProblems(problemLines(problems))
  const others = scenarios.map(({ file }) => file).filter((file) => isOutOfLayout(file, !options.check))
  for (const file of others) session.out(`${file}\n`)
  const many = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`
  session.err(
    options.check
      ? `${many(others.length, 'file')} of ${scenarios.length} would be changed\n`
      : `${many(others.length, 'file')} of ${scenarios.length} changed\n`,
  )
  if (options.check && others.length > 0) session.exitWith(EXIT_CODES.refused)
}

/** @throws FilesWithProblems where the layout cannot keep all that the file says. */
function isOutOfLayout(file: string, writes: boolean): boolean {
  const text = readFileSync(file, 'utf8')
  const formatted = formattedOf(file, text)
  if (formatted === text) return false
  if (writes) replaceText(file, null, formatted)
  return true
}

function formattedOf(file: string, text: string): string {
  try {
    return formatYaml(text, keyOrderAt)
  } catch (error) {
    if (!(error instanceof NotFormattableError)) throw error
    throw new FilesWithProblems(problemLines([{ file, line: 1, column: 1, message: error.message }]))
  }
}
