import type { RequirementRegistry } from '../../conformance/format/requirements.ts'
import type {
  BadServerRun,
  CheckName,
  GapVariationRun,
  RequirementRow,
  SelftestResult,
} from '../../proof/self-test/result.ts'

/**
 * The results of the self-test of the runner, as a page: requirement by defect, choices, servers that are not a partner API,
 * and what is not proved. It holds only results of a run and no times, so it changes only if the results change.
 */
export function proofPage(result: SelftestResult, registry: RequirementRegistry): string {
  return [
    '# Self-test results',
    '',
    'Made by `partner-sandbox selftest --write-docs docs/proof.md`; every line is a result of that run.',
    ...countLines(result),
    ...requirementLines(result.requirements, registry),
    ...freedomLines(result.freedoms),
    ...degenerateLines(result.degenerates),
    ...neverRedLines(result.neverRed),
    ...unobservableLines(registry),
    '',
  ].join('\n')
}

function countLines({ sound, defects, freedoms, degenerates }: SelftestResult): string[] {
  const killed = defects.filter(({ killedBy, failure }) => killedBy.length > 0 && failure === null).length
  const quiet = freedoms.filter(({ red, failure }) => red.length === 0 && failure === null).length
  return [
    '',
    `- the sound sandbox: ${sound?.verdict ?? 'not tried'}, ${sound?.passed.length ?? 0} checks passed`,
    `- defects: ${killed} of ${defects.length} killed, each by a check of a requirement that it breaks`,
    `- legal choices: ${quiet} of ${freedoms.length} runs without a red check`,
    `- servers that are not a partner API: ${degenerates.length} tried`,
  ]
}

function requirementLines(rows: readonly RequirementRow[], registry: RequirementRegistry): string[] {
  const lines = rows.map(({ id, checks, killed, unnoticed }) => {
    const text = registry.requirements.get(id)?.text ?? ''
    const left =
      unnoticed.length === 0 ? '' : `; noticed by checks of other requirements: ${unnoticed.map(code).join(', ')}`
    return `| ${id} | ${cell(text)} | ${checks} | ${killed.length} | ${killed.map(code).join(', ')}${left} |`
  })
  return [
    ...['', '## Requirements and the defects that their checks kill', ''],
    '| requirement | | checks | killed | defects |',
    '|---|---|--:|--:|---|',
    ...lines,
  ]
}

/** By open point: what else a target may do there, each value alone, and draws of all of them. */
function freedomLines(runs: readonly GapVariationRun[]): string[] {
  const alone = runs.filter(({ choice }) => choice.includes('='))
  const gaps = [...new Set(alone.map(({ choice }) => choice.split('=')[0] ?? ''))]
  const lines = gaps.map((gap) => {
    const of = alone.filter(({ choice }) => choice.startsWith(`${gap}=`))
    const values = of.map(({ choice }) => choice.slice(gap.length + 1)).join(' · ')
    return `| \`${gap}\` | ${cell(values)} | ${of.length} | ${of.filter(isRed).length} |`
  })
  const mixed = runs.filter(({ choice }) => !choice.includes('='))
  return [
    ...['', '## Legal choices, under which no check of any requirement may turn red', ''],
    'The whole suite was run under each of these values alone; the usual value of each is that of the sound sandbox.',
    ...['', '| choice | tried instead | runs | red |', '|---|---|--:|--:|', ...lines],
    ...['', `All choices at once: ${mixed.length} mixes, ${mixed.filter(isRed).length} with a red check.`],
  ]
}

const isRed = ({ red, failure }: GapVariationRun): boolean => red.length > 0 || failure !== null

function degenerateLines(runs: readonly BadServerRun[]): string[] {
  const lines = runs.map(({ name, isOdd, verdict, harnessErrors, failure }) => {
    const note = failure ?? (isOdd ? 'odd, but the document allows it' : '')
    return `| ${cell(name)} | ${verdict ?? 'none'} | ${harnessErrors} | ${cell(note)} |`
  })
  return [
    ...['', '## Servers that are not a partner API, or hostile ones', ''],
    'Those that fail intermittently forward other calls to a sound sandbox. Reports about these servers hold no control characters.',
    ...['', '| a server that | verdict | errors of the runner | |', '|---|---|--:|---|', ...lines],
  ]
}

function neverRedLines(checks: readonly CheckName[]): string[] {
  const lines = checks.map(({ scenario, step, requirement }) => `- \`${scenario}#${step}\` (${requirement})`)
  return ['', '## Checks that no defect turns red', '', ...(lines.length > 0 ? lines : ['None.'])]
}

function unobservableLines({ unobservable }: RequirementRegistry): string[] {
  return ['', '## What cannot be tested from outside', '', ...[...unobservable].map(([id, why]) => `- ${id}: ${why}`)]
}

const code = (text: string) => `\`${text}\``
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ').trim()
