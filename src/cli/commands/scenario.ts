import type { Command } from 'commander'
import { loadScenarios } from '../../conformance/format/load-scenarios.ts'
import { loadRequirements } from '../../conformance/format/requirements.ts'
import { needsOf } from '../../conformance/format/step-facts.ts'
import { coverageOf, isUncovered } from '../../conformance/format/suite-coverage.ts'
import { counted } from '../../contract/words.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { refuseUnreadable } from '../files.ts'
import { choiceOption, nonEmpty } from '../option-parsers.ts'
import { problemLines } from '../output/problem-lines.ts'
import { type Column, table } from '../output/table.ts'
import { readScenarios, SCENARIOS_DIRECTORY } from '../read-scenarios.ts'
import { EXPORT_FORMATS, type ExportFormat } from '../scenario/export-formats.ts'
import { CliError, type Session } from '../session.ts'

export function configure(command: Command, session: Session): void {
  command
    .command('lint')
    .description('check scenario files; print one line per problem: file:line:column message')
    .argument('[paths...]', 'files or folders (default: the scenarios of this package)')
    .action((paths: string[]) => lint(paths, session))
  command
    .command('list')
    .description('list scenarios and what they prove')
    .argument('[paths...]', 'files or folders (default: the scenarios of this package)')
    .option('--coverage', 'list requirements instead, each with the scenarios that prove or observe it')
    .option('--json', 'print JSON')
    .action((paths: string[], options: { coverage?: boolean; json?: boolean }) => list(paths, options, session))
  command
    .command('new')
    .description('write a first version of a scenario for a requirement')
    .argument('<requirement>', 'an id such as NONCE-01')
    .option('--area <area>', 'the folder under scenarios/ (default: that of similar scenarios)')
    .option('--out <file>', 'where to write it (default: scenarios/AREA/ID.yaml); an existing file is kept')
    .action(async (id: string, options: { area?: string; out?: string }) => {
      const { newScenario } = await import('../scenario/new-scenario.ts')
      newScenario(id, options, session)
    })
  command
    .command('export')
    .description('write the calls of a scenario for curl, the JetBrains HTTP Client or Bruno, which sign them')
    .argument('<id>', 'a scenario such as orders/price-mismatch, or its file')
    .argument('[paths...]', 'files or folders that have it (default: the scenarios of this package)')
    .addOption(choiceOption('--format <format>', 'curl, http or bruno', EXPORT_FORMATS).default('curl'))
    .option('--out <dir>', 'folder of the files (default: print the file; required for bruno)', nonEmpty)
    .action(async (id: string, paths: string[], options: { format: ExportFormat; out?: string }) => {
      // It makes the calls, for which it needs the runner and a server.
      const { exportScenario } = await import('../scenario/export-scenario.ts')
      await exportScenario(id, paths, options, session)
    })
  command
    .command('explain')
    .description('explain what shows a requirement, or what a scenario does')
    .argument('<id>', 'a requirement such as NONCE-01, a scenario such as auth/nonce-reuse, or its file')
    .argument('[paths...]', 'files or folders that have it (default: the scenarios of this package)')
    .action(async (id: string, paths: string[]) => {
      // It knows every defect, which takes a moment to load.
      const { explain } = await import('../scenario/explain.ts')
      explain(id, paths, session)
    })
}

function lint(paths: readonly string[], session: Session): void {
  for (const path of paths) refuseUnreadable(path, null, true)
  const { scenarios, problems } = loadScenarios(paths.length > 0 ? paths : SCENARIOS_DIRECTORY, loadRequirements())
  if (problems.length > 0) {
    session.out(problemLines(problems))
    session.exitWith(EXIT_CODES.usage)
    return
  }
  if (scenarios.length === 0) throw new CliError(`no scenario file in ${paths.join(' ')}`)
  session.out(`${counted(scenarios.length, 'scenario')}, no problems\n`)
}

function list(paths: readonly string[], options: { coverage?: boolean; json?: boolean }, session: Session): void {
  const registry = loadRequirements()
  const scenarios = readScenarios(paths, registry)
  if (options.coverage) show(coverageOf(scenarios, registry), coverageText)
  else {
    const rows = scenarios.map(({ id, scenario }) => {
      const { title, proves } = scenario
      return { id, title, proves, needs: needsOf(scenario) }
    })
    const columns: Column<(typeof rows)[number]>[] = [
      ['SCENARIO', 'id'],
      ['PROVES', ({ proves }) => proves.join(' ')],
      ['TITLE', 'title'],
    ]
    show(rows, (shown) => table(shown, columns))
  }

  function show<Rows>(rows: Rows, text: (rows: Rows) => string): void {
    session.out(options.json ? `${JSON.stringify(rows, null, 2)}\n` : text(rows))
  }
}

/** Requirement by scenario; what has neither a scenario nor a reason is named at the end. */
function coverageText(rows: ReturnType<typeof coverageOf>): string {
  const lines = table(rows, [
    ['REQUIREMENT', 'id'],
    ['LEVEL', 'level'],
    [
      'SCENARIOS',
      ({ scenarios, unobservable }) => scenarios.join(' ') || (unobservable === null ? 'none' : 'cannot be observed'),
    ],
  ])
  const uncovered = rows.filter(isUncovered).map(({ id }) => id)
  return [
    `${lines}\n`,
    countLine(rows, 'must', 'requirements have a scenario'),
    countLine(rows, 'open', 'open points have an observation'),
    uncovered.length === 0 ? '' : `neither a scenario nor a reason: ${uncovered.join(' ')}\n`,
  ].join('')
}

function countLine(rows: ReturnType<typeof coverageOf>, level: 'must' | 'open', words: string): string {
  const of = rows.filter((row) => row.level === level)
  return `${of.filter(({ scenarios }) => scenarios.length > 0).length} of ${of.length} ${words}\n`
}
