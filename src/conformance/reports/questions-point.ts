import type { RequirementResult, RunResult } from '../result/result.ts'
import type { Answer } from './answers.ts'
import { grouped, unseenReasons } from './digest.ts'
import { escapeMarkdown, markdownCode, shorten } from './escape.ts'

/** A run with the name that the list gives its target. */
export interface NamedRun {
  name: string
  run: RunResult
  /** What it saw, by open point. */
  answers: ReadonlyMap<string, readonly Answer[]>
}

/** One side of an open point, with every answer to it. */
interface Side {
  about: string
  seen: Seen[]
  /** Targets of which nothing was seen. */
  missing: string[]
}

interface Seen extends Omit<Answer, 'about'> {
  names: string[]
}

/** What was seen of an open point, side by side. */
export function sidesOf(id: string, runs: readonly NamedRun[]): Side[] {
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
export function differs({ seen }: Side): boolean {
  return new Set(seen.map(({ value }) => value)).size > 1
}

/** An open point with what was seen of it. */
export function pointLines(row: RequirementResult, sides: readonly Side[], runs: readonly NamedRun[]): string[] {
  return [...heading(row), ...sides.flatMap((side) => sideLines(side, runs)), '']
}

export function heading({ id, text, section }: Pick<RequirementResult, 'id' | 'text' | 'section'>): string[] {
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
export function by(names: readonly string[], runs: readonly NamedRun[]): string {
  if (runs.length === 1) return ''
  return ` by ${names.length === runs.length ? 'all' : names.join(', ')}`
}

const MAX_VALUE_CHARACTERS = 200

/** What a target said, cut where it is long. */
export function codeOf(text: string): string {
  return markdownCode(shorten(text, MAX_VALUE_CHARACTERS))
}

/** A point nothing was seen of, and why. */
export function unseenLine(row: RequirementResult, runs: readonly NamedRun[]): string {
  return `- **${escapeMarkdown(row.id)}**${under(row.section)}: ${escapeMarkdown(row.text)} *${whyUnseen(row, runs)}*`
}

function whyUnseen(row: RequirementResult, runs: readonly NamedRun[]): string {
  if (row.unobservable !== undefined) return `No caller can see it: ${escapeMarkdown(row.unobservable)}`
  const reasons = runs.map(({ run }) => unseenReasons(run, row.id).map(reasonText).join('; '))
  const words = reasons.map((reason) => (reason === '' ? 'no scenario of the run observes it' : reason))
  const [first = ''] = words
  if (words.every((word) => word === first)) return first
  return words.map((word, at) => `${runs[at]?.name}: ${word}`).join('. ')
}

function reasonText(reason: string): string {
  return escapeMarkdown(shorten(reason, MAX_VALUE_CHARACTERS))
}
