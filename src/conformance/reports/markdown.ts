import type { CheckVerdict, RunResult, RunVerdict } from '../result/result.ts'
import { selectionPassed } from '../result/selected-checks.ts'
import { answerText } from './answers.ts'
import {
  type CheckInContext,
  checksWith,
  createdTitle,
  grouped,
  newChecks,
  saidTogether,
  unverified,
  whyNot,
  withinProfile,
} from './digest.ts'
import { escapeLine, escapeMarkdown, fenceFor, markdownCode, shorten } from './escape.ts'
import type { RenderOptions, Reporter } from './reporter.ts'
import { MAX_COMMAND_CHARACTERS, reproductionOf } from './reproduce.ts'
import { RESULT_WORDS, STANDING_WORDS } from './result-words.ts'
import { standingOf, VOID } from './standing.ts'

/** For a step summary of GitHub, or a comment on a merge request: what failed first, in less than GitHub takes. */
export const markdown: Reporter = {
  render: (result, options) =>
    withinLimit([
      heading(result),
      ...section('Failures', failures(result, options)),
      ...section('Known failures', knownFailures(result)),
      ...section('Drifted from the pinned answer', brief(result, 'drift')),
      ...section('Inconclusive', [...brief(result, 'inconclusive'), ...brief(result, 'harness_error')]),
      ...section('Requirements that were not verified', notShown(result)),
      ...section('What was not verified, and why', reasons(result)),
      ...section('Observed where the document leaves a choice', observations(result)),
      ...section('Tolerated', brief(result, 'tolerated')),
      ...section(createdTitle(result), options.keepsNothing ? [] : created(result)),
    ]),
}

/** GitHub takes 1 MiB, and drops all of a summary that is larger. */
const MAX_BYTES = 1_000_000
const MAX_VALUE_CHARACTERS = 600

/** As many of the blocks as there is room for; what is left out is counted. */
function withinLimit(blocks: readonly string[]): string {
  let bytes = 0
  const shown = blocks.findIndex((block) => {
    bytes += Buffer.byteLength(block) + 1
    return bytes > MAX_BYTES
  })
  if (shown === -1) return `${blocks.join('\n')}\n`
  const left = `**This report is too long: ${blocks.length - shown} parts are left out.** The other reports have them.`
  return `${[...blocks.slice(0, shown), left].join('\n')}\n`
}

function section(title: string, blocks: readonly string[]): string[] {
  return blocks.length === 0 ? [] : [`\n## ${title}\n`, ...blocks]
}

const VERDICTS: Readonly<Record<RunVerdict, string>> = {
  conforming: '✅ conforming',
  non_conforming: '❌ non-conforming',
  not_fully_verified: '⚠️ not fully verified',
  void: `⚠️ void: ${VOID}`,
}

function heading(result: RunResult): string {
  const { verdict, target, profile, summary, durationMs, tool } = result
  const { shown, violated, inconclusive, not_exercised: left } = summary.requirements
  const chosen = selectionPassed(result)
  return [
    `# Conformance: ${chosen === null ? VERDICTS[verdict] : `✅ ${chosen}`}`,
    '',
    `${code(target.url)} (${plain(target.environment)}), profile ${plain(profile.name)}, ${summary.requests} requests in ${(durationMs / 1000).toFixed(1)} s, ${plain(`${tool.name} ${tool.version}`)}`,
    ...(result.interrupted ? ['', '**Interrupted:** checks that did not start count as not run.'] : []),
    '',
    '| Requirements | passed | failed | inconclusive | not run |',
    '|---|---|---|---|---|',
    `| ${profile.requirements.length} | ${shown} | ${violated} | ${inconclusive} | ${left} |`,
    '',
    standings(result),
  ].join('\n')
}

/** Skips, known failures and unsupported capabilities are counted separately. */
function standings(result: RunResult): string {
  const all = withinProfile(result).scenarios.flatMap(({ checks }) => checks.map(standingOf))
  const counts = [...new Set(all)].map((name) => `${all.filter((one) => one === name).length} ${STANDING_WORDS[name]}`)
  return `Checks: ${counts.length === 0 ? 'none' : counts.sort().join(', ')}.`
}

function failures(result: RunResult, options: RenderOptions): string[] {
  return newChecks(result, ['fail']).map((failure) => failureBlock(failure, result, options))
}

function failureBlock(
  { scenario, check, requirement, exchange }: CheckInContext,
  result: RunResult,
  options: RenderOptions,
) {
  const place = { scenario: scenario.id, url: result.target.url }
  const { call, note, again } = reproductionOf(exchange, place, options)
  return [
    `### ${plain(check.requirement)}: ${plain(requirement?.text ?? scenario.title)}`,
    '',
    `- scenario: ${code(`${scenario.id} > ${check.step}`)}`,
    ...(requirement && requirement.section !== '' ? [`- document: ${plain(requirement.section)}`] : []),
    `- expected: ${code(check.expected)}`,
    `- actual: ${code(check.actual)}`,
    ...(check.twin === undefined ? [] : [`- twin: ${code(check.twin)}`]),
    ...(check.note === undefined ? [] : [`- likely cause: ${code(check.note)}`]),
    ...(note === null ? [] : [`- by hand: ${code(note)}`]),
    '',
    shellBlock([...(call === null ? [] : [call]), again]),
  ].join('\n')
}

function shellBlock(commands: readonly string[]): string {
  const lines = commands.map((line) => shorten(escapeLine(line), MAX_COMMAND_CHARACTERS))
  const fence = fenceFor(lines, 3)
  return [`${fence}sh`, ...lines, fence, ''].join('\n')
}

function knownFailures(result: RunResult): string[] {
  return checksWith(result, ['fail']).flatMap(({ scenario, check: { step, requirement, known } }) => {
    if (known === undefined) return []
    const why = `${plain(known.reason)} (until ${plain(known.until)})`
    return [`- ${plain(requirement)} ${code(`${scenario.id} > ${step}`)}: ${why}`]
  })
}

function brief(result: RunResult, verdict: CheckVerdict): string[] {
  return saidTogether(checksWith(result, [verdict])).map(({ scenario, check, exchange, requirements, steps }) => {
    const why = verdict === 'drift' ? `expected ${check.expected}, got ${check.actual}` : whyNot(check, exchange)
    return `- ${plain(requirements)} ${code(`${scenario.id} > ${steps}`)}: ${code(why)}`
  })
}

/** By area, which is the word in front of the number. What the selection left out is counted with the reasons. */
function notShown(result: RunResult): string[] {
  const open = new Set(unverified(result).flatMap(({ chosen, requirements }) => (chosen ? [] : requirements)))
  const rows = result.requirements.filter(({ id }) => open.has(id))
  return [...grouped(rows, ({ id }) => id.replace(/-[^-]*$/, ''))].map(([area, own]) =>
    [
      `\n**${plain(area)}** (${own.length})\n`,
      '| Requirement | Status | What it asks for |',
      '|---|---|---|',
      ...own.map(({ id, status, text }) => `| ${plain(id)} | ${RESULT_WORDS[status]} | ${plain(text)} |`),
    ].join('\n'),
  )
}

function reasons(result: RunResult): string[] {
  return unverified(result).map(({ reason, requirements, notes, todo, chosen }) => {
    const ids = chosen ? '' : `: ${requirements.map(plain).join(', ')}`
    const lines = notes.slice(0, 3).map((note) => `\n  - ${code(note)}`)
    return `- **${plain(reason)}** (${requirements.length})${ids}. ${plain(todo)}${lines.join('')}`
  })
}

function observations(result: RunResult): string[] {
  return result.observations.map(
    ({ gap, value, scenario }) => `- ${plain(gap)}: ${code(answerText(value))} (${plain(scenario)})`,
  )
}

function created(result: RunResult): string[] {
  return result.created.map(({ kind, id }) => `- ${kind.replaceAll('_', ' ')} ${code(id)}`)
}

/** What a target said: nothing in it becomes a link, a mention or markup. */
function code(text: string): string {
  return markdownCode(shorten(text, MAX_VALUE_CHARACTERS))
}

/** Our own words. */
function plain(text: string): string {
  return escapeMarkdown(shorten(text, MAX_VALUE_CHARACTERS))
}
