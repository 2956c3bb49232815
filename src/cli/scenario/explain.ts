import { loadRequirements, type Requirement, type RequirementRegistry } from '../../conformance/format/requirements.ts'
import type { LoadedScenario, NamedScenario, Step } from '../../conformance/format/scenario.ts'
import {
  effectsOf,
  expectationsOf,
  kindsOf,
  needsOf,
  observationsOf,
  requirementsOf,
  showsOf,
} from '../../conformance/format/step-facts.ts'
import { STEP_KINDS } from '../../conformance/format/step-kinds.ts'
import { inline } from '../../conformance/format/values.ts'
import { describeExpectation } from '../../conformance/judge/judge.ts'
import { escapeLines } from '../../conformance/reports/escape.ts'
import { baseOf, rowOf } from '../../conformance/result/result.ts'
import { GAP_IDS, gapOf } from '../../contract/choices.ts'
import { shellQuote } from '../../contract/shell-quote.ts'
import { didYouMean } from '../../contract/words.ts'
import { defectList } from '../../proof/self-test/defect-list.ts'
import { CliError, type Session } from '../session.ts'
import { scenariosNamed } from './scenarios-named.ts'

/** @param paths where the scenarios are; those of this package if there are none. */
export function explain(name: string, paths: readonly string[], session: Session): void {
  const registry = loadRequirements()
  const requirement = registry.requirements.get(name.toUpperCase())
  const { id, files, scenarios } = scenariosNamed(name, paths, registry)
  const given = files.length === 0 ? [] : ['--scenarios', ...files.map(shellQuote)]
  const run = [`${session.program} conform --self --selected`, ...given].join(' ')
  const scenario = scenarios.find((loaded) => loaded.id === id) ?? scenarios.find((loaded) => baseOf(loaded.id) === id)
  if (requirement) session.out(escapeLines(requirementText(requirement, registry, scenarios, run)))
  else if (scenario) session.out(escapeLines(scenarioText(scenario, rowsLike(scenario, scenarios), run)))
  else {
    const names = [...registry.requirements.keys(), ...scenarios.flatMap(({ id: each }) => [each, baseOf(each)])]
    const lists = `"${session.program} scenario list" shows all scenarios, with --coverage all requirements`
    throw new CliError(`no such requirement or scenario: "${id}"${didYouMean(id, names) || `; ${lists}`}`)
  }
}

function requirementText(
  requirement: Requirement,
  registry: RequirementRegistry,
  scenarios: readonly LoadedScenario[],
  run: string,
): string {
  const { id, level, text, section } = requirement
  const touching = scenarios.filter(({ scenario }) => requirementsOf(scenario).includes(id))
  // The first row of each.
  const of = touching.filter((one, at) => touching.findIndex((other) => baseOf(other.id) === baseOf(one.id)) === at)
  const unobservable = registry.unobservable.get(id)
  const conflicts = registry.conflicts.filter(({ requirement: of }) => of === id)
  return [
    `${id} (${level === 'must' ? 'must' : 'open: observed, never failed'}), section ${section || 'unnamed'}`,
    text,
    ...(unobservable === undefined ? [] : ['', `Cannot be tested from outside: ${unobservable}`]),
    ...conflicts.flatMap(({ tolerates, why }) => ['', `tolerated: ${tolerates.join(', ')}`, `  ${why}`]),
    ...gapLines(id),
    ...of.flatMap((loaded) => ['', ...scenarioLines(loaded, rowsLike(loaded, scenarios), id)]),
    ...defectLines(id),
    ...(of.length === 0 ? [] : aloneLines(of.map((loaded) => baseOf(loaded.id)).join(' --only '), run)),
    '',
  ].join('\n')
}

function aloneLines(only: string, run: string): string[] {
  return ['', 'run it alone', `  ${run} --only ${only}`]
}

/** Choices that the open point leaves; of a must, those that its own row is named for. */
function gapLines(id: string): string[] {
  const rows = GAP_IDS.map((gap) => ({ gap, row: gapOf(gap) })).filter(({ row }) => row.requirement === id)
  if (rows.length === 0) return []
  return [
    '',
    'choices of this sandbox (a file for serve --gaps)',
    ...rows.map(({ gap, row }) => `  ${gap}: ${row.question}: ${row.values.join(' | ')}`),
  ]
}

/** Only the steps that have to do with the requirement. */
function scenarioLines({ id, scenario }: LoadedScenario, rows: readonly string[], requirement: string): string[] {
  const steps = stepsInWords(scenario).filter(({ asks }) => asks.some((ask) => ask.includes(requirement)))
  return [
    `${id}: ${scenario.title}`,
    ...(rows.length > 0 ? [`  the same for ${rows.join(', ')}`] : []),
    `  needs ${needsOf(scenario).join(', ') || 'nothing'}`,
    ...steps.flatMap(({ name, does, asks }) => [
      `  ${name} ${does}`,
      ...asks.filter((ask) => ask.includes(requirement)).map((ask) => `    ${ask}`),
    ]),
  ]
}

function defectLines(id: string): string[] {
  const defects = defectList().filter(({ breaks }) => breaks.includes(id))
  if (defects.length === 0) return []
  return [
    '',
    'defects that break it, each detected in the self-test',
    ...defects.map((defect) => `  ${defect.id}: ${defect.summary}`),
  ]
}

/** The other rows of a scenario, by name. */
function rowsLike({ id }: LoadedScenario, scenarios: readonly LoadedScenario[]): string[] {
  return scenarios.flatMap((one) => (one.id !== id && baseOf(one.id) === baseOf(id) ? (rowOf(one.id) ?? []) : []))
}

function scenarioText({ id, scenario }: LoadedScenario, rows: readonly string[], run: string): string {
  const effects = Object.entries(effectsOf(scenario)).map(([kind, value]) =>
    value === true ? kind : `${kind} ${value}`,
  )
  return [
    `${id}: ${scenario.title}`,
    ...(scenario.why === undefined ? [] : [scenario.why.trim()]),
    '',
    `proves  ${scenario.proves.join(', ') || 'nothing: it only records'}`,
    `needs   ${needsOf(scenario).join(', ') || 'nothing'}`,
    `leaves  ${effects.join(', ') || 'nothing behind'}`,
    ...(rows.length > 0 ? [`rows    this one, and the same for ${rows.join(', ')}`] : []),
    '',
    ...stepsInWords(scenario).flatMap(({ name, does, asks }) => [`${name} ${does}`, ...asks.map((ask) => `  ${ask}`)]),
    ...aloneLines(rowOf(id) === null ? id : `'${id}'`, run),
    '',
  ].join('\n')
}

/** The steps for a person: what is done in each, and what is asked of it (`shows ID: ...`, `records ID: ...`). */
function stepsInWords({ steps }: NamedScenario) {
  return steps.map((step) => ({ name: step.id, does: deedOf(step), asks: asksOf(step) }))
}

function deedOf(step: Step): string {
  const [kind] = kindsOf(step)
  const does = kind === undefined ? 'does nothing' : STEP_KINDS[kind].words(step[kind] as never)
  const who = step.as === undefined || step.as === 'main' ? '' : ` as ${inline(step.as)}`
  const fault = step.fault === undefined ? '' : `, with one thing wrong: ${inline(step.fault)}`
  const otherwise = step.else === undefined ? '' : `; if that is not possible: ${step.else.map(inline).join(', then ')}`
  const optional = step.optional === 'step' ? '; left out where the target lacks what it takes' : ''
  return `${does}${who}${fault}${otherwise}${optional}`
}

function asksOf(step: Step): string[] {
  const expectations = expectationsOf(step).map((expectation) => {
    const ids = showsOf(expectation)
    const what = describeExpectation(expectation, step)
    return ids.length === 0 ? `required for the other checks: ${what}` : `shows ${ids.join(', ')}: ${what}`
  })
  const records = observationsOf(step).map(
    ({ gap, take = 'outcome', as }) => `records ${gap}: ${take}${as === undefined ? '' : ` (${as})`}`,
  )
  return [...expectations, ...records]
}
