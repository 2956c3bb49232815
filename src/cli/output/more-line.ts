import { escapeLine } from '../../conformance/reporters/escape.ts'
import { isRecord } from './records.ts'

/**
 * How to go on reading a list, below its table; empty where the answer was the end of it.
 *
 * @example moreLine({ next_cursor: 'ord_9' }) // '(there are more: --cursor ord_9)\n'
 */
export function moreLine(answer: unknown): string {
  const next = isRecord(answer) ? answer['next_cursor'] : null
  return typeof next === 'string' ? `(there are more: --cursor ${escapeLine(next)})\n` : ''
}
