import { parseDuration } from '../../clock/duration.ts'
import { didYouMean } from '../../contract/words.ts'
import type { DocumentPath, Report } from '../yaml/read-yaml.ts'
import { DELIVERY_FACTS, isPageFact, PAGE_FACTS } from './fact-names.ts'
import type { PageStep, Step } from './scenario.ts'
import { callOf, expectationsOf, LIST_OF, producedBy } from './step-facts.ts'

/** Pages are expected to be what pages can be; lists that are read to their end are lists. */
export function lintPage(step: Step, path: DocumentPath, report: Report): void {
  const call = callOf(step)
  if (call?.all_pages && (call.op === undefined || LIST_OF[call.op] === undefined || call.at_once !== undefined))
    report(path, `all_pages is of ${Object.keys(LIST_OF).join(', ')}, and not of calls made at once`)
  if (step.page === undefined) return
  lintPageKeys(step.page, [...path, 'page'], report)
  expectationsOf(step).forEach((expectation, index) => {
    const at = [...path, 'expect', ...(Array.isArray(step.expect) ? [index] : [])]
    if (expectation.refused !== undefined && expectation.refused !== true)
      report([...at, 'refused'], 'a page has no code: say refused: true')
    for (const name of Object.keys(expectation.roles ?? {})) {
      if (!isPageFact(name)) report([...at, 'roles', name], `"${name}" is not a page fact${meant(name)}`)
    }
  })
}

/** What only an opened page has, and what only a button has. */
const OF_OPEN = ['follow', 'cookies'] as const
const OF_PRESS = ['of', 'fill'] as const

function lintPageKeys(page: PageStep, at: DocumentPath, report: Report): void {
  if ((page.open === undefined) === (page.press === undefined)) report(at, 'a page step has either open or press')
  const others = page.open === undefined ? OF_OPEN : OF_PRESS
  for (const key of others)
    if (page[key] !== undefined)
      report([...at, key], `"${key}" goes with ${page.open === undefined ? 'open' : 'press'}`)
}

function meant(name: string): string {
  return didYouMean(
    name,
    PAGE_FACTS.map((fact) => `page.${fact}`),
  )
}

/** The longest time for which an answer may be held back: every target has given up by then. */
const LONGEST_DELAY_MS = 20_000

/** Facts of deliveries are known at once, so waiting for them makes no sense. */
export function lintHook(step: Step, path: DocumentPath, report: Report): void {
  if (step.events?.within !== undefined && step.events.none_for !== undefined)
    report([...path, 'events'], 'within and none_for exclude each other')
  const answer = step.hook?.answer
  if (typeof answer === 'object' && 'after' in answer && (parseDuration(answer.after) ?? 0) > LONGEST_DELAY_MS)
    report([...path, 'hook', 'answer', 'after'], 'no answer is held back for more than 20s')
  if (producedBy(step) !== 'deliveries') return
  for (const expectation of expectationsOf(step)) {
    for (const key of ['every', 'includes', 'excludes'] as const) {
      for (const name of Object.keys(expectation[key] ?? {})) {
        const fact = /^delivery\.([a-z_]+)/.exec(name)?.[1]
        if (fact !== undefined && !(DELIVERY_FACTS as readonly string[]).includes(fact))
          report(path, `"${name}" is not a delivery fact${didYouMean(fact, DELIVERY_FACTS)}`)
      }
    }
  }
}
