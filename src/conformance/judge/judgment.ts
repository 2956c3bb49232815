import type { ScenarioRun } from '../context/scenario-run.ts'
import type { Found } from '../dialect/place.ts'
import { shown } from '../format/matcher.ts'
import type { Matcher } from '../format/scenario.ts'
import type { Answer } from '../http/answer.ts'
import { withoutUndefined } from '../http/json-body.ts'
import type { NotRunReason } from '../result/result.ts'
import { findValue } from './references.ts'

/** The outcome of one expectation, before its twin is taken into account. */
export interface Judgment {
  verdict: 'pass' | 'fail' | 'tolerated' | 'inconclusive' | 'not_run'
  actual: string
  reason?: NotRunReason
  note?: string
  todo?: string
  /** The failure needs no twin: what should have been refused was accepted, or a required value is missing. */
  certain?: boolean
  /** A failure that rests on places that the runner found without a hint: it counts only if something else shows them to be right. */
  guessed?: readonly string[]
}

/** Either nothing to complain of, or the first complaint. */
export type Complaint = Judgment | null

export function failure(actual: string, note?: string): Judgment {
  return { verdict: 'fail', actual, ...withoutUndefined({ note }) }
}

export function unproven(actual: string, note?: string, todo?: string): Judgment {
  return { verdict: 'inconclusive', actual, ...withoutUndefined({ note, todo }) }
}

/** Why an answer proves nothing, where the step is not about the target's rate limit. */
export const KEPT_429 = 'the target kept answering 429'

/** What it means that a role was not found: the target's fault where the document names the key, else a gap. */
export function missing(found: Extract<Found, { found: false }>, name: string): Judgment {
  if (found.documented) return { ...failure(`no ${name}`, found.detail), certain: true }
  return { verdict: 'not_run', reason: 'needs-dialect', actual: `${name} was not found`, note: found.detail }
}

/** An answer in one line: status, code and message. */
export function answerInWords(scenarioRun: ScenarioRun, answer: Answer): string {
  if (answer.status < 400) return `${answer.status}`
  const code = findValue(scenarioRun, answer, 'error.code')
  const message = findValue(scenarioRun, answer, 'error.message')
  const words = `${answer.status} ${code.found ? shown(code.value) : 'without a code'}`
  const repeatsTheCode = code.found && message.found && message.value === code.value
  return message.found && !repeatsTheCode ? `${words}: ${shown(message.value)}` : words
}

/** A list of things (items of an answer, events, answers of a burst) and how to look into one. */
export interface Things {
  name: string
  size: number
  /** How many more there were before this scenario, which are left out. */
  earlier?: number
  /** The value of a role or path of one; a complaint where it cannot be had. */
  value(index: number, name: string): { value: unknown } | { complaint: NonNullable<Complaint> }
  judge(index: number, matchers: Record<string, Matcher>): Complaint
}

/** The value of a role or path of each of them; the first complaint where one cannot be had. */
export function valuesOf(things: Things, name: string): { values: unknown[] } | { complaint: NonNullable<Complaint> } {
  const values: unknown[] = []
  for (let index = 0; index < things.size; index++) {
    const found = things.value(index, name)
    if ('complaint' in found) return found
    values.push(found.value)
  }
  return { values }
}
