import type { CheckVerdict } from '../../result/result.ts'
import { allChecks, type CheckInContext, newChecks, saidTogether } from '../digest.ts'
import { checkLine, placeOf, value } from './check-part.ts'
import { html, type Markup } from './markup.ts'
import { linkTo, type PageFacts } from './page-facts.ts'
import { mark } from './words.ts'

/** Failures that the baseline names: reason and last day. */
export function knownPart(facts: PageFacts): Markup | null {
  const known = allChecks(facts.run).filter(({ check }) => check.known !== undefined)
  if (known.length === 0) return null
  return html`<ul class="checks">${known.map((placed) => knownLine(facts, placed))}</ul>`
}

function knownLine(facts: PageFacts, placed: CheckInContext): Markup {
  const { check } = placed
  return html`<li>${mark('known')} <div><b>${linkTo(facts, 'requirement', check.requirement)}</b> ${placeOf(facts, placed)}
<p class="reason">${check.known?.reason ?? ''} <span class="soft">until ${check.known?.until ?? ''}</span></p>
<p class="soft">expected ${value(check.expected)}; got ${value(check.actual)}</p></div></li>
`
}

/** The checks with these verdicts. */
export function asidePart(facts: PageFacts, order: readonly CheckVerdict[]): Markup | null {
  const found = order.flatMap((verdict) => newChecks(facts.run, [verdict]))
  if (found.length === 0) return null
  return html`<ul class="checks">${saidTogether(found).map(({ requirements, steps, ...first }) =>
    checkLine(facts, { ...first, check: { ...first.check, step: steps } }, requirements.split(', ')),
  )}</ul>`
}
