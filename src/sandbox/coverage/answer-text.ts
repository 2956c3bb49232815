import { type ErrorCode, isErrorCode } from '../../contract/errors.ts'

/** Where a thing starts that was in no state before. */
export const NEW = 'NEW'

/** @example edge('OPEN', 'DEAL_CLOSED') // 'OPEN>DEAL_CLOSED' */
export function edge(from: string, to: string): string {
  return `${from}>${to}`
}

// Answers are searched as text, in a quarter of the time that parsing takes, because every order that is sold comes by here. No text of a
// caller can look like a name of JSON: its quotes are escaped.

/**
 * Every step that the timelines of an answer show: of one order or case, or of a page of them.
 *
 * @example stepsIn('{"timeline":[{"status":"OPEN"},{"status":"DEAL_CLOSED"}]}') // [['NEW', 'OPEN'], ['OPEN', 'DEAL_CLOSED']]
 */
export function stepsIn(body: string): [from: string, to: string][] {
  const steps: [string, string][] = []
  // Null before the first timeline.
  let before: string | null = null
  for (const [, state] of body.matchAll(/"timeline":\s*\[|\{\s*"status":\s*"([^"]*)"/g)) {
    if (state === undefined) before = NEW
    else if (before !== null) {
      if (state !== before) steps.push([before, state])
      before = state
    }
  }
  return steps
}

/** An event as the history shows it. */
export interface ShownEvent {
  readonly id: string
  readonly type: string
}

/** The events of a page of the history. */
export function eventsIn(body: string): ShownEvent[] {
  const found = body.matchAll(/"id":\s*"([^"]*)",\s*"type":\s*"([^"]*)"/g)
  return [...found].map(([, id, type]) => ({ id: id as string, type: type as string }))
}

/** The state of the first thing that an answer shows; empty if it shows none. */
export function statusIn(body: string): string {
  return /"status":\s*"([^"]*)"/.exec(body)?.[1] ?? ''
}

/** The code of the document that a refusal carries, in any layout; null for any other. */
export function codeIn(body: string): ErrorCode | null {
  const found = /"code":\s*"([^"]*)"/.exec(body)?.[1]
  return isErrorCode(found) ? found : null
}
