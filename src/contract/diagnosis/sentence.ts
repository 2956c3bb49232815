import type { Mistake } from './mistake.ts'

/**
 * Mistakes as one sentence.
 *
 * @example sentenceOf([mistake('query-raw')]) // 'The query was signed raw, …'
 */
export function sentenceOf(mistakes: readonly Mistake[]): string {
  const text = mistakes.map(({ says }) => says).join('; and ')
  const end = /[.?!]$/.test(text) ? '' : '.'
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${end}`
}

/** What is said where no known mistake leads to a signature. */
export const UNEXPLAINED_SENTENCE =
  'No known mistake, alone or in a pair, leads to this signature: either another secret was used, or something changed the request on its way, or more than two things are wrong. Compare the canonical string with the one that was signed.'
