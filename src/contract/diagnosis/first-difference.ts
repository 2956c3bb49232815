import { LINE_NAMES } from './frames.ts'

/** Where two canonical strings part, for a person. */
export interface FirstDifference {
  /** The document's name of the line. */
  readonly line: string
  /** Counted from 1. */
  readonly lineNumber: number
  /** Counted from 1, in characters. */
  readonly column: number
  /** That line of the right string, and of the one that was signed; null where there is none. */
  readonly expected: string | null
  readonly signed: string | null
}

/**
 * The first character in which a signed string differs from the right one; null where there is none.
 *
 * @example firstDifference('GET\n/a', 'get\n/a') // { line: 'METHOD', lineNumber: 1, column: 1, expected: 'GET', signed: 'get' }
 */
export function firstDifference(expected: string, signed: string): FirstDifference | null {
  if (expected === signed) return null
  let at = 0
  while (expected[at] === signed[at]) at++
  const before = expected.slice(0, at)
  const lineNumber = before.split('\n').length
  return {
    line: LINE_NAMES[Math.min(lineNumber, LINE_NAMES.length) - 1] as string,
    lineNumber,
    column: at - before.lastIndexOf('\n'),
    expected: expected.split('\n')[lineNumber - 1] ?? null,
    signed: signed.split('\n')[lineNumber - 1] ?? null,
  }
}
