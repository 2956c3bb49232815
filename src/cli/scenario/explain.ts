import { loadScenarios } from '../../conformance/load.ts'
import { escapeLines } from '../../conformance/reporters/escape.ts'
import type { Requirement, RequirementRegistry } from '../../conformance/requirements.ts'
import type { LoadedScenario } from '../../conformance/scenario.ts'
import { observationsOf } from '../../conformance/steps.ts'
import { GAP_IDS, gapOf } from '../../contract/gaps.ts'
import { didYouMean } from '../../contract/words.ts'
import { defectList } from '../../selftest/defect-list.ts'
import { CliError, FilesWithProblems, type Session } from '../operator/session.ts'
import { problemLines } from '../output/problem-lines.ts'
import { SCENARIOS_DIRECTORY } from '../package-files.ts'
import { readRegistry } from '../read-registry.ts'
import { stepsInWords } from './steps-in-words.ts'

/** What a requirement or a scenario is about, in plain words. */
export function explain(id: string, session: Session): void {
  const registry = readRegistry()
  const { scenarios, problems } = loadScenarios(SCENARIOS_DIRECTORY, registry)
  if (problems.length > 0) throw new FilesWithProblems(problemLines(problems))
  const requirement = registry.requirements.get(id.toUpperCase())
  const scenario = scenarios.find((loaded) => loaded.id === id)
  if (requirement) session.out(escapeLines(requirementText(requirement, registry, scenarios, session.program)))
  else if (scenario) session.out(escapeLines(scenarioText(scenario, session.program)))
  else {
    const names = [...registry.requirements.keys(), ...scenarios.map((loaded) => loaded.id)]
    throw new CliError(`there is no requirement and no scenario "${id}"${didYouMean(id, names)}`)
  }
}

function requirementText(
  requirement: Requirement,
  registry: RequirementRegistry,
  scenarios: readonly LoadedScenario[],
  program: string,
): string {
  const { id, level, text, section } = requirement
  const of = scenarios.filter((loaded) => touches(loaded, id))
  return [
    `${id} (${level === 'must' ? 'must' : 'open: observed, never failed'}), section ${section || 'unnamed'}`,
    text,
    ...unobservableLines(id, registry),
    ...conflictLines(id, registry),
    ...gapLines(id),
    ...of.flatMap((loaded) => ['', ...scenarioLines(loaded, id)]),
    ...defectLines(id),
    ...(of.length === 0
      ? []
      : ['', 'run it alone', `  ${program} conform --self --only ${of.map((loaded) => loaded.id).join(' --only ')}`]),
    '',
  ].join('\n')
}

function touches({ scenario }: LoadedScenario, id: string): boolean {
  return (
    scenario.proves.includes(id) || scenario.steps.some((step) => observationsOf(step).some(({ gap }) => gap === id))
  )
}

function unobservableLines(id: string, { unobservable }: RequirementRegistry): string[] {
  const why = unobservable.get(id)
  return why === undefined ? [] : ['', `No black box can see it: ${why}`]
}

function conflictLines(id: string, { conflicts }: RequirementRegistry): string[] {
  const rows = conflicts.filter(({ requirement }) => requirement === id)
  return rows.flatMap(({ tolerates, why }) => ['', `tolerated: ${tolerates.join(', ')}`, `  ${why}`])
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
function scenarioLines({ id, scenario }: LoadedScenario, requirement: string): string[] {
  const steps = stepsInWords(scenario).filter(({ asks }) => asks.some((ask) => ask.includes(requirement)))
  return [
    `${id}: ${scenario.title}`,
    ...(scenario.needs?.length ? [`  needs ${scenario.needs.join(', ')}`] : []),
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
    'defects that break it, each killed in the self-test',
    ...defects.map((defect) => `  ${defect.id}: ${defect.summary}`),
  ]
}

function scenarioText({ id, scenario }: LoadedScenario, program: string): string {
  const effects = Object.entries(scenario.effects ?? {}).map(([kind, value]) =>
    value === true ? kind : `${kind} ${value}`,
  )
  return [
    `${id}: ${scenario.title}`,
    ...(scenario.why === undefined ? [] : [scenario.why.trim()]),
    '',
    `proves  ${scenario.proves.join(', ') || 'nothing: it only records'}`,
    `needs   ${scenario.needs?.join(', ') || 'nothing beyond what its calls need'}`,
    `leaves  ${effects.join(', ') || 'nothing behind'}`,
    '',
    ...stepsInWords(scenario).flatMap(({ name, does, asks }) => [`${name} ${does}`, ...asks.map((ask) => `  ${ask}`)]),
    '',
    'run it alone',
    `  ${program} conform --self --only ${id}`,
    '',
  ].join('\n')
}
