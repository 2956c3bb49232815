import { escapeLine } from '../../conformance/reports/escape.ts'
import { type FileProblem, placeOf } from '../../conformance/yaml/read-yaml.ts'
import { CliError, FilesWithProblems } from '../session.ts'

/** One line for standard error, or one for each problem of a file. Never a stack trace: of an unexpected error only the message is shown. */
export function errorLine(error: unknown): string {
  if (error instanceof FilesWithProblems) return error.message
  if (error instanceof CliError) return `error: ${escapeLine(error.message)}\n`
  // Not loaded here, because most commands need no database.
  if (error instanceof Error && error.name === 'MissingAddonError') return `error: ${escapeLine(error.message)}\n`
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return `error: this is a bug in partner-sandbox, please report it: ${escapeLine(message)}\n`
}

/** One line per problem: `file:line:column message`. */
export function problemLines(problems: readonly FileProblem[]): string {
  return problems.map((problem) => `${escapeLine(`${placeOf(problem)} ${problem.message}`)}\n`).join('')
}

/** @throws FilesWithProblems if there is one. */
export function refuseProblems(problems: readonly FileProblem[]): void {
  if (problems.length > 0) throw filesWithProblems(problems)
}

export function filesWithProblems(problems: readonly FileProblem[]): FilesWithProblems {
  return new FilesWithProblems(problemLines(problems))
}
