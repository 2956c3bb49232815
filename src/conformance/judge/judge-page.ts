import { canOperate } from '../context/operator.ts'
import type { ScenarioRun } from '../context/run.ts'
import { type Check, failure, unproven } from '../format/expectations/check.ts'
import type { PageSeen } from '../format/expectations/kind.ts'
import { isPageFact } from '../format/fact-names.ts'
import { describeMatcher, matches, shown } from '../format/matcher.ts'
import type { OperatorArguments } from '../format/operator-actions.ts'
import type { Matcher, Matchers, Template } from '../format/values.ts'
import { isAccepted, isRefused, isServerError } from '../http/exchange.ts'
import { sells } from '../pages/page-buttons.ts'
import { factOf, type PageVisit } from '../pages/page-visit.ts'
import { filled, findValue } from './references.ts'
import { seenOf } from './seen.ts'

/** Pages that were opened: one, or one for each character that was changed. */
export interface PagesSubject {
  kind: 'pages'
  visits: readonly { visit: PageVisit; label: string }[]
  /** The page as it was found when nothing was wrong; null if it never was. */
  twinOutcome: PageVisit | null
}

/** A page, as judges see it; if there is nothing to judge, why. */
export function pageSeen(scenarioRun: ScenarioRun, visit: PageVisit, twinOutcome: PageVisit | null): PageSeen | Check {
  const { answer } = visit
  if (!answer) return unproven('no answer: the connection broke')
  if (visit.doubt !== null) return unproven(inWords(visit), visit.doubt)
  return {
    ...seenOf(scenarioRun),
    answer,
    words: inWords(visit),
    isOpen: isOpenPage(visit),
    refusal: () => judgeRefusedPage(visit, twinOutcome),
    facts: (wanted, isPremise) => judgeFacts(scenarioRun, wanted, visit, isPremise),
  }
}

/** A page that opens, or sends the reader on to somewhere else. */
export function isOpenPage({ answer, url, location }: PageVisit): boolean {
  return isAccepted(answer) || (location !== null && new URL(location).origin !== new URL(url).origin)
}

/** A 4xx, or a page with nothing on it to buy with; the latter says something only of pages that sell when all is well. */
function judgeRefusedPage(visit: PageVisit, twinOutcome: PageVisit | null): Check {
  const actual = inWords(visit)
  if (isServerError(visit.answer)) return failure(actual)
  const byStatus = isRefused(visit.answer)
  if (!byStatus) {
    const offer = visit.content && isAccepted(visit.answer) ? sells(visit.content) : false
    if (offer === true) return failure(`${actual}, with a button to pay`)
    const unclear = offer === null && (visit.content?.forms.length ?? 0) > 0
    if (unclear) return notReadable(actual, 'the page shows an unknown kind of form')
  }
  if (!twinOutcome || !isOpenPage(twinOutcome))
    return unproven(actual, 'the same page was never seen open when nothing was wrong')
  if (byStatus || (twinOutcome.content && sells(twinOutcome.content))) return { verdict: 'pass', actual }
  return notReadable(actual, 'no button to pay was recognized on the page when nothing was wrong either')
}

function notReadable(actual: string, note: string): Check {
  return { verdict: 'not_run', reason: 'needs-dialect', actual, note }
}

function judgeFacts(scenarioRun: ScenarioRun, wanted: Matchers, visit: PageVisit, isPremise: boolean): Check | null {
  for (const [name, template] of Object.entries(wanted)) {
    if (!isPageFact(name)) throw new RangeError(`${name} is not a page fact`)
    const matcher = filled(scenarioRun, template as Template) as Matcher
    const found = factOf(visit, name)
    // It is enough that a buyer can pay here; how does not matter.
    const unclear = name === 'page.sells' && isAccepted(visit.answer) && !('value' in found && found.value === true)
    if (unclear && isPremise && matcher === true && sessionToPay(scenarioRun, visit)) continue
    if ('unknown' in found) return notReadable(`${name} is not known`, found.unknown)
    if (matches(found.value, matcher)) continue
    // A link, a frame or a word unknown to the runner may be the way to pay. On an error page it cannot be.
    if (name === 'page.sells' && found.value === false && isAccepted(visit.answer))
      return notReadable(inWords(visit), 'no button to pay was recognized on this page')
    return failure(
      `${inWords(visit)}; ${name} is ${shown(found.value)}`,
      `asked for: ${name} ${describeMatcher(matcher)}`,
    )
  }
  return null
}

/** A page in one line. */
export function inWords({ answer, location, content }: PageVisit): string {
  if (!answer) return 'no answer'
  const title = content && content.title !== '' ? ` "${shown(content.title)}"` : ''
  return location === null ? `${answer.status}${title}` : `${answer.status} to ${shown(location.split('?')[0])}`
}

/**
 * The checkout session of this scenario that a page belongs to, where the target's staff can pay it: how a page is paid is open, so
 * that a button which the runner does not recognize need not be the end. Null elsewhere.
 */
export function sessionToPay(scenarioRun: ScenarioRun, page: PageVisit): OperatorArguments | null {
  if (!canOperate(scenarioRun.run.target, 'pay_checkout')) return null
  const exchanges = [...scenarioRun.records.values()].flatMap((record) =>
    record.kind === 'calls' ? record.exchanges : [],
  )
  for (const { call, answer } of exchanges) {
    if (call.op !== 'checkout.create' || !answer || !isAccepted(answer)) continue
    const url = findValue(scenarioRun, answer, 'checkout.url')
    if (!url.found || url.value !== page.asked) continue
    const id = findValue(scenarioRun, answer, 'checkout.id')
    return { checkout_url: page.asked, ...(id.found ? { session_id: String(id.value) } : {}) }
  }
  return null
}
