import { didYouMean } from '../../contract/words.ts'
import type { DocumentPath, Report } from '../yaml/read-yaml.ts'
import { rolesNamed, wishesOf } from './expectations/expectation.ts'
import { isPageFact } from './fact-names.ts'
import { isRole, ROLE_NAMES } from './roles.ts'
import type { Expectation, Step } from './scenario.ts'
import { actionsOf, expectationsOf, observationsOf } from './step-facts.ts'

/** Words of `take` that are not roles. */
const TAKES = ['outcome', 'status', 'code', 'count', 'params']
/** Words before a role: where it is, of what type it is, and what each item of a list says. */
const TAKE_PREFIX = /^(?:at|type|items)\./

/** Roles that exist, regular expressions that can be read. */
export function lintRoles(step: Step, path: DocumentPath, report: Report): void {
  const many = Array.isArray(step.expect)
  expectationsOf(step).forEach((expectation, index) => {
    const at = [...path, 'expect', ...(many ? [index] : [])]
    lintSubject(step, expectation, at, report)
    // Those of events may be paths into the event, which have no list.
    for (const [where, name] of step.events || step.receive ? [] : rolesNamed(expectation)) {
      if (!isRole(name) && !name.startsWith('body.') && !isPageFact(name))
        report([...at, ...where], `"${name}" is not a role${didYouMean(name, ROLE_NAMES)}`)
    }
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

/** What the step produces, as the table of expectations and its author call it; null if nothing of it can be expected. */
function subjectOf(step: Step): readonly ['answer' | 'page' | 'things', string] | null {
  if (step.open !== undefined || step.submit) return ['page', 'a page']
  if (step.receive || step.quiet?.hook !== undefined) return ['things', 'deliveries']
  if (step.events || step.quiet) return ['things', 'events']
  if (step.burst) return ['things', 'calls made at once']
  return step.call || step.until || step.resend || step.retry ? ['answer', 'one answer'] : null
}

/** Each key can be expected of what the step produces, by the row of its kind. */
function lintSubject(step: Step, expectation: Expectation, at: DocumentPath, report: Report): void {
  const subject = subjectOf(step)
  if (subject === null) {
    if (actionsOf(step).length === 1) report(at, 'nothing can be expected of this step')
    return
  }
  const [as, words] = subject
  for (const { path, kind } of wishesOf(expectation)) {
    const judges: object = 'outcome' in kind.judge ? kind.judge.outcome : kind.judge
    const key = path.join(': ')
    if (as in judges || (as === 'answer' && 'things' in judges && expectation.items !== undefined)) continue
    const why = as === 'answer' ? 'is about the items of a list: name it with items' : `cannot be expected of ${words}`
    report([...at, ...path], `"${key}" ${why}`)
  }
  for (const [key, isMeant] of [
    ['items', as === 'answer'],
    ['among', step.burst !== undefined],
    ['tolerate', expectation.refused !== undefined],
  ] as const)
    if (expectation[key] !== undefined && !isMeant) report([...at, key], `"${key}" cannot be expected of ${words}`)
}

function lintPattern(pattern: string, path: DocumentPath, report: Report): void {
  try {
    new RegExp(pattern, 'u')
  } catch {
    report(path, `"${pattern.slice(0, 60)}" is not a valid regular expression`)
  }
}
