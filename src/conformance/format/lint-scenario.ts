import { parseDuration } from '../../clock/duration.ts'
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { didYouMean } from '../../contract/words.ts'
import type { DocumentPath, FileProblem, Report, YamlSource } from '../yaml/read-yaml.ts'
import { lintEffects } from './lint-effects.ts'
import { lintHook, lintPage } from './lint-pages.ts'
import { lintRoles } from './lint-roles.ts'
import { BUILT_IN_NAMES, lintFilledIn, lintSecret, lintTemplates, lintVars } from './lint-texts.ts'
import { isOperatorAction, OPERATOR_ACTION_NAMES } from './operator-actions.ts'
import type { RequirementRegistry } from './requirements.ts'
import type { Scenario, Step } from './scenario.ts'
import { actionsOf, expectationsOf, expectsRefusal, isPlainCall, observationsOf, showsOf } from './step-facts.ts'
import { ACTIONS, STEP_KINDS } from './step-kinds.ts'

/**
 * What is wrong with a scenario beyond its shape: names that lead nowhere, actions that are none or two, checks that
 * prove something else than was announced.
 */
export function lintScenario(
  source: YamlSource,
  scenario: Scenario,
  registry: RequirementRegistry | undefined,
): FileProblem[] {
  const problems: FileProblem[] = []
  const report: Report = (path, message) => problems.push(source.problemAt(path, message))
  const known = new Set<string>()
  for (const [list, steps] of [
    ['steps', scenario.steps],
    ['cleanup', scenario.cleanup ?? []],
  ] as const) {
    steps.forEach((step, index) => {
      lintStep(step, [list, index], known, report)
      lintRoles(step, [list, index], report)
      if (step.id !== undefined) known.add(step.id)
    })
  }
  for (const [index, step] of (scenario.cleanup ?? []).entries()) {
    if (step.expect !== undefined || step.observe !== undefined)
      report(['cleanup', index], 'a clean-up step judges nothing')
  }
  if (scenario.id !== undefined) report(['id'], 'only a file with rows says their ids; that of any other is its path')
  lintFilledIn(scenario, report)
  lintVars(scenario, report)
  lintSecret(scenario, report)
  lintEffects(scenario, report)
  lintRequirements(scenario, registry, report)
  return problems
}

function lintStep(step: Step, path: DocumentPath, known: ReadonlySet<string>, report: Report): void {
  const actions = actionsOf(step)
  if (actions.length !== 1) {
    const has = actions.length === 0 ? 'has no action' : `has ${actions.length} actions (${actions.join(', ')})`
    report(path, `a step ${has}; it takes exactly one of ${ACTIONS.join(', ')}`)
  }
  lintId(step, path, known, report)
  lintFault(step, path, report)
  lintCall(step, path, report)
  lintOperator(step, path, report)
  lintPage(step, path, report)
  lintHook(step, path, report)
  for (const [where, id] of stepReferences(step)) {
    if (!known.has(id)) report([...path, ...where], `"${id}" is not an earlier step${didYouMean(id, known)}`)
  }
  const { expect, ...rest } = step
  lintTemplates(rest, path, known, report)
  // An expectation may name values of its own answer: a total beside the list that adds up to it.
  const withItself = step.id === undefined ? known : new Set([...known, step.id])
  if (expect !== undefined) lintTemplates(expect, [...path, 'expect'], withItself, report)
}

function lintId(step: Step, path: DocumentPath, known: ReadonlySet<string>, report: Report): void {
  const judges =
    expectationsOf(step).some((expectation) => expectation.shows !== undefined) || observationsOf(step).length > 0
  if (step.id === undefined) {
    if (judges) report(path, 'a step that shows or observes something needs an id')
    return
  }
  if (known.has(step.id)) report([...path, 'id'], `the id "${step.id}" is taken by an earlier step`)
  if (BUILT_IN_NAMES.includes(step.id)) report([...path, 'id'], `"${step.id}" is a name of the runner's own`)
}

function lintFault(step: Step, path: DocumentPath, report: Report): void {
  if (step.fault !== undefined && !isPlainCall(step))
    report([...path, 'fault'], 'only a call of its own, made once, can have a fault')
  if (
    step.twin_shows !== undefined &&
    !(expectsRefusal(step) && (step.fault !== undefined || step.call?.again !== undefined))
  ) {
    report([...path, 'twin_shows'], 'only a refused step with a fault, or a refused call sent again, has a twin')
  }
  if (step.twin_shows !== undefined && step.call?.op !== undefined && ENDPOINTS[step.call.op].effect === 'write') {
    report([...path, 'twin_shows'], 'a write has no twin that could be sent; make the valid call a step of its own')
  }
  if (!isPlainCall(step) && expectationsOf(step).some(({ authenticated }) => authenticated)) {
    report([...path, 'expect'], 'only a call of its own, made once, can be expected to be authenticated')
  }
  if (step.else !== undefined && step.operator === undefined)
    report([...path, 'else'], 'only an operator step has an else')
}

function lintCall({ call }: Step, path: DocumentPath, report: Report): void {
  if (call === undefined) return
  const at = [...path, 'call']
  const { again, after, ...rest } = call
  const repeats = [again, after].filter((step) => step !== undefined).length
  if (repeats > 0 && repeats + Object.keys(rest).length > 1)
    report(at, `${again === undefined ? 'after' : 'again'} repeats the call of another step, and stands alone`)
  if (repeats > 0) return
  if ((call.op === undefined) === (call.target === undefined))
    report(at, 'a call has either an op or a target, or repeats another with again or after')
  if (call.target !== undefined && call.method === undefined) report(at, 'a raw call needs a method')
  if (call.query !== undefined && call.query_raw !== undefined) report(at, 'query and query_raw exclude each other')
  if (call.at_once !== undefined && call.until !== undefined) report(at, 'at_once and until exclude each other')
  const starts = (['like', 'bytes_of', 'raw', 'json'] as const).filter((key) => call.body?.[key] !== undefined)
  if (starts.length > 1) report([...at, 'body'], `${starts.join(' and ')} exclude each other`)
}

function lintOperator(step: Step, path: DocumentPath, report: Report): void {
  for (const [name, argument] of Object.entries(step.operator ?? {})) {
    const at = [...path, 'operator', name]
    if (!isOperatorAction(name))
      report(at, `"${name}" is not an operator action${didYouMean(name, OPERATOR_ACTION_NAMES)}`)
    const wantsDuration = name === 'advance_clock' || name === 'skew_clock'
    if (wantsDuration && parseDuration(String(argument)) === null && argument !== '0s')
      report(at, `"${argument}" is not a duration such as 10m30s`)
    if (name === 'fail_next' && !(Number.isInteger(argument) && Number(argument) > 0))
      report(at, 'fail_next takes how many calls are to fail: 1 or more')
  }
}

/** Where a step names another, apart from expressions. */
function stepReferences(step: Step): (readonly [DocumentPath, string])[] {
  const named = actionsOf(step).flatMap((action) =>
    STEP_KINDS[action].names(step[action] as never).map(([at, id]) => [[action, ...at] as DocumentPath, id] as const),
  )
  const reuse = (step.fault?.nonce as { reuse?: string } | undefined)?.reuse
  const compared = expectationsOf(step).map(({ same_as: other }) => (typeof other === 'string' ? other : other?.step))
  const all: (readonly [DocumentPath, string | undefined])[] = [
    ...named,
    [['fault', 'nonce', 'reuse'], reuse],
    ...compared.map((id): [DocumentPath, string | undefined] => [['expect'], id]),
    ...expectationsOf(step).map(({ unless }): [DocumentPath, string | undefined] => [
      ['expect', 'unless', 'step'],
      unless?.step,
    ]),
  ]
  return all.flatMap(([at, id]) => (typeof id === 'string' ? [[at, id] as const] : []))
}

/** Steps show exactly what `proves` announces; ids exist and have the right level. */
function lintRequirements(scenario: Scenario, registry: RequirementRegistry | undefined, report: Report): void {
  const shown = new Set<string>()
  scenario.steps.forEach((step, index) => {
    const path: DocumentPath = ['steps', index]
    const ids = expectationsOf(step).flatMap(showsOf)
    if (step.twin_shows !== undefined) ids.push(step.twin_shows)
    for (const id of ids) {
      shown.add(id)
      if (!scenario.proves.includes(id))
        report([...path, 'expect'], `shows ${id}, which is not in proves${didYouMean(id, scenario.proves)}`)
    }
    for (const { gap } of observationsOf(step)) checkLevel(gap, 'open', [...path, 'observe'], registry, report)
  })
  scenario.proves.forEach((id, index) => {
    if (!shown.has(id)) report(['proves', index], `no step shows ${id}`)
    checkLevel(id, 'must', ['proves', index], registry, report)
  })
  const observes = scenario.steps.some((step) => observationsOf(step).length > 0)
  if (scenario.proves.length === 0 && !observes)
    report(['proves'], 'a scenario that neither shows nor observes anything does nothing')
}

function checkLevel(
  id: string,
  level: 'must' | 'open',
  path: DocumentPath,
  registry: RequirementRegistry | undefined,
  report: Report,
): void {
  if (registry === undefined) return
  const row = registry.requirements.get(id)
  if (row === undefined) report(path, `"${id}" is not a requirement${didYouMean(id, registry.requirements.keys())}`)
  else if (row.level !== level) {
    report(
      path,
      level === 'must'
        ? `${id} is an open point: observe it, it cannot be proved`
        : `${id} is a must: use shows, it is not an open point`,
    )
  }
}
