import type { CheckVerdict } from '../result/result.ts'
import type { CheckGroup } from './causes.ts'
import { escapeLine, shorten } from './escape.ts'
import { failureFacts, followText, sentenceOf } from './failure-facts.ts'
import { knownText, whyNot } from './not-verified.ts'
import {
  countsText,
  earlyEnd,
  groupsWith,
  headlineOf,
  idsOf,
  placesOf,
  type RenderOptions,
  type Reporter,
  type ReportModel,
  scenariosOf,
} from './report-model.ts'

/**
 * Annotations of GitHub Actions: workflow commands for standard output. GitHub shows ten of a kind in a step, so the worst
 * come first and the tenth counts the rest.
 */
export const github: Reporter = {
  render(model, options) {
    const all = [...runAnnotations(model), ...checkAnnotations(model, options)]
    const kinds = ['error', 'warning', 'notice'] as const
    return `${kinds.flatMap((kind) => firstTen(all.filter((one) => one.kind === kind))).join('\n')}\n`
  },
}

interface Annotation {
  kind: 'error' | 'warning' | 'notice'
  title: string
  file?: string
  /** Each in a line of its own. */
  lines: string[]
}

const SHOWN_OF_A_KIND = 10
const MAX_CHARACTERS = 1_000

function firstTen(annotations: readonly Annotation[]): string[] {
  if (annotations.length <= SHOWN_OF_A_KIND) return annotations.map(command)
  const shown = annotations.slice(0, SHOWN_OF_A_KIND - 1)
  const left = annotations.length - shown.length
  const kind = shown[0]?.kind ?? 'notice'
  const lines = ['GitHub shows ten of each kind; the other reports of this run have all of them']
  return [...shown.map(command), command({ kind, title: `and ${left} more`, lines })]
}

function command({ kind, title, file, lines }: Annotation): string {
  const properties = [...(file === undefined ? [] : [`file=${property(file)}`]), `title=${property(title)}`]
  return `::${kind} ${properties.join(',')}::${data(lines)}`
}

function data(lines: readonly string[]): string {
  const text = lines.map((line) => shorten(escapeLine(line), MAX_CHARACTERS)).join('\n')
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data([text]).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

const KIND_OF = { good: 'notice', bad: 'notice', doubt: 'warning', quiet: 'error' } as const

/** The verdict is reported even if there is nothing to annotate; failures are errors of their own. */
function runAnnotations(model: ReportModel): Annotation[] {
  const { run, counts, notVerified } = model
  const { tone, verdict, sentence } = headlineOf(model)
  const early = earlyEnd(run)
  const why = notVerified.map(({ reason, requirements }) => `${reason} (${requirements.length})`)
  return [
    {
      kind: KIND_OF[tone],
      title: `Conformance: ${verdict}`,
      lines: [sentence, `${run.target.url}: requirements: ${countsText(counts.requirements)}`, ...why],
    },
    ...(early === null
      ? []
      : [
          {
            kind: 'error' as const,
            title: 'Ended early',
            lines: [`the run ${early}`, 'checks that did not start count as not run'],
          },
        ]),
  ]
}

const ROWS: readonly (readonly [Annotation['kind'], CheckVerdict])[] = [
  ['error', 'harness_error'],
  ['warning', 'inconclusive'],
  ['warning', 'drift'],
  ['notice', 'tolerated'],
]

/** One for each requirement and way in which it failed, and for each reason why others did not pass. */
function checkAnnotations(model: ReportModel, options: RenderOptions): Annotation[] {
  const failures = (failed: ReportModel['failed'], kind: Annotation['kind']) =>
    failed.flatMap(({ causes }) => causes.map((cause) => annotation(kind, cause, model, options)))
  const others = ROWS.flatMap(([kind, verdict]) =>
    groupsWith(model, verdict).map((group) => annotation(kind, group, model, options)),
  )
  return [...failures(model.failed, 'error'), ...others, ...failures(model.known, 'notice')]
}

/** GitHub shows an annotation beside a file of the checkout, and the scenarios of this package are not in it. */
function isInCheckout(file: string, ownScenarios: string | undefined): boolean {
  const isOwn = ownScenarios !== undefined && file.startsWith(`${ownScenarios}/`)
  return !isOwn && !/^\.\.[/\\]|(?:^|[/\\])node_modules[/\\]/.test(file)
}

function annotation(
  kind: Annotation['kind'],
  group: CheckGroup,
  { run }: ReportModel,
  options: RenderOptions,
): Annotation {
  const { first, checks } = group
  const { scenario, check, exchange } = first
  const follows = followText(group)
  const judged = check.verdict === 'fail' || check.verdict === 'drift'
  const facts = judged
    ? failureFacts(first, run.target.url, options, scenariosOf(checks))
    : [{ label: 'why', text: whyNot(check, exchange) }]
  const { known } = check
  return {
    kind,
    ...(isInCheckout(scenario.file, options.ownScenarios) && { file: scenario.file }),
    title: `${idsOf(checks)} ${placesOf(checks)}`,
    lines: [
      ...(known === undefined ? [] : [`known failure: ${knownText(known)}`]),
      sentenceOf(first),
      ...facts.map(({ label, text }) => `${label}: ${text}`),
      ...(follows === null ? [] : [`follows: ${follows}`]),
    ].filter((line) => line !== ''),
  }
}
