import { readYaml } from '../../conformance/yaml/read-yaml.ts'
import { type GapChoices, readGapChoices } from '../../contract/choices.ts'
import { isObject } from '../../contract/is-object.ts'
import { refuseUnreadable } from '../files.ts'
import { filesWithProblems, refuseProblems } from '../output/problem-lines.ts'

/**
 * Choices of open points from a file: YAML or JSON, an id and a value each.
 *
 * @throws CliError if the file cannot be read; FilesWithProblems with the line and the column of everything that is wrong.
 * @example readGapsFile('gaps.yaml') // { 'skew-edge': 'refused' }
 */
export function readGapsFile(file: string): Partial<GapChoices> {
  refuseUnreadable(file, '--gaps')
  const source = readYaml(file)
  const data = source.data ?? {}
  if (!isObject(data)) throw filesWithProblems([source.problemAt([], 'the file must hold ids and their values')])
  const { choices, problems } = readGapChoices(data, 'text')
  const found = problems.map(({ id, about, message }) =>
    about === 'id'
      ? source.problemAtKey([id], `${message}; "gap list" names them all`)
      : source.problemAt([id], message),
  )
  const all = [...source.problems, ...found].sort((one, other) => one.line - other.line || one.column - other.column)
  refuseProblems(all)
  return choices
}
