import type { CheckResult, CheckVerdict } from '../../result/result.ts'
import { adviceFor } from '../advice.ts'
import { allChecks, type CheckInContext, newChecks, saidTogether, seenAndWhy, whyNot } from '../digest.ts'
import { shorten } from '../escape.ts'
import { twinExchanges } from './kept-exchanges.ts'
import { html, type Markup, type Part } from './markup.ts'
import { linkTo, type PageFacts } from './page-facts.ts'
import { mark, markOfCheck } from './words.ts'

/** Longer values are cut; the JSON report has them whole. */
const MAX_VALUE_CHARACTERS = 600

export function value(text: string): string {
  return shorten(text, MAX_VALUE_CHARACTERS)
}

/** Where a check stands: its scenario, which is a link, and its step. */
export function placeOf(facts: PageFacts, { scenario, check }: CheckInContext): Markup {
  return html`${linkTo(facts, 'scenario', scenario.id, html`<code>${scenario.id}</code>`)} <span class="soft">› ${check.step}</span>`
}

/** What a check says for itself, in the words that its verdict asks for. */
export function outcomeOf({ check, exchange }: CheckInContext): Part {
  if (check.verdict === 'not_run') return whyNot(check)
  if (check.verdict === 'observed') return check.actual
  if (check.verdict === 'inconclusive') {
    const todo = adviceFor(check, exchange)
    return html`${value(seenAndWhy(check))}<br><b>To do:</b> ${todo}<br><span class="soft">expected ${value(check.expected)}</span>`
  }
  return html`expected ${value(check.expected)}; got ${value(check.actual)}${check.note !== undefined && html`<br><span class="soft">${value(check.note)}</span>`}`
}

/** A line for a check: how it ended, where it stands, what it got; and of which requirements, where the place does not say so. */
export function checkLine(facts: PageFacts, placed: CheckInContext, requirements: readonly string[] = []): Markup {
  return html`<li>${mark(markOfCheck(placed.check))} <div>${requirements.map((id) => html`<b>${linkTo(facts, 'requirement', id)}</b> `)}${placeOf(facts, placed)}${exchangeLink(facts, placed.check)}<p>${outcomeOf(placed)}</p></div></li>
`
}

export function exchangeLink(facts: PageFacts, { exchange }: CheckResult): Markup | null {
  if (exchange === null) return null
  return html` <span class="soft">· ${linkTo(facts, 'exchange', exchange)}</span>`
}

/** What the twin got; the exchanges it names are links where the page shows them. */
export function twinText(facts: PageFacts, twin: string): Markup {
  const ids = [...new Set(twinExchanges({ twin }))].filter((id) => facts.anchors.has(`exchange ${id}`))
  return html`${value(twin)}${ids.map((id) => html` (${linkTo(facts, 'exchange', id, `transcript of ${id}`)})`)}`
}

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
