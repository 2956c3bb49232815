import { durationOf } from '../format/duration-of.ts'
import type { Scenario } from '../format/scenario.ts'

/**
 * How long a scenario waits by what it says itself, in milliseconds: an answer that its hook holds back, a silence that it
 * watches. A run that begins with the longest waits meanwhile for nothing.
 */
export function waitOf({ steps }: Scenario): number {
  return steps.reduce((totalMs, { hook, quiet }) => totalMs + heldBackMs(hook) + (durationOf(quiet?.for) ?? 0), 0)
}

function heldBackMs(hook: Scenario['steps'][number]['hook']): number {
  const answer = hook?.answer
  return typeof answer === 'object' && 'after' in answer ? (durationOf(answer.after) ?? 0) : 0
}
