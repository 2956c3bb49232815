import type { ChalkInstance } from 'chalk'
import type { CreatedThing, RunResult, RunVerdict } from '../result/result.ts'
import { isSelection, selectedChecks, selectionPassed } from '../result/selected-checks.ts'
import { escapeLine } from './escape.ts'
import { RESULT_WORDS } from './result-words.ts'
import { VOID } from './standing.ts'

export const LABEL_WIDTH = 14

const VERDICT_WORDS: Readonly<Record<RunVerdict, string>> = {
  conforming: 'conforming: every requirement of this run passed',
  non_conforming: 'NON-CONFORMING: at least one requirement failed',
  not_fully_verified: 'NOT FULLY VERIFIED: no requirement failed, but not every one passed',
  void: `VOID: ${VOID}`,
}

/** The end of the report: the verdict, the target, the counts, and the budget used. */
export function summaryLines(result: RunResult, paint: ChalkInstance, keepsNothing = false): string[] {
  const { checks, requirements } = result.summary
  const { passed, total } = selectedChecks(result)
  const row = (label: string, value: string) => `${paint.dim(label.padEnd(LABEL_WIDTH + 2))}${value}`
  return [
    row('Verdict', paintVerdict(result, paint)),
    ...(result.interrupted ? [row('', paint.yellow('INTERRUPTED: checks that did not run are missing'))] : []),
    row('Target', escapeLine(`${result.target.url} (${result.target.environment})`)),
    ...(isSelection(result) ? [row('Selected', `${passed} of ${total} checks passed`)] : []),
    row('Profile', escapeLine(`${result.profile.name} (${result.profile.requirements.length} requirements)`)),
    row('Checks', counts(checks, { fail: knownNote(result) })),
    row('Requirements', counts(requirements, { shown: ` of ${result.profile.requirements.length}` })),
    row('Used', `${billOf(result, keepsNothing)}, ${(result.durationMs / 1000).toFixed(1)} s`),
  ]
}

function paintVerdict(result: RunResult, paint: ChalkInstance): string {
  const chosen = selectionPassed(result)
  if (chosen !== null) return paint.green(paint.bold(`${chosen}; the other scenarios of the profile were not run`))
  const words = paint.bold(allIsKnown(result) ? 'NON-CONFORMING: known failures only' : VERDICT_WORDS[result.verdict])
  if (result.verdict === 'conforming') return paint.green(words)
  return result.verdict === 'not_fully_verified' || allIsKnown(result) ? paint.yellow(words) : paint.red(words)
}

function allIsKnown(result: RunResult): boolean {
  const failures = result.scenarios.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict === 'fail'))
  return failures.length > 0 && failures.every(({ known }) => known !== undefined)
}

function knownNote({ scenarios }: RunResult): string {
  const known = scenarios.flatMap(({ checks }) => checks.filter((check) => check.known !== undefined)).length
  return known === 0 ? '' : ` (${known} of them known)`
}

function counts<Name extends keyof typeof RESULT_WORDS>(
  byName: Readonly<Record<Name, number>>,
  notes: Readonly<Partial<Record<Name, string>>>,
): string {
  const words = (Object.keys(byName) as Name[])
    .filter((name) => byName[name] > 0)
    .map((name) => `${byName[name]} ${RESULT_WORDS[name]}${notes[name] ?? ''}`)
  return words.length === 0 ? 'none' : words.join(', ')
}

/** What the run used of its budget. A kind that no scenario declares and the run did not use is left out. */
function billOf({ plan, summary, created, target }: RunResult, keepsNothing: boolean): string {
  const used = (count: number, kind: 'requests' | 'orders' | 'quotes'): string =>
    plan.budget[kind] === null ? `${count} ${kind}` : `${count} of ${plan.budget[kind]} ${kind}`
  const requests = used(summary.requests, 'requests')
  // A receiver only gets events about orders. What a sandbox of our own held, copies of its world included, costs nothing.
  if (keepsNothing || target.environment === 'receiver') return requests
  const made = (kind: CreatedThing['kind']): number => created.filter((thing) => thing.kind === kind).length
  return [
    requests,
    ...(plan.orders + made('order') > 0 ? [used(made('order'), 'orders')] : []),
    ...(plan.quotes + made('quote') > 0 ? [used(made('quote'), 'quotes')] : []),
    ...(plan.webhooks + made('webhook') > 0 ? [`${made('webhook')} webhooks`] : []),
  ].join(', ')
}
