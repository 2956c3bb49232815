import { counted, grouped } from '../../contract/words.ts'
import { escapeLine, escapeMarkdown, fenceFor, MAX_VALUE_CHARACTERS, markdownCode, shorten } from './escape.ts'
import { failureFacts, followText, observedRemarks, type Remark, remarksOf } from './failure-facts.ts'
import { ADDITIONS_TITLE } from './not-verified.ts'
import {
  checkCountsText,
  createdOf,
  createdTitle,
  earlyEnd,
  headlineOf,
  OUTCOME_OF,
  placesOf,
  type RenderOptions,
  type Reporter,
  type ReportModel,
  scenariosOf,
} from './report-model.ts'

/** For a step summary of GitHub, or a comment on a merge request: what failed first, in less than GitHub takes. */
export const markdown: Reporter = {
  render: (model, options) =>
    withinLimit([
      heading(model),
      ...section('Failed', [
        ...failedTable(model),
        ...model.failed.flatMap((failed) => failedBlocks(failed, model, options)),
      ]),
      ...remarksOf(model).flatMap(([heading, remarks]) => section(heading, remarks.map(remarkLine))),
      ...section('Requirements that were not verified', model.run.verdict === 'void' ? [] : notVerified(model)),
      ...section('What was not verified, and why', reasons(model)),
      ...section(ADDITIONS_TITLE, additions(model)),
      ...section('Observed where the document leaves a choice', observedRemarks(model.run).map(remarkLine)),
      ...section(createdTitle(model), options.keepsNothing ? [] : created(model)),
    ]),
}

/** GitHub takes 1 MiB, and drops all of a summary that is larger. */
const MAX_BYTES = 1_000_000

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

const SIGNS = { good: '✅', bad: '❌', doubt: '⚠️', quiet: '⚠️' } as const

function heading(model: ReportModel): string {
  const { run, counts } = model
  const { tone, verdict, sentence } = headlineOf(model)
  const { passed, failed, inconclusive, 'not run': notRun } = counts.requirements
  const total = passed + failed + inconclusive + notRun
  const early = earlyEnd(run)
  return [
    `# Conformance: ${SIGNS[tone]} ${verdict}`,
    '',
    `${sentence} ${code(run.target.url)} (${plain(run.target.environment)}), profile ${plain(run.profile.name)}, ${run.summary.requests} requests in ${(run.durationMs / 1000).toFixed(1)} s, ${plain(`${run.tool.name} ${run.tool.version}`)}`,
    ...(early === null ? [] : ['', `**The run ${plain(early)}:** checks that did not start count as not run.`]),
    '',
    '| Requirements | passed | failed | inconclusive | not run |',
    '|---|---|---|---|---|',
    `| ${total} | ${passed} | ${failed} | ${inconclusive} | ${notRun} |`,
    '',
    `Checks: ${checkCountsText(model)}.`,
  ].join('\n')
}

/** One row for each requirement that failed. */
function failedTable({ failed }: ReportModel): string[] {
  if (failed.length === 0) return []
  const rows = failed.map(
    ({ id, requirement, checks }) => `| ${plain(id)} | ${checks.length} | ${plain(requirement?.text ?? '')} |`,
  )
  return [['| Requirement | Failed checks | What it asks for |', '|---|---|---|', ...rows, ''].join('\n')]
}

/** A requirement that failed: a block for each way in which it did. */
function failedBlocks(
  { causes }: ReportModel['failed'][number],
  { run }: ReportModel,
  options: RenderOptions,
): string[] {
  return causes.map((cause, at) => {
    const { first, checks } = cause
    const follows = followText(cause)
    const { scenario, check, requirement } = first
    const facts = failureFacts(first, run.target.url, options, scenariosOf(checks))
    const commands = facts.flatMap(({ text, isCommand }) => (isCommand ? [text] : []))
    const fence = fenceFor(commands, 3)
    const title = `### ${plain(check.requirement)}: ${plain(requirement?.text ?? scenario.title)}`
    return [
      ...(at === 0 ? [title, ''] : []),
      ...(at === 0 && requirement && requirement.section !== '' ? [`- document: ${plain(requirement.section)}`] : []),
      `- ${checks.length === 1 ? 'check' : `${checks.length} checks`}: ${code(placesOf(checks))}`,
      ...facts.flatMap(({ label, text, isCommand }) => (isCommand ? [] : [`- ${label}: ${code(text)}`])),
      ...(follows === null ? [] : [`- follows: ${code(follows)}`]),
      '',
      ...[`${fence}sh`, ...commands, fence, ''],
    ].join('\n')
  })
}

function remarkLine({ ids, places, says, more }: Remark): string {
  return `- ${plain(ids)} ${code(places)}: ${code(says)}${more === '' ? '' : `; ${plain(more)}`}`
}

/** By area, which is the word in front of the number. What the selection left out is counted with the reasons. */
function notVerified({ run, notVerified: groups }: ReportModel): string[] {
  const open = new Set(groups.flatMap(({ chosen, requirements }) => (chosen ? [] : requirements)))
  const rows = run.requirements.filter(({ id }) => open.has(id))
  const left = new Set(groups.flatMap(({ chosen, requirements }) => (chosen ? requirements : [])))
  const count = [...left].filter((id) => !open.has(id)).length
  const areas = [...grouped(rows, ({ id }) => id.replace(/-[^-]*$/, ''))].map(([area, own]) =>
    [
      `\n**${plain(area)}** (${own.length})\n`,
      '| Requirement | Status | What it asks for |',
      '|---|---|---|',
      ...own.map(({ id, status, text }) => `| ${plain(id)} | ${OUTCOME_OF[status]} | ${plain(text)} |`),
    ].join('\n'),
  )
  return count === 0
    ? areas
    : [...areas, `\nThe selection left out ${counted(count, 'more requirement', 'more requirements')}.`]
}

const NOTES_SHOWN = 3

function reasons({ notVerified: groups }: ReportModel): string[] {
  return groups.map(({ reason, requirements, notes, todo, chosen }) => {
    const ids = chosen ? '' : `: ${requirements.map(plain).join(', ')}`
    const left = notes.length - NOTES_SHOWN
    const more = left > 0 ? [`\n  - and ${counted(left, 'more note')}`] : []
    const lines = [...notes.slice(0, NOTES_SHOWN).map((note) => `\n  - ${code(note)}`), ...more]
    return `- **${plain(reason)}** (${requirements.length})${ids}. ${plain(todo)}${lines.join('')}`
  })
}

function additions({ additions: lines }: ReportModel): string[] {
  const shown = lines.map(escapeLine)
  const fence = fenceFor(shown, 3)
  return lines.length === 0 ? [] : [[`${fence}yaml`, ...shown, fence].join('\n')]
}

function created({ run }: ReportModel): string[] {
  return createdOf(run).map(({ count, ids }) => `- ${plain(count)}: ${code(ids.join(', '))}`)
}

/** What a target said: nothing in it becomes a link, a mention or markup. */
function code(text: string): string {
  return markdownCode(shorten(text, MAX_VALUE_CHARACTERS))
}

/** Our own words. */
function plain(text: string): string {
  return escapeMarkdown(shorten(text, MAX_VALUE_CHARACTERS))
}
