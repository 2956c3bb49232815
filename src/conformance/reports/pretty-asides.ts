import type { CheckResult, CreatedThing, Observation, RunResult } from '../result/result.ts'
import { answerText } from './answers.ts'
import { type CheckInContext, checksWith } from './digest.ts'
import { escapeLine, shorten } from './escape.ts'
import type { Paint } from './paint.ts'

/** Longer values are cut: the JSON report has them whole. */
export const MAX_VALUE_CHARACTERS = 600

/** What the target was seen to do where the document leaves a choice. */
export function observationLines(result: RunResult, paint: Paint, verbose = false): string[] {
  const count = result.observations.length
  if (count === 0) return []
  if (!verbose)
    return [`${count} ${count === 1 ? 'choice' : 'choices'} observed (--verbose and the html report show them)`]
  return [
    paint.bold('Observed where the document leaves a choice'),
    ...inOrderOfPoints(result).map(
      ({ gap, value, scenario }) =>
        `  ${escapeLine(gap)}  ${shorten(escapeLine(answerText(value)), MAX_VALUE_CHARACTERS)}  ${paint.dim(escapeLine(scenario))}`,
    ),
  ]
}

/** Those of one point together, in the order of the registry: scenarios meet the same points in several places. */
function inOrderOfPoints({ observations, requirements }: RunResult): Observation[] {
  const places = new Map(requirements.map(({ id }, at) => [id, at]))
  const place = ({ gap }: Observation) => places.get(gap.split('/')[0] ?? '') ?? requirements.length
  return [...observations].sort((a, b) => place(a) - place(b))
}

/** What the target file has pinned, and what came instead. */
export function driftLines(result: RunResult, paint: Paint): string[] {
  const found = checksWith(result, ['drift'])
  if (found.length === 0) return []
  return [
    paint.bold('Drifted from the pinned answer'),
    ...found.map(({ scenario, check }) => {
      const outcome = escapeLine(`${check.actual} (${check.expected})`)
      return `  ${escapeLine(check.requirement)}  ${paint.dim(placeOf(scenario, check))}  ${shorten(outcome, MAX_VALUE_CHARACTERS)}`
    }),
  ]
}

/** Failures that the baseline names: violations all the same, and nothing new. */
export function knownLines(result: RunResult, paint: Paint): string[] {
  const known = knownOnes(result)
  if (known.length === 0) return []
  return [
    paint.bold('Known failures, named by the baseline'),
    ...known.flatMap(({ scenario, check }) => [
      `  ${escapeLine(check.requirement)}  ${paint.dim(placeOf(scenario, check))}  ${shorten(escapeLine(check.actual), MAX_VALUE_CHARACTERS)}`,
      `    ${shorten(escapeLine(`${check.known?.reason ?? ''} (until ${check.known?.until ?? ''})`), MAX_VALUE_CHARACTERS)}`,
    ]),
  ]
}

/** Mostly failures; a baseline may name whatever is not green. */
function knownOnes(result: RunResult): CheckInContext[] {
  return checksWith(result, ['fail', 'inconclusive', 'tolerated', 'drift', 'not_run', 'harness_error']).filter(
    ({ check }) => check.known !== undefined,
  )
}

/** Scenario and step, safe on a terminal. */
export function placeOf({ id }: CheckInContext['scenario'], { step }: Pick<CheckResult, 'step'>): string {
  return escapeLine(`${id} > ${step}`)
}

/** What is said above the things that a run made: a receiver only hears of them. */
export function createdTitle({ target: { environment } }: RunResult): string {
  return environment === 'receiver' ? 'Made up, and told to the receiver' : 'Created on the target, and left there'
}

export function createdLines(result: RunResult, paint: Paint): string[] {
  if (result.created.length === 0) return []
  const kinds = new Map<CreatedThing['kind'], string[]>()
  for (const { kind, id } of result.created) kinds.set(kind, [...(kinds.get(kind) ?? []), escapeLine(id)])
  return [
    paint.bold(createdTitle(result)),
    ...[...kinds].map(([kind, ids]) => `  ${countOf(kind, ids.length)}: ${firstFew(ids)}`),
  ]
}

const IDS_SHOWN = 3
const MAX_ID_CHARACTERS = 100

function countOf(kind: CreatedThing['kind'], count: number): string {
  return `${count} ${kind.replaceAll('_', ' ')}${count === 1 ? '' : 's'}`
}

/** The JSON report has them all. */
function firstFew(ids: readonly string[]): string {
  const shown = ids.slice(0, IDS_SHOWN).map((id) => shorten(id, MAX_ID_CHARACTERS))
  const left = ids.length - shown.length
  return left === 0 ? shown.join(', ') : `${shown.join(', ')} and ${left} more`
}
