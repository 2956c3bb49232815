import { escapeLine } from '../../conformance/reporters/escape.ts'
import type { FileProblem } from '../../conformance/scenario.ts'

/** One line per problem, in the form that editors and CI systems turn into links: `file:line:column message`. */
export function problemLines(problems: readonly FileProblem[]): string {
  return problems
    .map(({ file, line, column, message }) => `${escapeLine(`${file}:${line}:${column} ${message}`)}\n`)
    .join('')
}
