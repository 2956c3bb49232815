import { isDeepStrictEqual } from 'node:util'
import type { Matcher, MatcherConditions, Matchers } from './values.ts'

function isConditions(matcher: Matcher): matcher is MatcherConditions {
  if (typeof matcher !== 'object' || matcher === null || Array.isArray(matcher)) return false
  const keys = Object.keys(matcher)
  return keys.length > 0 && keys.every((key) => Object.hasOwn(TESTS, key))
}

/**
 * Whether a value is what was asked for. `value` is undefined if there is none.
 *
 * @example matches(3, { at_most: 5 }) // true
 */
export function matches(value: unknown, matcher: Matcher): boolean {
  if (!isConditions(matcher)) return isDeepStrictEqual(value, matcher)
  return (Object.entries(matcher) as [keyof MatcherConditions, never][]).every(([name, wanted]) =>
    TESTS[name](value, wanted),
  )
}

const TESTS: { [Name in keyof MatcherConditions]-?: (value: unknown, wanted: never) => boolean } = {
  equals: (value, wanted) => isDeepStrictEqual(value, wanted),
  not: (value, wanted) => !isDeepStrictEqual(value, wanted),
  matches: (value, wanted) => typeof value === 'string' && new RegExp(wanted as string, 'u').test(value),
  type: (value, wanted) => typeOf(value) === wanted || (wanted === ('number' as never) && typeOf(value) === 'integer'),
  at_least: (value, wanted) => compare(value, wanted) >= 0,
  at_most: (value, wanted) => compare(value, wanted) <= 0,
  one_of: (value, wanted) => (wanted as unknown[]).some((one) => isDeepStrictEqual(value, one)),
  contains: (value, wanted) =>
    typeof value === 'string'
      ? value.includes(String(wanted))
      : Array.isArray(value) && value.some((item) => isDeepStrictEqual(item, wanted)),
  present: (value, wanted) => (value !== undefined && value !== null) === wanted,
  length: (value, wanted) => (typeof value === 'string' || Array.isArray(value)) && matches(value.length, wanted),
}

/** A matcher in words, as `is 5`, `is at most 5`. */
export function describeMatcher(matcher: Matcher): string {
  if (!isConditions(matcher)) return `is ${shown(matcher)}`
  return Object.entries(matcher)
    .map(([name, wanted]) =>
      name === 'length'
        ? `has a length that ${describeMatcher(wanted as Matcher)}`
        : `${WORDS[name] ?? name} ${shown(wanted)}`,
    )
    .join(' and ')
}

/** Several, each with its name: `order.status is SETTLED`. */
export function matchersInWords(matchers: Matchers): string[] {
  return Object.entries(matchers).map(([name, matcher]) => `${name} ${describeMatcher(matcher)}`)
}

const WORDS: Readonly<Record<string, string>> = {
  equals: 'is',
  not: 'is not',
  matches: 'matches',
  type: 'is of type',
  at_least: 'is at least',
  at_most: 'is at most',
  one_of: 'is one of',
  contains: 'contains',
  present: 'is present:',
}

/** The longest value that a line of a report shows. */
const SHOWN_CHARACTERS = 120

/** A value in a line of a report. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

/** Negative, zero or positive; NaN if the two cannot be compared. Times compare as instants, in any zone. */
export function compare(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  if (typeof left !== 'string' || typeof right !== 'string') return Number.NaN
  const [a, b] = [instant(left), instant(right)]
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b
  return left === right ? 0 : left < right ? -1 : 1
}

function instant(text: string): number {
  return /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
}
