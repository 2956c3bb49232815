import { parseDuration } from '../../clock/duration.ts'
import { didYouMean } from '../../contract/words.ts'
import type { DocumentPath, FileProblem, Report, YamlSource } from '../yaml/read-yaml.ts'
import { type Expectation, rolesNamed, wishesOf } from './expectations/expectation.ts'
import { lintEventPaths, lintFields } from './lint-fields.ts'
import { lintMatchers } from './lint-matchers.ts'
import { wrongReference } from './lint-references.ts'
import { OPERATOR_ACTIONS } from './operator-actions.ts'
import type { RequirementRegistry } from './requirements.ts'
import { DELIVERY_FACTS, isPageFact, isRole, PAGE_FACTS, ROLE_NAMES } from './roles.ts'
import type { PageStep, Scenario, Step } from './scenario.ts'
import {
  actionOf,
  derivedEffects,
  expectationsOf,
  isPlainCall,
  kindsOf,
  LIST_OF,
  observationsOf,
  producedBy,
  showsOf,
  stepReferences,
} from './step-facts.ts'
import { STEP_KIND_NAMES } from './step-kinds.ts'
import {
  BUILT_INS,
  ExpressionSyntaxError,
  isSecretOfCredential,
  type Reference,
  referencesIn,
  SECRET_ELSEWHERE,
} from './values.ts'

/**
 * What is wrong with a scenario beyond its shape: names that lead nowhere, actions that are none or two, checks that
 * prove something else than was announced.
 *
 * @param lost places of the file whose values were wrong and are left out here: what only follows from that is not a problem.
 */
export function lintScenario(
  source: YamlSource,
  scenario: Scenario,
  registry: RequirementRegistry,
  lost: readonly DocumentPath[] = [],
): FileProblem[] {
  const problems: FileProblem[] = []
  const report: Report = (path, message) => {
    if (!lost.some((one) => followsFrom(path, one))) problems.push(source.problemAt(path, message))
  }
  const known = new Map<string, Step>()
  for (const [list, steps] of [
    ['steps', scenario.steps],
    ['cleanup', scenario.cleanup ?? []],
  ] as const) {
    steps.forEach((step, index) => {
      lintStep(step, [list, index], known, report)
      lintRoles(step, [list, index], report)
      // What a step has whose action is not complete is not known.
      const isWhole = !lost.some((one) => one[0] === list && one[1] === index && isOfAction(one))
      if (step.id !== undefined) known.set(step.id, isWhole ? step : {})
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
  lintRequirements(scenario, registry, report, lost)
  return problems
}

function isAction(key: string | number | undefined): boolean {
  return (STEP_KIND_NAMES as readonly unknown[]).includes(key)
}

/** Whether a place decides what its step does; what is further in does not. */
function isOfAction(lost: DocumentPath): boolean {
  return isAction(lost[2]) && lost.length <= 4
}

/** Whether a problem may be there only because something else was left out: around it, or the action that its step is about. */
function followsFrom(path: DocumentPath, lost: DocumentPath): boolean {
  if (path.every((part, at) => lost[at] === part)) return true
  const isSameStep = path[0] === lost[0] && path[1] === lost[1] && path.length > 2
  return isSameStep && isOfAction(lost) && path[2] !== 'id' && !isAction(path[2])
}

function lintStep(step: Step, path: DocumentPath, known: ReadonlyMap<string, Step>, report: Report): void {
  const kinds = kindsOf(step)
  if (kinds.length !== 1) {
    const has = kinds.length === 0 ? 'has no action' : `has ${kinds.length} actions (${kinds.join(', ')})`
    report(path, `a step ${has}; it takes exactly one of ${STEP_KIND_NAMES.join(', ')}`)
  }
  lintId(step, path, known, report)
  lintFault(step, path, report)
  lintCall(step, path, report)
  lintFields(step, path, report)
  lintEventPaths(step, path, report)
  lintOperator(step, path, report)
  lintPage(step, path, report)
  lintHook(step, path, report)
  lintEvents(step, path, report)
  if (step.optional === 'checks' && expectationsOf(step).flatMap(showsOf).length + observationsOf(step).length === 0)
    report([...path, 'optional'], 'a step that shows and observes nothing has no checks that could be optional')
  if (step.else !== undefined && step.operator === undefined)
    report([...path, 'else'], 'only an operator step has an else')
  for (const [where, id] of stepReferences(step)) {
    if (!known.has(id)) report([...path, ...where], `"${id}" is not an earlier step${didYouMean(id, known.keys())}`)
  }
  const { expect, ...rest } = step
  lintTemplates(rest, path, known, report)
  // An expectation may name values of its own answer: a total beside the list that adds up to it.
  const withItself = step.id === undefined ? known : new Map([...known, [step.id, step]])
  if (expect !== undefined) lintTemplates(expect, [...path, 'expect'], withItself, report)
}

function lintId(step: Step, path: DocumentPath, known: ReadonlyMap<string, Step>, report: Report): void {
  const judges =
    expectationsOf(step).some((expectation) => expectation.shows !== undefined) || observationsOf(step).length > 0
  if (step.id === undefined) {
    if (judges) report(path, 'a step that shows or observes something needs an id')
    return
  }
  if (known.has(step.id)) report([...path, 'id'], `the id "${step.id}" is taken by an earlier step`)
  if (BUILT_INS.includes(step.id))
    report([...path, 'id'], `"${step.id}" is reserved: choose another id than ${BUILT_INS.join(', ')}`)
}

function lintFault(step: Step, path: DocumentPath, report: Report): void {
  if (step.fault !== undefined && !isPlainCall(step))
    report([...path, 'fault'], 'only a call of its own, made once, can have a fault')
  if (!isPlainCall(step) && expectationsOf(step).some(({ authenticated }) => authenticated)) {
    report([...path, 'expect'], 'only a call of its own, made once, can be expected to be authenticated')
  }
}

function lintCall({ call, as }: Step, path: DocumentPath, report: Report): void {
  if (call === undefined) return
  const at = [...path, 'call']
  const { again, after, ...rest } = call
  if (call.of_run) {
    if (Object.keys(call).length > 1) report(at, 'of_run is about the calls that the run has made, and stands alone')
    return
  }
  const repeats = [again, after].filter((step) => step !== undefined).length
  if (repeats > 0 && repeats + Object.keys(rest).length > 1)
    report(at, `${again === undefined ? 'after' : 'again'} repeats the call of another step, and stands alone`)
  if (repeats > 0) return
  if ((call.op === undefined) === (call.target === undefined))
    report(at, 'a call has either an op or a target, or repeats another with again or after')
  if (call.target !== undefined && call.method === undefined) report(at, 'a raw call needs a method')
  if (call.query !== undefined && call.query_raw !== undefined) report(at, 'query and query_raw exclude each other')
  if (call.all_pages && (call.op === undefined || LIST_OF[call.op] === undefined || call.at_once !== undefined))
    report(path, `all_pages is of ${Object.keys(LIST_OF).join(', ')}, and not of calls made at once`)
  if (call.or_refused_before && !(typeof as === 'object' && 'only' in as))
    report([...at, 'or_refused_before'], 'only a step with `as: { only: SCOPE }` can be served by an earlier refusal')
  if (call.at_once !== undefined && call.until !== undefined) report(at, 'at_once and until exclude each other')
  const starts = (['like', 'bytes_of', 'raw', 'json'] as const).filter((key) => call.body?.[key] !== undefined)
  if (starts.length > 1) report([...at, 'body'], `${starts.join(' and ')} exclude each other`)
}

function lintOperator(step: Step, path: DocumentPath, report: Report): void {
  if (step.operator === undefined) return
  const [name, argument] = actionOf(step)
  const at = [...path, 'operator', name]
  const wanted = OPERATOR_ACTIONS[name].argument
  if (wanted === 'duration' && parseDuration(String(argument)) === null && argument !== '0s')
    report(at, `"${argument}" is not a duration such as 10m30s`)
  if (wanted === 'count' && !(Number.isInteger(argument) && Number(argument) > 0))
    report(at, `${name} takes how many calls are to fail: 1 or more`)
}

/** Steps show exactly what `proves` announces; ids exist and have the right level. */
function lintRequirements(
  scenario: Scenario,
  registry: RequirementRegistry,
  report: Report,
  lost: readonly DocumentPath[],
): void {
  const [isAnnounced, isComplete] = ['proves', 'steps'].map((key) => !lost.some(([first]) => first === key))
  const shown = new Set<string>()
  scenario.steps.forEach((step, index) => {
    const path: DocumentPath = ['steps', index]
    for (const id of expectationsOf(step).flatMap(showsOf)) {
      shown.add(id)
      if (isAnnounced && !scenario.proves.includes(id))
        report([...path, 'expect'], `shows ${id}, which is not in proves${didYouMean(id, scenario.proves)}`)
    }
    for (const { gap } of observationsOf(step)) checkLevel(gap, 'open', [...path, 'observe'], registry, report)
  })
  scenario.proves.forEach((id, index) => {
    const canBeShown = checkLevel(id, 'must', ['proves', index], registry, report)
    if (canBeShown && isComplete && !shown.has(id)) report(['proves', index], `no step shows ${id}`)
  })
  const observes = scenario.steps.some((step) => observationsOf(step).length > 0)
  if (isAnnounced && isComplete && scenario.proves.length === 0 && !observes)
    report(['proves'], 'a scenario that neither shows nor observes anything does nothing')
}

/** Whether there is such a requirement of this level. */
function checkLevel(
  id: string,
  level: 'must' | 'open',
  path: DocumentPath,
  registry: RequirementRegistry,
  report: Report,
): boolean {
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
  return row?.level === level
}

/** What a file says about its effects is the most: it may not be nothing where a step leaves something behind. */
function lintEffects(scenario: Scenario, report: Report): void {
  for (const [kind, value] of Object.entries(derivedEffects(scenario))) {
    const said = scenario.effects?.[kind as keyof NonNullable<Scenario['effects']>]
    if (said === 0 || said === false)
      report(['effects', kind], `the steps leave more behind (${kind}: ${value}); leave ${kind} out, or say how many`)
  }
}

/** Words of `take` that are not roles. */
const TAKES = ['outcome', 'status', 'code', 'count', 'params']
/** Words before a role: where it is, of what type it is, and what each item of a list says. */
const TAKE_PREFIX = /^(?:at|type|items)\./

/** Roles that exist, and conditions on them that exist. */
function lintRoles(step: Step, path: DocumentPath, report: Report): void {
  const many = Array.isArray(step.expect)
  expectationsOf(step).forEach((expectation, index) => {
    const at = [...path, 'expect', ...(many ? [index] : [])]
    lintSubject(step, expectation, at, report)
    // Those of events may be paths into the event, which have no list.
    for (const [where, name] of step.events ? [] : rolesNamed(expectation)) {
      if (!isRole(name) && !name.startsWith('body.') && !isPageFact(name))
        report([...at, ...where], `"${name}" is not a role${didYouMean(name, ROLE_NAMES)}`)
    }
    lintMatchers(expectation, at, report)
  })
  for (const { take } of observationsOf(step)) {
    if (step.events) continue
    if (take === 'count' && producedBy(step) !== 'answers')
      report([...path, 'observe'], 'count is of events, and of calls made at once; one call takes a role')
    const role = take?.replace(TAKE_PREFIX, '')
    if (take !== undefined && !TAKES.includes(take) && !isRole(String(role)) && !isPageFact(take)) {
      report(
        [...path, 'observe'],
        `"${take}" is neither a role nor one of ${TAKES.join(', ')}${didYouMean(take, [...TAKES, ...ROLE_NAMES])}`,
      )
    }
  }
}

/** What steps produce, as the table of expectations and an author call it. */
const SUBJECTS: Readonly<
  Record<NonNullable<ReturnType<typeof producedBy>>, readonly ['answer' | 'page' | 'run' | 'things', string]>
> = {
  answer: ['answer', 'one answer'],
  answers: ['things', 'calls made at once'],
  run: ['run', 'all calls of a run'],
  events: ['things', 'events'],
  deliveries: ['things', 'deliveries'],
  page: ['page', 'a page'],
}

/** Each key can be expected of what the step produces, by the row of its kind. */
function lintSubject(step: Step, expectation: Expectation, at: DocumentPath, report: Report): void {
  const produced = producedBy(step)
  if (produced === null) {
    if (kindsOf(step).length === 1) report(at, 'nothing can be expected of this step')
    return
  }
  const [as, words] = SUBJECTS[produced]
  for (const { path, kind } of wishesOf(expectation)) {
    const judges: object = 'outcome' in kind.judge ? kind.judge.outcome : kind.judge
    const key = path.join(': ')
    if (as in judges || (as === 'answer' && 'things' in judges && expectation.items !== undefined)) continue
    const why = as === 'answer' ? 'is about the items of a list: name it with items' : `cannot be expected of ${words}`
    report([...at, ...path], `"${key}" ${why}`)
  }
  for (const [key, isMeant] of [
    ['items', as === 'answer'],
    ['among', produced === 'answers'],
    ['tolerate', expectation.refused !== undefined],
  ] as const)
    if (expectation[key] !== undefined && !isMeant) report([...at, key], `"${key}" cannot be expected of ${words}`)
}

/** Pages are expected to be what pages can be. */
function lintPage(step: Step, path: DocumentPath, report: Report): void {
  if (step.page === undefined) return
  lintPageKeys(step.page, [...path, 'page'], report)
  expectationsOf(step).forEach((expectation, index) => {
    const at = [...path, 'expect', ...(Array.isArray(step.expect) ? [index] : [])]
    if (expectation.refused !== undefined && expectation.refused !== true)
      report([...at, 'refused'], 'a page has no code: say refused: true')
    for (const name of Object.keys(expectation.roles ?? {})) {
      if (!isPageFact(name)) report([...at, 'roles', name], `"${name}" is not a page fact${meant(name)}`)
    }
  })
}

/** What only an opened page has, and what only a button has. */
const OF_OPEN = ['follow', 'cookies'] as const
const OF_PRESS = ['of', 'fill'] as const

function lintPageKeys(page: PageStep, at: DocumentPath, report: Report): void {
  if ((page.open === undefined) === (page.press === undefined)) report(at, 'a page step has either open or press')
  const others = page.open === undefined ? OF_OPEN : OF_PRESS
  for (const key of others)
    if (page[key] !== undefined)
      report([...at, key], `"${key}" goes with ${page.open === undefined ? 'open' : 'press'}`)
}

function meant(name: string): string {
  return didYouMean(
    name,
    PAGE_FACTS.map((fact) => `page.${fact}`),
  )
}

/** The longest time for which an answer may be held back: every target has given up by then. */
const LONGEST_DELAY_MS = 20_000

function lintHook({ hook }: Step, path: DocumentPath, report: Report): void {
  const answer = hook?.answer
  if (typeof answer === 'object' && 'after' in answer && (parseDuration(answer.after) ?? 0) > LONGEST_DELAY_MS)
    report([...path, 'hook', 'answer', 'after'], 'no answer is held back for more than 20s')
}

/** What is expected of a delivery are facts that one has. */
function lintEvents(step: Step, path: DocumentPath, report: Report): void {
  if (step.events?.within !== undefined && step.events.none_for !== undefined)
    report([...path, 'events'], 'within and none_for exclude each other')
  if (producedBy(step) !== 'deliveries') return
  for (const expectation of expectationsOf(step)) {
    for (const key of ['every', 'includes', 'excludes'] as const) {
      for (const name of Object.keys(expectation[key] ?? {})) {
        const fact = /^delivery\.([a-z_]+)/.exec(name)?.[1]
        if (fact !== undefined && !(DELIVERY_FACTS as readonly string[]).includes(fact))
          report(path, `"${name}" is not a delivery fact${didYouMean(fact, DELIVERY_FACTS)}`)
      }
    }
  }
}

/** Marks each place of a scenario to begin with that a person has to fill in. */
export const FILL_IN = 'TODO'

/** Where a text still asks to be filled in; a word inside another one, or in small letters, is a text like any. */
const MARKER = new RegExp(`^\\s*${FILL_IN}(?:$|[\\s:])`)

/** Whether a value is still what a template had in its place. */
export function asksToBeFilledIn(value: unknown): boolean {
  return typeof value === 'string' && MARKER.test(value)
}

interface TextAt {
  text: string
  path: DocumentPath
}

/** Every text in a value, and where it is. */
export function* textsIn(value: unknown, path: DocumentPath = []): Generator<TextAt> {
  if (typeof value === 'string') yield { text: value, path }
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value))
    yield* textsIn(inner, [...path, Array.isArray(value) ? Number(key) : key])
}

/** No text of the template is left: an unfilled text would pass for a check that its author thought about. */
function lintFilledIn(scenario: Scenario, report: Report): void {
  for (const { text, path } of textsIn(scenario))
    if (asksToBeFilledIn(text))
      report(path, `"${path.at(-1)}" is still to be filled in: write what is asked for in the place of ${FILL_IN}`)
}

/** Expressions can be read, and begin with something that is known there. */
function lintTemplates(value: unknown, at: DocumentPath, known: ReadonlyMap<string, Step>, report: Report): void {
  for (const { text, path } of textsIn(value, at)) {
    for (const reference of readableReferences(text, (message) => report(path, message))) {
      const why = wrongReference(reference, known, text)
      if (why !== null) report(path, why)
    }
  }
}

/** Vars are made in their order, before the first step. */
function lintVars({ vars = {}, steps, cleanup = [] }: Scenario, report: Report): void {
  const names = Object.keys(vars)
  const lint = (value: unknown, at: DocumentPath, made: readonly string[]): void => {
    for (const { text, path } of textsIn(value, at))
      for (const [first, second] of readableReferences(text)) {
        const name = String(second)
        if (first !== 'vars' || made.includes(name)) continue
        const isLater = names.includes(name)
        report(path, isLater ? `the var "${name}" is made later` : `no such var: "${name}"${didYouMean(name, made)}`)
      }
  }
  lint(steps, ['steps'], names)
  lint(cleanup, ['cleanup'], names)
  for (const [at, [name, value]] of Object.entries(vars).entries()) {
    lint(value, ['vars', name], names.slice(0, at))
    lintTemplates(value, ['vars', name], new Map(), report)
  }
}

/** The secret that signs is named only where an answer must not contain it. */
export function lintSecret(scenario: Scenario, report: Report): void {
  for (const { text, path } of textsIn(scenario)) {
    if (!path.includes('lacks') && readableReferences(text).some(isSecretOfCredential)) report(path, SECRET_ELSEWHERE)
  }
}

/** What a text refers to; nothing where it cannot be read. */
function readableReferences(text: string, refuse?: (message: string) => void): readonly Reference[] {
  try {
    return referencesIn(text)
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error
    refuse?.(error.message)
    return []
  }
}
