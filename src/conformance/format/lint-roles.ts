import { didYouMean } from '../../contract/words.ts'
import type { DocumentPath, Report } from '../yaml/read-yaml.ts'
import { isPageFact } from './fact-names.ts'
import { isRole, ROLE_NAMES } from './roles.ts'
import type { Expectation, Step } from './scenario.ts'
import { expectationsOf, observationsOf } from './step-facts.ts'

/** Words of `take` that are not roles. */
const TAKES = ['outcome', 'status', 'code', 'count', 'params']
/** Words before a role: where it is, of what type it is, and what each item of a list says. */
const TAKE_PREFIX = /^(?:at|type|items)\./

/** Roles that exist, regular expressions that can be read. */
export function lintRoles(step: Step, path: DocumentPath, report: Report): void {
  const many = Array.isArray(step.expect)
  expectationsOf(step).forEach((expectation, index) => {
    const at = [...path, 'expect', ...(many ? [index] : [])]
    for (const [where, name] of rolesNamed(expectation, step.events !== undefined || step.receive !== undefined)) {
      if (!isRole(name) && !name.startsWith('body.') && !isPageFact(name))
        report([...at, ...where], `"${name}" is not a role${didYouMean(name, ROLE_NAMES)}`)
    }
    if (expectation.matches !== undefined) lintPattern(expectation.matches, [...at, 'matches'], report)
    for (const key of ['roles', 'headers', 'includes', 'excludes', 'every'] as const) {
      for (const [name, matcher] of Object.entries(expectation[key] ?? {})) {
        const pattern = (matcher as { matches?: unknown } | null)?.matches
        if (typeof pattern === 'string') lintPattern(pattern, [...at, key, name], report)
      }
    }
  })
  for (const { take } of observationsOf(step)) {
    if (step.receive || step.events) continue
    if (take === 'count' && !step.burst && !step.quiet)
      report([...path, 'observe'], 'count is of bursts and events; a call takes a role')
    const role = take?.replace(TAKE_PREFIX, '')
    if (take !== undefined && !TAKES.includes(take) && !isRole(String(role)) && !isPageFact(take)) {
      report(
        [...path, 'observe'],
        `"${take}" is neither a role nor one of ${TAKES.join(', ')}${didYouMean(take, [...TAKES, ...ROLE_NAMES])}`,
      )
    }
  }
}

/** Roles an expectation names. Those of events may be paths into the event, which have no list. */
function rolesNamed(expectation: Expectation, ofEvents: boolean): [DocumentPath, string][] {
  const named: [DocumentPath, string][] = Object.keys(expectation.roles ?? {}).map((name) => [['roles', name], name])
  for (const name of Object.keys(expectation.unless?.has ?? {})) named.push([['unless', 'has', name], name])
  if (expectation.items !== undefined) named.push([['items'], expectation.items])
  if (ofEvents) return named
  if (typeof expectation.same_as === 'object')
    for (const name of Object.keys(expectation.same_as.where ?? {})) named.push([['same_as', 'where', name], name])
  if (expectation.distinct !== undefined) named.push([['distinct'], expectation.distinct])
  if (expectation.sums !== undefined) named.push([['sums', 'of'], expectation.sums.of])
  for (const [key, name] of Object.entries(expectation.running ?? {})) named.push([['running', key], name])
  for (const key of ['includes', 'excludes', 'every'] as const) {
    for (const name of Object.keys(expectation[key] ?? {})) named.push([[key, name], name])
  }
  return named
}

function lintPattern(pattern: string, path: DocumentPath, report: Report): void {
  try {
    new RegExp(pattern, 'u')
  } catch {
    report(path, `"${pattern.slice(0, 60)}" is not a valid regular expression`)
  }
}
