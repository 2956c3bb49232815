import { type Unverified, unverified } from '../digest.ts'
import { shorten } from '../escape.ts'
import { capital, countOf, html, type Markup } from './markup.ts'
import { linkTo, type PageFacts } from './page-facts.ts'

const MAX_NOTES = 5

/** What this run did not verify, why, and what would change that. Null if it verified everything. */
export function unverifiedPart(facts: PageFacts): Markup | null {
  const groups = unverified(facts.run)
  const hidden = facts.run.requirements.filter(({ unobservable }) => unobservable !== undefined)
  if (groups.length === 0 && hidden.length === 0) return null
  return html`${groups.map((group) => reasonPart(facts, group))}${
    hidden.length > 0 &&
    html`<section class="gap"><h3>Cannot be tested from outside <span class="soft">${hidden.length}</span></h3>
<ul class="plain">${hidden.map(({ id, unobservable }) => html`<li><b>${linkTo(facts, 'requirement', id)}</b> ${unobservable ?? ''}</li>`)}</ul></section>`
  }`
}

function reasonPart(facts: PageFacts, { reason, todo, requirements, notes, chosen }: Unverified): Markup {
  const links = html`<p class="ids">${requirements.map((id) => html`${linkTo(facts, 'requirement', id)} `)}</p>`
  const left = notes.length - MAX_NOTES
  return html`<section class="gap">
<h3>${headingOf(reason)} <span class="soft">${countOf(requirements.length, 'requirement')}</span></h3>
<p><b>To do:</b> ${todo}</p>
${
  notes.length > 0 &&
  html`<ul class="notes">${notes.slice(0, MAX_NOTES).map((note) => html`<li>${shorten(note, 300)}</li>`)}${left > 0 && html`<li class="soft">and ${left} more</li>`}</ul>`
}
${chosen ? html`<details class="more"><summary>Which</summary>${links}</details>` : links}
</section>
`
}

/** `needs-scope: no credential …` as a heading: the words first, then the code that the other reports use. */
function headingOf(reason: string): Markup {
  const [code = '', ...words] = reason.split(': ')
  const text = words.length === 0 ? code : words.join(': ')
  return html`${capital(text)}${words.length > 0 && html` <code class="soft">${code}</code>`}`
}
