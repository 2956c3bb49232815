import { grouped } from '../../contract/words.ts'
import type { RequirementRegistry } from '../format/requirements.ts'
import { shown } from '../format/values.ts'
import type { CheckResult, Observation, RequirementResult, RunResult } from '../result/result.ts'
import { escapeMarkdown, markdownCode, shorten } from './escape.ts'
import { whyNot } from './not-verified.ts'

/** What a target was seen to do with one side of an open point. */
export interface ObservedAnswer {
  /** Which side, where the point has several; else empty. */
  about: string
  /** In one line. */
  value: string
  /** Where it was seen, each once. */
  scenarios: string[]
  /** The other answer, which the target file has pinned; null if there is no pin or the answer still matches it. */
  pinned: string | null
}

/**
 * The observations of a run by requirement, in the order they were made; the same answer seen twice is one.
 *
 * @example answersOf(run).get('AUTH-17') // [{ about: 'replay_detected', value: '401', scenarios: [...], pinned: null }]
 */
export function answersOf(run: RunResult): Map<string, ObservedAnswer[]> {
  const observed = run.scenarios.flatMap(({ id, checks }) =>
    checks.filter(({ verdict }) => verdict === 'observed' || verdict === 'drift').map((check) => ({ id, check })),
  )
  const checks = grouped(observed, ({ id, check }) => JSON.stringify([id, check.requirement]))
  const answers = new Map<string, ObservedAnswer[]>()
  for (const observation of run.observations) {
    const [id = '', ...sides] = observation.gap.split('/')
    // Each scenario makes one check with each observation, and the check does not say which side it is about.
    const check = checks.get(JSON.stringify([observation.scenario, id]))?.shift()?.check
    const own = answers.get(id) ?? []
    answers.set(id, own)
    noteAnswer(own, sides.join('/'), observation, pinnedInstead(observation, check))
  }
  return answers
}

function noteAnswer(
  own: ObservedAnswer[],
  about: string,
  { value, scenario }: Observation,
  pinned: string | null,
): void {
  const text = answerText(value)
  const same = own.find((answer) => answer.about === about && answer.value === text)
  if (!same) own.push({ about, value: text, scenarios: [scenario], pinned })
  else if (!same.scenarios.includes(scenario)) same.scenarios.push(scenario)
}

/** A value as the reports write it. */
export function answerText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
}

function pinnedInstead({ value }: Observation, check: CheckResult | undefined): string | null {
  return check?.verdict === 'drift' && check.actual === shown(value)
    ? check.expected.replace(/^(?:as )?pinned: /, '')
    : null
}

/**
 * The points that the document leaves open or answers twice, with what each target was seen to do, as Markdown for the API's
 * owner. Points on which targets differ come first. Points that were not observed come last, with the reason.
 *
 * @param conflicts the rows of the registry. Without them only the conflicts that a run observed are listed.
 * @example questionsOf([staging, sandbox], registry.conflicts)
 */
export function questionsOf(results: readonly RunResult[], conflicts: RequirementRegistry['conflicts'] = []): string {
  const runs = results.map((run, at) => ({ name: results.length === 1 ? 'the target' : `target ${at + 1}`, run }))
  const points = pointsOf(runs)
  const seen = points.filter(({ answers }) => answers.length > 0)
  const lines = (chosen: readonly Point[]) =>
    chosen.map((point) => [...heading(point.row), ...sidesOf(point, runs), ''])
  const unseen = points.filter(({ answers }) => answers.length === 0).map(({ row }) => [unseenLine(row, runs)])
  const parts = [
    introduction(runs, points.length),
    section('Different answers', lines(seen.filter(differs))),
    section(runs.length > 1 ? 'Same answer' : 'Answered', lines(seen.filter((point) => !differs(point)))),
    section('Contradictions in the document', conflictLines(runs, conflicts)),
    section('Not observed', unseen),
  ]
  return `${parts.flat().join('\n').trimEnd()}\n`
}

/** A run with the name that the list gives its target. */
interface NamedRun {
  readonly name: string
  readonly run: RunResult
}

/** An open point, with every answer to it. */
interface Point {
  readonly row: RequirementResult
  readonly answers: readonly (ObservedAnswer & { name: string })[]
}

/** Runs of other editions may have other rows: each once. */
function pointsOf(runs: readonly NamedRun[]): Point[] {
  const rows = runs.flatMap(({ run }) => run.requirements).filter(({ level }) => level === 'open')
  const answers = runs.map(({ name, run }) => ({ name, byId: answersOf(run) }))
  return [...grouped(rows, ({ id }) => id).values()].flatMap(([row]) =>
    row === undefined
      ? []
      : [
          {
            row,
            answers: answers.flatMap(({ name, byId }) => (byId.get(row.id) ?? []).map((one) => ({ ...one, name }))),
          },
        ],
  )
}

/** Whether two targets, or two scenarios of one, got different answers to one side of the point. */
function differs({ answers }: Point): boolean {
  return [...grouped(answers, ({ about }) => about).values()].some(
    (own) => new Set(own.map((one) => one.value)).size > 1,
  )
}

function introduction(runs: readonly NamedRun[], count: number): string[] {
  const what = runs.length === 1 ? 'one target does' : `${runs.length} targets do`
  return [
    '# Open points of the Partner Commerce API',
    '',
    `The document leaves ${count} points open that a client can observe. This report shows what ${what}. None of it counts against a target. These are questions for the owner of the document: an answer there settles the point for every client and server.`,
    '',
    ...runs.map(({ name, run }) => `- **${name}**: ${aboutRun(run)}`),
    '',
  ]
}

function aboutRun({ target, startedAt, tool, identity, interrupted }: RunResult): string {
  const day = /^\d{4}-\d\d-\d\d/.exec(startedAt)?.[0] ?? 'an unknown day'
  const words = [
    markdownCode(target.url),
    `environment ${escapeMarkdown(target.environment)}`,
    `seen on ${day} by ${escapeMarkdown(`${tool.name} ${tool.version}`)}`,
    `edition ${markdownCode(identity.edition)} of the requirements`,
    ...(interrupted ? ['the run was interrupted'] : []),
  ]
  return words.join(', ')
}

function section(title: string, points: readonly string[][]): string[] {
  return points.length === 0 ? [] : [`## ${title} (${points.length})`, '', ...points.flat()]
}

function heading({ id, text, section: of }: Pick<RequirementResult, 'id' | 'text' | 'section'>): string[] {
  return [`### ${escapeMarkdown(id)}`, '', `${escapeMarkdown(text)}${under(of)}`, '']
}

function under(of: string): string {
  return of === '' ? '' : ` (under “${escapeMarkdown(of)}”)`
}

/** What was seen of an open point, side by side. */
function sidesOf({ answers }: Point, runs: readonly NamedRun[]): string[] {
  return [...grouped(answers, ({ about }) => about)].flatMap(([about, own]) => {
    const alike = [...grouped(own, ({ value, pinned }) => JSON.stringify([value, pinned])).values()]
    const missing = runs.map(({ name }) => name).filter((name) => own.every((answer) => answer.name !== name))
    const lines = [
      ...alike.map((same) => seenLine(same, runs)),
      ...(missing.length === 0 ? [] : [`not seen: ${missing.join(', ')}`]),
    ]
    if (about === '') return lines.map((line) => `- ${line}`)
    if (lines.length === 1) return [`- ${escapeMarkdown(about)}: ${lines[0]}`]
    return [`- ${escapeMarkdown(about)}:`, ...lines.map((line) => `  - ${line}`)]
  })
}

function seenLine(same: Point['answers'], runs: readonly NamedRun[]): string {
  const { value = '', pinned = null } = same[0] ?? {}
  const drift = pinned === null ? '' : `, instead of ${codeOf(pinned)} as it was before,`
  const scenarios = unique(same.flatMap((answer) => answer.scenarios))
  const names = unique(same.map(({ name }) => name))
  return `${codeOf(value)}${drift}${by(names, runs)}, in ${scenarios.map(markdownCode).join(', ')}`
}

/** Which targets, where there are several. */
function by(names: readonly string[], runs: readonly NamedRun[]): string {
  if (runs.length === 1) return ''
  return ` by ${names.length === runs.length ? 'all' : names.join(', ')}`
}

/** Where two sentences of the document give different answers: both, and which of them each target was seen to give. */
function conflictLines(runs: readonly NamedRun[], conflicts: RequirementRegistry['conflicts']): string[][] {
  const met = runs.flatMap(({ run }) => checksOf(run, 'tolerated').map(({ requirement }) => requirement))
  return unique([...conflicts.map(({ requirement }) => requirement), ...met]).map((id) => {
    const row = runs.flatMap(({ run }) => run.requirements).find((requirement) => requirement.id === id)
    const others = conflicts
      .filter(({ requirement }) => requirement === id)
      .map(
        ({ tolerates, why }) =>
          `- another sentence allows ${tolerates.map(markdownCode).join(', ')}: ${escapeMarkdown(why)}`,
      )
    return [...(row ? heading(row) : [`### ${escapeMarkdown(id)}`, '']), ...others, ...answersTo(id, runs), '']
  })
}

/** Answers by their beginning, which names status and code; what follows is the target's own words. */
function answersTo(id: string, runs: readonly NamedRun[]): string[] {
  const seen = runs.flatMap(({ name, run }) => {
    const checks = checksOf(run, 'pass', 'tolerated', 'fail').filter(({ requirement }) => requirement === id)
    return unique(checks.map(({ actual }) => actual.split(': ')[0] ?? '')).map((answer) => ({ answer, name }))
  })
  if (seen.length === 0) return ['- not seen']
  return [...grouped(seen, ({ answer }) => answer)].map(
    ([answer, own]) => `- seen: ${codeOf(answer)}${by(unique(own.map(({ name }) => name)), runs)}`,
  )
}

const MAX_VALUE_CHARACTERS = 200

/** What a target said, cut where it is long. */
function codeOf(text: string): string {
  return markdownCode(shorten(text, MAX_VALUE_CHARACTERS))
}

/** A point that was not observed, and why. */
function unseenLine(row: RequirementResult, runs: readonly NamedRun[]): string {
  return `- **${escapeMarkdown(row.id)}**${under(row.section)}: ${escapeMarkdown(row.text)} *${whyUnseen(row, runs)}*`
}

function whyUnseen({ id, unobservable }: RequirementResult, runs: readonly NamedRun[]): string {
  if (unobservable !== undefined) return `Cannot be tested from outside: ${escapeMarkdown(unobservable)}`
  const words = runs.map(({ run }) => {
    const reasons = unseenReasons(run, id).map((reason) => escapeMarkdown(shorten(reason, MAX_VALUE_CHARACTERS)))
    return reasons.length === 0 ? 'no scenario of the run observes it' : reasons.join('; ')
  })
  const [first = ''] = words
  if (words.every((word) => word === first)) return first
  return words.map((word, at) => `${runs[at]?.name}: ${word}`).join('. ')
}

/** Why a run saw nothing of an open point: each reason once. Empty where no check of it was part of the run. */
function unseenReasons(run: RunResult, id: string): string[] {
  const exchangeOf = ({ exchange }: CheckResult) => run.exchanges.find((one) => one.id === exchange)
  const own = checksOf(run, 'not_run', 'inconclusive', 'harness_error').filter(({ requirement }) => requirement === id)
  return unique(own.map((check) => whyNot(check, exchangeOf(check))))
}

function checksOf(run: RunResult, ...verdicts: readonly CheckResult['verdict'][]): CheckResult[] {
  return run.scenarios.flatMap(({ checks }) => checks.filter(({ verdict }) => verdicts.includes(verdict)))
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)]
}
