import { shown } from '../format/matcher.ts'
import type { Conflict } from '../format/requirements.ts'
import type { CheckResult, Observation, RequirementResult, RunResult } from '../result/result.ts'
import { escapeMarkdown, markdownCode, shorten } from './escape.ts'
import { grouped } from './grouped.ts'
import { whyNot } from './not-verified.ts'

/** What a target was seen to do with one side of an open point. */
export interface Answer {
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
export function answersOf(run: RunResult): Map<string, Answer[]> {
  const observed = run.scenarios.flatMap(({ id, checks }) =>
    checks.filter(({ verdict }) => verdict === 'observed' || verdict === 'drift').map((check) => ({ id, check })),
  )
  const checks = grouped(observed, ({ id, check }) => JSON.stringify([id, check.requirement]))
  const answers = new Map<string, Answer[]>()
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

function noteAnswer(own: Answer[], about: string, { value, scenario }: Observation, pinned: string | null): void {
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
  return check?.verdict === 'drift' && check.actual === shown(value) ? check.expected.replace(/^as pinned: /, '') : null
}

/**
 * The points that the document leaves open or answers twice, with what each target was seen to do, as Markdown for the API's
 * owner. Points on which targets differ come first. Points that were not observed come last, with the reason.
 *
 * @param conflicts the rows of the registry. Without them only the conflicts that a run observed are listed.
 * @example questionsOf([staging, sandbox], registry.conflicts)
 */
export function questionsOf(results: readonly RunResult[], conflicts: readonly Conflict[] = []): string {
  const runs = named(results)
  const points = openRows(results).map((row) => ({ row, sides: sidesOf(row.id, runs) }))
  const seen = points.filter(({ sides }) => sides.length > 0)
  const lines = (chosen: typeof points) => chosen.map(({ row, sides }) => pointLines(row, sides, runs))
  const unseen = points.filter(({ sides }) => sides.length === 0).map(({ row }) => [unseenLine(row, runs)])
  const parts = [
    introduction(runs, points.length),
    section('Different answers', lines(seen.filter(({ sides }) => sides.some(differs)))),
    section(runs.length > 1 ? 'Same answer' : 'Answered', lines(seen.filter(({ sides }) => !sides.some(differs)))),
    section('Contradictions in the document', conflictLines(runs, conflicts)),
    section('Not observed', unseen),
  ]
  return `${parts.flat().join('\n').trimEnd()}\n`
}

function named(results: readonly RunResult[]): NamedRun[] {
  return results.map((run, at) => ({
    name: results.length === 1 ? 'the target' : `target ${at + 1}`,
    run,
    answers: answersOf(run),
  }))
}

/** Runs of other editions may have other rows: each once. */
function openRows(results: readonly RunResult[]): RequirementResult[] {
  const rows = results.flatMap(({ requirements }) => requirements).filter(({ level }) => level === 'open')
  return [...grouped(rows, ({ id }) => id).values()].flatMap(([first]) => first ?? [])
}

function introduction(runs: readonly NamedRun[], count: number): string[] {
  return [
    '# Open points of the Partner Commerce API',
    '',
    `The document leaves ${count} points open that a client can observe. This report shows what ${runs.length === 1 ? 'one target does' : `${runs.length} targets do`}. None of it counts against a target. These are questions for the owner of the document: an answer there settles the point for every client and server.`,
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

/** Where two sentences of the document give different answers: both, and which of them each target was seen to give. */
function conflictLines(runs: readonly NamedRun[], conflicts: readonly Conflict[]): string[][] {
  const met = runs.flatMap(({ run }) => checksOf(run, 'tolerated').map(({ requirement }) => requirement))
  const ids = new Set([...conflicts.map(({ requirement }) => requirement), ...met])
  return [...ids].map((id) => [
    ...conflictHeading(runs, id),
    ...conflicts.filter(({ requirement }) => requirement === id).map(otherSentence),
    ...seenLines(runs, id),
    '',
  ])
}

function conflictHeading(runs: readonly NamedRun[], id: string): string[] {
  const row = runs.flatMap(({ run }) => run.requirements).find((requirement) => requirement.id === id)
  return row ? heading(row) : [`### ${escapeMarkdown(id)}`, '']
}

function otherSentence({ tolerates, why }: Conflict): string {
  return `- another sentence allows ${tolerates.map(markdownCode).join(', ')}: ${escapeMarkdown(why)}`
}

/** Answers by their beginning, which names status and code; what follows is the target's own words. */
function seenLines(runs: readonly NamedRun[], id: string): string[] {
  const seen = runs.flatMap(({ name, run }) => [...new Set(answersTo(run, id))].map((answer) => ({ answer, name })))
  if (seen.length === 0) return ['- not seen']
  return [...grouped(seen, ({ answer }) => answer)].map(([answer, own]) => {
    const names = own.map(({ name }) => name)
    return `- seen: ${codeOf(answer)}${by(names, runs)}`
  })
}

function answersTo(run: RunResult, id: string): string[] {
  return checksOf(run, 'pass', 'tolerated', 'fail')
    .filter(({ requirement }) => requirement === id)
    .map(({ actual }) => actual.split(': ')[0] ?? '')
}

/** A run with the name that the list gives its target. */
interface NamedRun {
  name: string
  run: RunResult
  /** What it saw, by open point. */
  answers: ReadonlyMap<string, readonly Answer[]>
}

/** One side of an open point, with every answer to it. */
interface Side {
  about: string
  seen: Seen[]
  /** Targets whose answer was not observed. */
  missing: string[]
}

interface Seen extends Omit<Answer, 'about'> {
  names: string[]
}

/** What was seen of an open point, side by side. */
function sidesOf(id: string, runs: readonly NamedRun[]): Side[] {
  const found = runs.flatMap(({ name, answers }) => (answers.get(id) ?? []).map((answer) => ({ ...answer, name })))
  return [...grouped(found, ({ about }) => about)].map(([about, own]) => {
    const alike = grouped(own, ({ value, pinned }) => JSON.stringify([value, pinned]))
    return {
      about,
      seen: [...alike.values()].flatMap((same) => same.slice(0, 1).map((first) => seenBy(first, same))),
      missing: runs.map(({ name }) => name).filter((name) => !own.some((answer) => answer.name === name)),
    }
  })
}

function seenBy({ value, pinned }: Answer, same: readonly (Answer & { name: string })[]): Seen {
  const names = [...new Set(same.map(({ name }) => name))]
  return { value, pinned, names, scenarios: [...new Set(same.flatMap(({ scenarios }) => scenarios))] }
}

/** Whether two targets, or two scenarios of one, got different answers. */
function differs({ seen }: Side): boolean {
  return new Set(seen.map(({ value }) => value)).size > 1
}

/** An open point with what was seen of it. */
function pointLines(row: RequirementResult, sides: readonly Side[], runs: readonly NamedRun[]): string[] {
  return [...heading(row), ...sides.flatMap((side) => sideLines(side, runs)), '']
}

function heading({ id, text, section }: Pick<RequirementResult, 'id' | 'text' | 'section'>): string[] {
  return [`### ${escapeMarkdown(id)}`, '', `${escapeMarkdown(text)}${under(section)}`, '']
}

function under(section: string): string {
  return section === '' ? '' : ` (under “${escapeMarkdown(section)}”)`
}

function sideLines({ about, seen, missing }: Side, runs: readonly NamedRun[]): string[] {
  const lines = [
    ...seen.map((one) => seenLine(one, runs)),
    ...(missing.length === 0 ? [] : [`not seen: ${missing.join(', ')}`]),
  ]
  if (about === '') return lines.map((line) => `- ${line}`)
  if (lines.length === 1) return [`- ${escapeMarkdown(about)}: ${lines[0]}`]
  return [`- ${escapeMarkdown(about)}:`, ...lines.map((line) => `  - ${line}`)]
}

function seenLine({ value, names, scenarios, pinned }: Seen, runs: readonly NamedRun[]): string {
  const drift = pinned === null ? '' : `, instead of ${codeOf(pinned)} as it was before,`
  return `${codeOf(value)}${drift}${by(names, runs)}, in ${scenarios.map(markdownCode).join(', ')}`
}

/** Which targets, where there are several. */
function by(names: readonly string[], runs: readonly NamedRun[]): string {
  if (runs.length === 1) return ''
  return ` by ${names.length === runs.length ? 'all' : names.join(', ')}`
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

function whyUnseen(row: RequirementResult, runs: readonly NamedRun[]): string {
  if (row.unobservable !== undefined) return `Cannot be tested from outside: ${escapeMarkdown(row.unobservable)}`
  const reasons = runs.map(({ run }) => unseenReasons(run, row.id).map(reasonText).join('; '))
  const words = reasons.map((reason) => (reason === '' ? 'no scenario of the run observes it' : reason))
  const [first = ''] = words
  if (words.every((word) => word === first)) return first
  return words.map((word, at) => `${runs[at]?.name}: ${word}`).join('. ')
}

function reasonText(reason: string): string {
  return escapeMarkdown(shorten(reason, MAX_VALUE_CHARACTERS))
}

/** Why a run saw nothing of an open point: each reason once. Empty where no check of it was part of the run. */
function unseenReasons(run: RunResult, id: string): string[] {
  const exchangeOf = ({ exchange }: CheckResult) => run.exchanges.find((one) => one.id === exchange)
  const own = checksOf(run, 'not_run', 'inconclusive', 'harness_error').filter(({ requirement }) => requirement === id)
  return [...new Set(own.map((check) => whyNot(check, exchangeOf(check))))]
}

function checksOf(run: RunResult, ...verdicts: readonly CheckResult['verdict'][]): CheckResult[] {
  return run.scenarios.flatMap(({ checks }) => checks.filter(({ verdict }) => verdicts.includes(verdict)))
}
