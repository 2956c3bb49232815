import type { ChalkInstance } from 'chalk'
import { counted } from '../../contract/words.ts'
import type { CheckVerdict, CreatedThing, Observation, RunResult } from '../result/result.ts'
import { adviceFor } from './advice.ts'
import { answerText } from './answers.ts'
import { checksWith, grouped, newChecks, saidTogether, seenAndWhy } from './digest.ts'
import { escapeLine, shorten } from './escape.ts'

const MAX_VALUE_CHARACTERS = 600

/** A value on one line, cut where it is long: the JSON report has it whole. */
export function cut(text: string): string {
  return shorten(escapeLine(text), MAX_VALUE_CHARACTERS)
}

/** Nothing where there are no lines. */
function section(title: string, lines: readonly string[], paint: ChalkInstance): string[] {
  return lines.length === 0 ? [] : [paint.bold(title), ...lines]
}

function itemLine(requirement: string, place: string, text: string, paint: ChalkInstance): string {
  return `  ${escapeLine(requirement)}  ${paint.dim(escapeLine(place))}  ${cut(text)}`
}

/** What the target was seen to do where the document leaves a choice. */
export function observationLines(result: RunResult, paint: ChalkInstance, verbose = false): string[] {
  const count = result.observations.length
  if (count > 0 && !verbose) return [`${counted(count, 'choice')} observed (--verbose and the html report show them)`]
  const lines = inOrderOfPoints(result).map(
    ({ gap, value, scenario }) => `  ${escapeLine(gap)}  ${cut(answerText(value))}  ${paint.dim(escapeLine(scenario))}`,
  )
  return section('Observed where the document leaves a choice', lines, paint)
}

/** Those of one point together, in the order of the registry: scenarios meet the same points in several places. */
function inOrderOfPoints({ observations, requirements }: RunResult): Observation[] {
  const places = new Map(requirements.map(({ id }, at) => [id, at]))
  const place = ({ gap }: Observation) => places.get(gap.split('/')[0] ?? '') ?? requirements.length
  return [...observations].sort((a, b) => place(a) - place(b))
}

/** Checks that a baseline does not name, in brief. */
export function briefLines(title: string, verdict: CheckVerdict, result: RunResult, paint: ChalkInstance): string[] {
  const lines = saidTogether(newChecks(result, [verdict])).flatMap(
    ({ scenario, check, exchange, requirements, steps }) => [
      itemLine(requirements, `${scenario.id} > ${steps}`, seenAndWhy(check), paint),
      ...(verdict === 'inconclusive' ? [`    to do: ${escapeLine(adviceFor(check, exchange))}`] : []),
    ],
  )
  return section(title, lines, paint)
}

/** What the target file has pinned, and what came instead. */
export function driftLines(result: RunResult, paint: ChalkInstance): string[] {
  const lines = checksWith(result, ['drift']).map(({ scenario, check }) =>
    itemLine(check.requirement, `${scenario.id} > ${check.step}`, `${check.actual} (${check.expected})`, paint),
  )
  return section('Drifted from the pinned answer', lines, paint)
}

/** Mostly failures; a baseline may name whatever is not green. */
const NOT_GREEN: readonly CheckVerdict[] = ['fail', 'inconclusive', 'tolerated', 'drift', 'not_run', 'harness_error']

/** Failures that the baseline names: violations all the same, and nothing new. */
export function knownLines(result: RunResult, paint: ChalkInstance): string[] {
  const lines = checksWith(result, NOT_GREEN).flatMap(({ scenario, check: { requirement, step, actual, known } }) => {
    if (known === undefined) return []
    const line = itemLine(requirement, `${scenario.id} > ${step}`, actual, paint)
    return [line, `    ${cut(`${known.reason} (until ${known.until})`)}`]
  })
  return section('Known failures, named by the baseline', lines, paint)
}

/** What is said above the things that a run made: a receiver only hears of them. */
export function createdTitle({ target: { environment } }: RunResult): string {
  return environment === 'receiver' ? 'Made up, and told to the receiver' : 'Created on the target, and left there'
}

export function createdLines(result: RunResult, paint: ChalkInstance): string[] {
  const lines = [...grouped(result.created, ({ kind }) => kind)].map(
    ([kind, things]) => `  ${counted(things.length, kind.replaceAll('_', ' '))}: ${firstFew(things)}`,
  )
  return section(createdTitle(result), lines, paint)
}

const IDS_SHOWN = 3
const MAX_ID_CHARACTERS = 100

/** The JSON report has them all. */
function firstFew(things: readonly CreatedThing[]): string {
  const shown = things.slice(0, IDS_SHOWN).map(({ id }) => shorten(escapeLine(id), MAX_ID_CHARACTERS))
  const left = things.length - shown.length
  return left === 0 ? shown.join(', ') : `${shown.join(', ')} and ${left} more`
}
