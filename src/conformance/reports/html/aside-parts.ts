import type { CheckVerdict } from '../../result/result.ts'
import { checksWith, saidTogether } from '../digest.ts'
import { checkLine, placeOf, value } from './check-part.ts'
import { html, type Markup } from './markup.ts'
import { linkTo, type PageFacts, type PlacedCheck } from './page-facts.ts'
import { mark } from './words.ts'

/** Failures that the baseline names: reason and last day. */
export function knownPart(facts: PageFacts): Markup | null {
  const known = allChecks(facts).filter(({ check }) => check.known !== undefined)
  if (known.length === 0) return null
  return html`<ul class="checks">${known.map((placed) => knownLine(facts, placed))}</ul>`
}

function knownLine(facts: PageFacts, placed: PlacedCheck): Markup {
  const { check } = placed
  return html`<li>${mark('known')} <div><b>${linkTo(facts, 'requirement', check.requirement)}</b> ${placeOf(facts, placed)}
<p class="reason">${check.known?.reason ?? ''} <span class="soft">until ${check.known?.until ?? ''}</span></p>
<p class="soft">expected ${value(check.expected)}; got ${value(check.actual)}</p></div></li>
`
}

/** The checks with these verdicts. */
export function asidePart(facts: PageFacts, order: readonly CheckVerdict[]): Markup | null {
  const found = order.flatMap((verdict) => checksWith(facts.run, [verdict])).filter(({ check }) => !check.known)
  if (found.length === 0) return null
  return html`<ul class="checks">${saidTogether(found).map(({ scenario, check, requirements, steps }) =>
    checkLine(facts, { scenario, check: { ...check, step: steps } }, requirements.split(', ')),
  )}</ul>`
}

function allChecks({ run }: PageFacts): PlacedCheck[] {
  return run.scenarios.flatMap((scenario) => scenario.checks.map((check) => ({ scenario, check })))
}
