import { HEADERS } from '../../../contract/headers.ts'
import type { RedactedExchange } from '../../result/result.ts'
import { type CheckInContext, grouped } from '../digest.ts'
import { shorten } from '../escape.ts'
import { canonicalLines, headerOf, isDelivery } from '../exchange.ts'
import { reproductionOf } from '../reproduce.ts'
import { checkLine, twinText, value } from './check-part.ts'
import { countOf, html, type Markup } from './markup.ts'
import { linkTo, type PageFacts } from './page-facts.ts'
import { mark } from './words.ts'

/** Of one requirement, the rest are lines: they mostly say the same again. */
const WHOLE_FAILURES = 3

/** What is violated, requirement by requirement. Null if there is no violation, or only known ones. */
export function failuresPart(facts: PageFacts): Markup | null {
  const failures = [...facts.checksByRequirement.values()]
    .flat()
    .filter(({ check }) => check.verdict === 'fail' && check.known === undefined)
  if (failures.length === 0) return null
  const byRequirement = [...grouped(failures, ({ check }) => check.requirement)].sort(
    ([a], [b]) => placeIn(facts, a) - placeIn(facts, b),
  )
  return html`${byRequirement.map(([id, all]) => violation(facts, id, all))}`
}

function placeIn(facts: PageFacts, id: string): number {
  return facts.run.requirements.findIndex((requirement) => requirement.id === id)
}

function violation(facts: PageFacts, id: string, failures: readonly CheckInContext[]): Markup {
  const requirement = facts.requirementsById.get(id)
  const rest = failures.slice(WHOLE_FAILURES)
  return html`<article class="violation">
<h3>${mark('violated')} ${linkTo(facts, 'requirement', id)}</h3>
${
  requirement &&
  html`<p class="statement">${requirement.text}</p>${requirement.section !== '' && html`<p class="soft">In the document under “${requirement.section}”</p>`}`
}
${failures.slice(0, WHOLE_FAILURES).map((failure) => wholeFailure(facts, failure))}
${
  rest.length > 0 &&
  html`<details class="more"><summary>${countOf(rest.length, 'more check')} of it failed</summary><ul class="checks">${rest.map((failure) => checkLine(facts, failure))}</ul></details>`
}
</article>
`
}

/** The order of these is promised (design: a failure reads, in this order). */
function wholeFailure(facts: PageFacts, { scenario, check, exchange }: CheckInContext): Markup {
  return html`<section class="failure">
<h4>${linkTo(facts, 'scenario', scenario.id, scenario.title)} <span class="soft"><code>${scenario.id}</code> › ${check.step}</span></h4>
<dl>
<div><dt>Expected</dt><dd>${value(check.expected)}</dd></div>
<div class="actual"><dt>Actual</dt><dd>${value(check.actual)}</dd></div>
${exchange && html`<div><dt>${isDelivery(exchange) ? 'Delivery' : 'Signed'}</dt><dd>${signed(exchange)}</dd></div>`}
${check.twin !== undefined && html`<div><dt>Twin</dt><dd>${twinText(facts, check.twin)}</dd></div>`}
${check.note !== undefined && html`<div class="cause"><dt>Likely cause</dt><dd>${value(check.note)}</dd></div>`}
<div><dt>Reproduce</dt><dd>${reproduction(facts, scenario.id, exchange)}</dd></div>
${exchange && html`<div><dt>Transcript</dt><dd>${linkTo(facts, 'exchange', exchange.id, `exchange ${exchange.id}`)}</dd></div>`}
</dl>
</section>
`
}

function signed(exchange: RedactedExchange): Markup {
  if (isDelivery(exchange)) return delivery(exchange)
  const lines = canonicalLines(exchange)
  if (lines.length === 0) return html`The runner did not sign this call.`
  return html`<ol class="canonical">${lines.map(({ text, instead }) =>
    instead === null
      ? html`<li><code>${shown(text)}</code></li>`
      : html`<li class="differs"><code>${shown(text)}</code> <em>the first difference; this request needs</em> <code>${shown(instead)}</code></li>`,
  )}</ol>`
}

/** What a receiver has to go by. */
function delivery({ method, target, requestHeaders, requestBody }: RedactedExchange): Markup {
  return html`<pre>${method} ${shorten(target, 300)}
<i>${HEADERS.signature}:</i> ${value(headerOf(requestHeaders, HEADERS.signature) ?? 'none')}

${value(requestBody)}</pre>`
}

function shown(line: string): Markup | string {
  return line === '' ? html`<i>(empty line)</i>` : value(line)
}

function reproduction({ run, options }: PageFacts, scenario: string, exchange: RedactedExchange | undefined): Markup {
  const { call, note, again } = reproductionOf(exchange, { scenario, url: run.target.url }, options)
  return html`${call !== null && html`<pre class="command">${call}</pre>`}${note !== null && html`<p class="soft">By hand: ${note}</p>`}<pre class="command">${again}</pre>`
}
