import type { ValidateFunction } from 'ajv'
import { isObject } from '../../contract/is-object.ts'
import { closestTo, didYouMean } from '../../contract/words.ts'
import { atKeys, withoutUndefined } from '../http/json-body.ts'
import { type DocumentPath, type FileProblem, schemaProblems, wrongPlaces, type YamlSource } from '../yaml/read-yaml.ts'
import { hasRows, rowsOf, sharedNames, UnknownRowValueError, unknownRowValues } from './each.ts'
import { lintScenario } from './lint-scenario.ts'
import type { RequirementRegistry } from './requirements.ts'
import { NEED, NEEDS, type Scenario, type Step } from './scenario.ts'
import { DURATION, REQUIREMENT_ID, STEP_ID } from './values.ts'

/** What a file is checked by. */
interface Rules {
  validate: ValidateFunction
  registry: RequirementRegistry
}

/** All that is wrong with a file: of syntax, else of shape and of names in one pass, as far as the shape lets names be looked at. */
export function problemsOf(source: YamlSource, rules: Rules): FileProblem[] {
  if (source.problems.length > 0) return source.problems
  const written = source.data as Scenario
  const found =
    isObject(written) && hasRows(written) ? problemsOfRows(source, written, rules) : problemsOfOne(source, [], rules)
  return found.sort((one, other) => one.line - other.line || one.column - other.column)
}

/** What texts are that have a pattern. */
const FORMS: Readonly<Record<string, string>> = {
  [REQUIREMENT_ID.pattern]: 'the id of a requirement such as ORD-03',
  [DURATION.pattern]: 'a duration such as 5s or 10m30s',
  [STEP_ID.pattern]: 'small letters, digits and _, such as first_order',
  [NEED]: 'a need such as scope.buy or fixture.sellable(2)',
}

function wordsFor(registry: RequirementRegistry) {
  const names: Readonly<Record<string, readonly string[]>> = {
    [REQUIREMENT_ID.pattern]: [...registry.requirements.keys()],
    [NEED]: NEEDS,
  }
  return {
    formOf: (pattern: string) => FORMS[pattern],
    meantBy: (pattern: string, text: string) => didYouMean(text, names[pattern] ?? []),
  }
}

/**
 * What is wrong with one scenario.
 *
 * @param lost places of it that were wrong and were taken out already.
 */
function problemsOfOne(
  source: YamlSource,
  lost: readonly DocumentPath[],
  { validate, registry }: Rules,
): FileProblem[] {
  const isLost = (path: DocumentPath): boolean => lost.some((one) => isWithin(path, one) || isWithin(one, path))
  const shape = schemaProblems(source, validate, { ...wordsFor(registry), isLeftOut: isLost })
  const rest = validPart(source.data, lost, validate)
  return rest === null ? shape : [...shape, ...lintScenario(source, rest.scenario, registry, rest.lost)]
}

/** Whether a place is another one or in it. */
function isWithin(path: DocumentPath, other: DocumentPath): boolean {
  return other.every((part, at) => path[at] === part)
}

/** What is taken out may leave what is around it incomplete, which then goes too. */
const MOST_ROUNDS = 6

/** With more mistakes than this, a file is hardly a scenario. */
const MOST_LOST = 200

/** A scenario without what breaks the schema, and the places that were taken out; null if too little of it is left. */
function validPart(
  data: unknown,
  before: readonly DocumentPath[],
  validate: ValidateFunction,
): { scenario: Scenario; lost: readonly DocumentPath[] } | null {
  const lost = [...before]
  let scenario = data
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (lost.length > MOST_LOST || lost.some(carriesOthers) || !isObject(scenario)) return null
    if (validate(scenario)) return { scenario: withIdsOf(data, scenario as unknown as Scenario), lost }
    const places = wrongPlaces(validate).map(inObject)
    scenario = without(scenario, places)
    lost.push(...places)
  }
  return null
}

/** The same with the ids that were written: other steps refer to a wrong one all the same. */
function withIdsOf(data: unknown, scenario: Scenario): Scenario {
  const { steps: written } = data as Scenario
  const steps = scenario.steps.map((step, index): Step => {
    const id: unknown = written[index]?.id
    return typeof id === 'string' ? { ...step, id } : step
  })
  return { ...scenario, steps }
}

/** Whether other parts of the scenario refer to what is at a place, or to what a misspelled key there may mean: without it they would be wrong as well. */
function carriesOthers([list, , key, ...rest]: DocumentPath): boolean {
  if (list === 'steps' || list === 'cleanup')
    return key === undefined || (rest.length === 0 && key !== 'id' && closestTo(String(key), ['id', 'name']) !== null)
  return list === undefined || (list !== 'steps' && closestTo(String(list), ['steps', 'vars', 'each']) !== null)
}

/** The nearest key around an item of a list: to take out the item would move those after it. */
function inObject(path: DocumentPath): DocumentPath {
  const isStep = (path[0] === 'steps' || path[0] === 'cleanup') && path.length === 2
  return typeof path.at(-1) === 'number' && !isStep ? inObject(path.slice(0, -1)) : path
}

/** What stands in the place of a part that every scenario has. */
const NEEDED = { title: 'A scenario that is not yet valid', proves: [] }

/** The same without some of its places. */
function without(data: object, places: readonly DocumentPath[]): object {
  const root: object = structuredClone(data)
  for (const path of places) {
    const holder = atKeys(root, path.slice(0, -1))
    if (isObject(holder)) delete holder[String(path.at(-1))]
  }
  return { ...NEEDED, ...root }
}

/** What is wrong with `each` itself, else with the scenarios of its rows, at their places in the file. */
function problemsOfRows(source: YamlSource, written: Scenario, rules: Rules): FileProblem[] {
  if (!Array.isArray(written.steps) || !written.steps.every(isObject))
    return schemaProblems(source, rules.validate, wordsFor(rules.registry))
  const shape = schemaProblems({ ...source, data: onlyRows(written) }, rules.validate, wordsFor(rules.registry))
  if (shape.length > 0) return shape
  try {
    const unknown = unknownRowValues(written)
    const problems = unknown.map(({ path, message }) => source.problemAt(path, message))
    const lost = unknown.map(({ path }) => inObject(path))
    const isTooMuch = lost.some((path) => carriesOthers(path) || ['id', 'each'].includes(String(path[2])))
    if (isTooMuch) return problems
    const known = without(written, lost) as Scenario
    problems.push(...sharedNames(known).map(({ path, message }) => source.problemAt(path, message)))
    const found = rowsOf(known).flatMap(({ scenario, origins }) => {
      const ofRow = rowSource(source, scenario, origins)
      return problemsOfOne(
        ofRow,
        lost.flatMap((path) => inRow(path, origins)),
        rules,
      )
    })
    return [...new Map([...problems, ...found].map((problem) => [JSON.stringify(problem), problem])).values()]
  } catch (error) {
    if (error instanceof UnknownRowValueError) return [source.problemAt(['each'], error.message)]
    throw error
  }
}

/** Where a place of the file is in a row: a step of the file may be several there. */
function inRow(path: DocumentPath, origins: readonly (number | null)[]): DocumentPath[] {
  const [list, index, ...rest] = path
  if (list !== 'steps') return [path]
  return origins.flatMap((origin, at) => (origin === index ? [[list, at, ...rest]] : []))
}

/** A valid scenario, but for its `each`: all else is judged row by row. */
function onlyRows({ each, id, steps }: Scenario): Scenario {
  return {
    title: 'A scenario with rows',
    proves: [],
    steps: steps.map((step) => withoutUndefined({ each: step?.each, call: { op: 'events.list' } })),
    ...withoutUndefined({ each, id }),
  } as unknown as Scenario
}

/** A row as if it were the file: steps that were put before it belong to its `each`. */
function rowSource(source: YamlSource, scenario: Scenario, origins: readonly (number | null)[]): YamlSource {
  const inFile = (path: DocumentPath): DocumentPath => {
    const [list, index, ...rest] = path
    if (list !== 'steps' || typeof index !== 'number') return path
    const origin = origins[index] ?? null
    return origin === null ? ['each'] : [list, origin, ...rest]
  }
  return {
    ...source,
    data: scenario,
    problemAt: (path, message) => source.problemAt(inFile(path), message),
    problemAtKey: (path, message) => source.problemAtKey(inFile(path), message),
  }
}
