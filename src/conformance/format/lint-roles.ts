import { didYouMean } from '../../contract/words.ts'
import type { DocumentPath, Report } from '../yaml/read-yaml.ts'
import { rolesNamed, wishesOf } from './expectations/expectation.ts'
import { isPageFact } from './fact-names.ts'
import { isRole, ROLE_NAMES } from './roles.ts'
import type { Expectation, Step } from './scenario.ts'
import { actionsOf, expectationsOf, observationsOf, producedBy } from './step-facts.ts'
import type { Produced } from './step-kinds.ts'

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
    for (const [where, name] of step.events ? [] : rolesNamed(expectation)) {
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
    if (step.events) continue
    if (take === 'count' && producedBy(step) !== 'answers')
      report([...path, 'observe'], 'count is of events, and of calls made at once; one call takes a role')
    const role = take?.replace(TAKE_PREFIX, '')
    if (take !== undefined && !TAKES.includes(take) && !isRole(String(role)) && !isPageFact(take)) {
      report(
        [...path, 'observe'],
        `"${take}" is neither a role nor one of ${TAKES.join(', ')}${didYouMean(take, [...TAKES, ...ROLE_NAMES])}`,
      )
    }
  }
}

/** What steps produce, as the table of expectations and an author call it. */
const SUBJECTS: Readonly<Record<Produced, readonly ['answer' | 'page' | 'things', string]>> = {
  answer: ['answer', 'one answer'],
  answers: ['things', 'calls made at once'],
  events: ['things', 'events'],
  deliveries: ['things', 'deliveries'],
  page: ['page', 'a page'],
}

/** Each key can be expected of what the step produces, by the row of its kind. */
function lintSubject(step: Step, expectation: Expectation, at: DocumentPath, report: Report): void {
  const produced = producedBy(step)
  if (produced === null) {
    if (actionsOf(step).length === 1) report(at, 'nothing can be expected of this step')
    return
  }
  const [as, words] = SUBJECTS[produced]
  for (const { path, kind } of wishesOf(expectation)) {
    const judges: object = 'outcome' in kind.judge ? kind.judge.outcome : kind.judge
    const key = path.join(': ')
    if (as in judges || (as === 'answer' && 'things' in judges && expectation.items !== undefined)) continue
    const why = as === 'answer' ? 'is about the items of a list: name it with items' : `cannot be expected of ${words}`
    report([...at, ...path], `"${key}" ${why}`)
  }
  for (const [key, isMeant] of [
    ['items', as === 'answer'],
    ['among', produced === 'answers'],
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
