import { readYaml } from '../conformance/yaml-source.ts'
import { readGapChoices } from '../contract/choose-gaps.ts'
import type { GapChoices } from '../contract/gaps.ts'
import { problemLines } from './output/problem-lines.ts'
import { FilesWithProblems } from './session.ts'

/**
 * Choices of open points from a file: YAML or JSON, an id and a value each.
 *
 * @throws FilesWithProblems with the line and the column of everything that is wrong.
 * @example readGapsFile('gaps.yaml') // { 'skew-edge': 'refused' }
 */
export function readGapsFile(file: string): Partial<GapChoices> {
  const source = readYaml(file)
  if (source.problems.length > 0) throw new FilesWithProblems(problemLines(source.problems))
  const { data } = source
  if (data === null || data === undefined) return {}
  if (typeof data !== 'object' || Array.isArray(data)) {
    throw new FilesWithProblems(problemLines([source.problemAt([], 'the file must hold ids and their values')]))
  }
  const { choices, problems } = readGapChoices(data as Record<string, unknown>, 'text')
  const found = problems.map(({ id, about, message }) =>
    about === 'id' ? source.problemAtKey([id], message) : source.problemAt([id], message),
  )
  if (found.length > 0) throw new FilesWithProblems(problemLines(found))
  return choices
}
