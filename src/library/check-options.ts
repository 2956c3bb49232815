import { isObject } from '../contract/is-object.ts'
import { unknownName } from '../contract/words.ts'

/** What is said of an option; null if nothing is wrong with it. */
export type OptionCheck = (value: unknown) => string | null

/**
 * What is wrong with options, a clause each: unknown names, missing ones, and what a check says of a value. Undefined members count
 * as omitted, so `{ seed: process.env.SEED }` works.
 *
 * @param checks one for each option that there is.
 * @example optionProblems({ prot: 1 }, { port: portProblem }) // ['unknown option "prot"; did you mean "port"?']
 */
export function optionProblems(
  given: object,
  checks: Readonly<Record<string, OptionCheck>>,
  required: readonly string[] = [],
): string[] {
  if (!isObject(given)) return [NO_OPTIONS]
  const names = Object.keys(checks)
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  const missing = required.filter((name) => !set.some(([one]) => one === name)).map((name) => `${name} is required`)
  const wrong = set.flatMap(([name, value]) => {
    if (!names.includes(name)) return [unknownName('option', name, names)]
    const problem = checks[name]?.(value) ?? null
    return problem === null ? [] : [`${name} ${problem}`]
  })
  return [...missing, ...wrong]
}

/** What is said of something else in the place of options. */
export const NO_OPTIONS = 'the options must be an object'

export const anyValue: OptionCheck = () => null

/** @example portProblem('x') // 'must be a port, from 0 to 65535' */
export function portProblem(value: unknown): string | null {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535
    ? null
    : 'must be a port, from 0 to 65535'
}

export function textProblem(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? null : 'must be a text that is not empty'
}

export function listProblem(value: unknown): string | null {
  return Array.isArray(value) ? null : 'must be a list'
}

/** @param of the function that was called. @throws TypeError with all problems, if there is one. */
export function refuseProblems(of: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new TypeError(`${of}: ${problems.join('; ')}`)
}
