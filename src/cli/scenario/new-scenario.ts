import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FILL_IN } from '../../conformance/format/lint-scenario.ts'
import { loadScenarios } from '../../conformance/format/load-scenarios.ts'
import { loadRequirements, type Requirement } from '../../conformance/format/requirements.ts'
import type { LoadedScenario, Step } from '../../conformance/format/scenario.ts'
import { callOf, expectationsOf, kindsOf, requirementsOf, showsOf } from '../../conformance/format/step-facts.ts'
import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoint-ids.ts'
import { ENDPOINTS, type Endpoint } from '../../contract/endpoints.ts'
import { didYouMean, grouped } from '../../contract/words.ts'
import { unwritable, writingTo } from '../files.ts'
import { SCENARIOS_DIRECTORY } from '../read-scenarios.ts'
import { CliError, type Session } from '../session.ts'
import { editorLine } from './editor-line.ts'

/** Writes a scenario to begin with, and says what is left to do. */
export function newScenario(id: string, options: { area?: string; out?: string }, session: Session): void {
  const registry = loadRequirements()
  const requirement = registry.requirements.get(id.toUpperCase())
  if (!requirement) {
    const hint = didYouMean(id.toUpperCase(), registry.requirements.keys())
    const list = `"${session.program} scenario list --coverage" lists them`
    throw new CliError(`"${id}" is not a requirement${hint}; ${list}`)
  }
  if (options.area !== undefined && !/^[a-z][a-z0-9-]*$/.test(options.area))
    throw new CliError(`--area: "${options.area}" is not a folder name such as orders`)
  const { scenarios } = loadScenarios(SCENARIOS_DIRECTORY, registry)
  const { area, text, toDo } = scaffoldFor(requirement, scenarios, options.area)
  const file = options.out ?? join('scenarios', area, `${requirement.id.toLowerCase()}.yaml`)
  createFile(file, editorLine(file) + text)
  session.out(`${file}\n`)
  session.err(`replace each ${FILL_IN}:\n${toDo.map((line) => `  ${line}\n`).join('')}`)
  session.err(
    `then: ${session.program} scenario lint ${file} && ${session.program} conform --self --selected --scenarios ${file}\n`,
  )
}

/** @throws CliError where a file of that name is there. */
function createFile(file: string, text: string): void {
  try {
    writingTo(file, null, () => writeFileSync(file, text, { flag: 'wx' }))
  } catch (error) {
    if (error instanceof CliError && error.message.includes('EEXIST'))
      throw new CliError(`${file} already exists; name another file with --out`)
    throw error instanceof CliError ? error : unwritable(file, null, error)
  }
}

interface ScenarioPattern {
  op: EndpointId
  fault: string | null
  /** Whether the requirement is about refusals. */
  isRefused: boolean
}

/** A read that any target allows. */
const PLAIN: ScenarioPattern = { op: 'availability', fault: null, isRefused: false }

/**
 * A scenario for a requirement, after the scenarios of its like: their operation, their kind of fault and what they need.
 * It is free of lint but for what has to be filled in.
 */
function scaffoldFor(requirement: Requirement, scenarios: readonly LoadedScenario[], area?: string) {
  const family = requirement.id.split('-')[0]
  const about = (isMeant: (id: string) => boolean) =>
    scenarios.filter(({ scenario }) => requirementsOf(scenario).some(isMeant))
  const same = about((id) => id === requirement.id)
  const like = same.length > 0 ? same : about((id) => id.startsWith(`${family}-`))
  const own = area ?? mostFrequent(like.map(({ id }) => id.split('/')[0] ?? '')) ?? (family ?? 'new').toLowerCase()
  const pattern = { ...patternOf(like), isRefused: areRefused(same, requirement.id) }
  const step = judgingStep(requirement, pattern)
  const toDo = ['the title: a fact about a correct target', ...step.toDo]
  return { area: own, text: textOf(requirement, pattern, step), toDo }
}

/** Whether what shows a requirement is a refusal more often than an accepted call. */
function areRefused(same: readonly LoadedScenario[], id: string): boolean {
  const expectations = same.flatMap(({ scenario }) => scenario.steps.flatMap(expectationsOf))
  const shown = expectations.filter((one) => showsOf(one).includes(id))
  return shown.filter((one) => one.refused).length > shown.filter((one) => one.accepted).length
}

function patternOf(like: readonly LoadedScenario[]): Omit<ScenarioPattern, 'isRefused'> {
  const judged = like.flatMap(({ scenario }) =>
    scenario.steps.filter((step) => step.call?.op !== undefined && isJudged(step)),
  )
  const op = mostFrequent(judged.flatMap((step) => callOf(step)?.op ?? []))
  if (op === undefined) return PLAIN
  const ofIt = judged.filter((step) => callOf(step)?.op === op)
  const fault = mostFrequent(ofIt.flatMap((step) => (step.fault ? [faultText(step)] : [])))
  const refusals = ofIt.filter((step) => step.fault).length
  return { op, fault: fault !== undefined && refusals * 2 >= ofIt.length ? fault : null }
}

/** What a call of the operation must say, in the flow style of YAML. */
function argumentOf(op: EndpointId): string {
  const { inScenario }: Endpoint = ENDPOINTS[op]
  if (!inScenario?.argument) return ''
  const { in: place, name, value } = inScenario.argument
  const said = `{ ${name}: "${value}" }`
  return place === 'body' ? `, body: { set: ${said} }` : `, ${place}: ${said}`
}

function isJudged(step: Step): boolean {
  return (
    kindsOf(step).length === 1 &&
    (expectationsOf(step).some((one) => showsOf(one).length > 0) || step.observe !== undefined)
  )
}

/** Faults that mean something without another step. */
function faultText(step: Step): string {
  const [[kind, how] = ['', '']] = Object.entries(step.fault ?? {})
  return typeof how === 'string' && !how.includes('${') ? `{ ${kind}: ${how} }` : '{ signature: flip_bit }'
}

function textOf({ id, level, text }: Requirement, pattern: ScenarioPattern, step: JudgingStep): string {
  // What the operation asks about has to be made first.
  const after = ENDPOINTS[pattern.op].inScenario?.after
  const maker = after && ENDPOINT_IDS.find((other) => ENDPOINTS[other].creates?.kind === after)
  return [
    `# ${id}: ${text}`,
    `title: "${FILL_IN}: a fact about a correct target, as a sentence"`,
    `proves: [${level === 'open' ? '' : id}]`,
    'steps:',
    ...(maker ? ['  - id: made', `    call: { op: ${maker} }`] : []),
    `  - id: ${step.id}`,
    `    call: { op: ${pattern.op}${argumentOf(pattern.op)} }`,
    ...step.lines.map((line) => `    ${line}`),
    '',
  ].join('\n')
}

interface JudgingStep {
  id: string
  lines: string[]
  toDo: string[]
}

function judgingStep({ id, level }: Requirement, { fault, isRefused }: ScenarioPattern): JudgingStep {
  if (level === 'open') {
    return {
      id: 'seen',
      lines: [`observe: { gap: ${id}, take: "${FILL_IN}: outcome, status, code or a role" }`],
      toDo: ['what the step records (take, as)'],
    }
  }
  if (fault === null && !isRefused) {
    return {
      id: 'shown',
      lines: [
        `# ${FILL_IN}: the keys that fail for a target that breaks the rule`,
        `expect: { accepted: true, says: "${FILL_IN}: what a correct target answers", shows: ${id} }`,
      ],
      toDo: ['what the step expects, and in says the same in words'],
    }
  }
  // The runner sends the twin itself; what a call has to be for it is said in docs/scenarios.md.
  return {
    id: 'refused',
    lines: [
      `# ${FILL_IN}: exactly one thing that is wrong${fault === null ? ', in the call or as its fault' : ''}`,
      ...(fault === null ? [] : [`fault: ${fault}`]),
      `# ${FILL_IN}: the code that the document gives it`,
      `expect: { refused: true, says: "${FILL_IN}: what is wrong, and the code of the refusal", shows: ${id} }`,
    ],
    toDo: ['exactly one thing that is wrong', 'the code that the refusal has', 'says: both in words'],
  }
}

function mostFrequent<Value extends string>(values: readonly Value[]): Value | undefined {
  const [most] = [...grouped(values, (value) => value).values()].sort((one, other) => other.length - one.length)
  return most?.[0]
}
