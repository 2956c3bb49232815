import { type Command, InvalidArgumentError } from 'commander'
import { parseDuration } from '../../clock/duration.ts'
import { parseInstant } from '../../clock/instant.ts'
import { asksToBeFilledIn } from '../../conformance/format/lint-scenario.ts'
import { loadScenarios, problemsOfText } from '../../conformance/format/load-scenarios.ts'
import { loadRequirements, type RequirementRegistry } from '../../conformance/format/requirements.ts'
import { SCENARIO_SCHEMA, type Scenario } from '../../conformance/format/scenario.ts'
import { isObject } from '../../contract/is-object.ts'
import { SandboxRefusal } from '../../operator-api/refusals.ts'
import { OWNER_ONLY, replaceText } from '../files.ts'
import { addOperatorCommand, type OperatorCommand, type OperatorContext } from '../operator/operator-command.ts'
import { problemLines } from '../output/problem-lines.ts'
import { rowsOf } from '../output/records.ts'
import { recordedDomains } from '../record/draft.ts'
import { readHistory } from '../record/history.ts'
import { hasCalls, scenarioOf } from '../record/scenario-of.ts'
import { editorLine } from '../scenario/editor-line.ts'
import { CliError, type Session } from '../session.ts'

interface RecordFlags {
  since?: string
  title?: string
  out?: string
}

export function configure(command: Command, session: Session): void {
  addOperatorCommand(command, session, RECORD)
}

const RECORD: OperatorCommand<RecordFlags> = {
  usage: 'record',
  options: (command) =>
    command
      .option('--since <moment>', 'begin after this request (req_...), at this time (ISO 8601), or this long ago (10m)')
      .option('--title <text>', 'title of the scenario', titleText, 'What happened in a sandbox happens again')
      .option('--out <file>', 'file to write (default: print it)'),
  run: (context, _args, options) => record(context, options),
}

const { minLength, maxLength } = (
  SCENARIO_SCHEMA.json as { properties: { title: { minLength: number; maxLength: number } } }
).properties.title

/** Reads a title that a scenario may have, for commander. */
function titleText(text: string): string {
  const length = [...text].length
  if (length < minLength || length > maxLength || asksToBeFilledIn(text)) {
    const example = "'A sale is settled after its transfer'"
    throw new InvalidArgumentError(`It must be a sentence of ${minLength} to ${maxLength} characters, e.g. ${example}.`)
  }
  return text
}

async function record(context: OperatorContext, { since, title = '', out }: RecordFlags): Promise<void> {
  const { session, world } = context
  const history = await readHistory(context, since === undefined ? null : momentOf(since, session))
  if (!history.happened.some(({ kind }) => kind === 'call')) {
    const when = since === undefined ? '' : ' since then'
    throw new CliError(`nothing to record: the log of the world ${world} has no call${when}`)
  }
  const magic = history.isOfProxy ? NOTHING : await magicPattern(context)
  const domains = await recordedDomains(
    history.happened,
    (name) => magic.test(name),
    (name) => listedPrice(context, name),
  )
  const { stringify } = await import('yaml')
  const textOf = (scenario: Scenario): string => stringify(scenario, { lineWidth: 0 })
  const registry = loadRequirements()
  const lint = (scenario: Scenario) => wrongSteps(textOf(scenario), registry)
  const { scenario, leftOut } = scenarioOf(title, history, domains, lint)
  if (!hasCalls(scenario)) {
    throw new CliError(`no recorded call can be a scenario step; left out: ${leftOut.join('; ')}`)
  }
  const text = editorLine(out) + textOf(scenario)
  if (out === undefined) session.out(text)
  else {
    replaceText(out, '--out', text, history.isOfProxy ? OWNER_ONLY : undefined)
    session.err(problemLines(loadScenarios(out, registry).problems))
    const run = `${session.program} conform --self --allow-unverified --scenarios ${out}`
    session.out(`${out}: ${scenario.steps.length} steps; run it with: ${run}\n`)
  }
  for (const line of leftOut) session.err(`left out: ${line}\n`)
}

/** What lint finds wrong with steps of a scenario, by their numbers. */
function wrongSteps(text: string, registry: RequirementRegistry): Map<number, string> {
  const lines = text.split('\n')
  const from = lines.indexOf('steps:')
  // Without any step there is none to leave out.
  if (from === -1) return new Map()
  const begins = lines.flatMap((line, index) => (index > from && line.startsWith('  - ') ? [index + 1] : []))
  const found = problemsOfText(text, registry).map(({ line, message }) => {
    const step = begins.findLastIndex((begin) => begin <= line)
    return [step, message] as const
  })
  return new Map(found.filter(([step]) => step >= 0))
}

const NOTHING = /(?!)/

/** A request id, or wall time in milliseconds. */
function momentOf(since: string, { wall }: Session): number | string {
  if (since.startsWith('req_')) return since
  const agoMs = parseDuration(since)
  if (agoMs !== null) return wall.nowMs() - agoMs
  const atMs = parseInstant(since)
  if (atMs !== null) return atMs
  throw new CliError(
    `--since must be a request id, a time such as 2026-01-31T12:00:00Z or a duration such as 10m, not ${JSON.stringify(since)}`,
  )
}

/** Every name that behaves in a way of its own, as the sandbox lists them. */
async function magicPattern(context: OperatorContext): Promise<RegExp> {
  const kinds = rowsOf(await context.call('magic.list', {}), 'domains').map(({ pattern, name }) =>
    String(pattern ?? name),
  )
  const stems = kinds.map((kind) => kind.replace(/-(?:N|\d+)\.test$/, '').replace(/[^a-z-]/g, ''))
  return new RegExp(`^(?:${stems.join('|')})-[1-9][0-9]*\\.test$`)
}

async function listedPrice(context: OperatorContext, name: string): Promise<number | null> {
  try {
    const answer = await context.call('domains.show', { name })
    const price = isObject(answer) ? answer['price_cents'] : null
    return typeof price === 'number' ? price : null
  } catch (error) {
    if (error instanceof SandboxRefusal) return null
    throw error
  }
}
