import { type Answer, answersOf } from '../answers.ts'
import { value } from './check-part.ts'
import { html, type Markup } from './markup.ts'
import { linkTo, type PageFacts } from './page-facts.ts'
import { mark } from './words.ts'

/** What the target does at open points of the document. Null if none was observed. */
export function answersPart(facts: PageFacts): Markup | null {
  const answers = answersOf(facts.run)
  const rows = facts.run.requirements.filter(({ id }) => answers.has(id))
  const others = [...answers.keys()].filter((id) => !facts.requirementsById.has(id))
  if (answers.size === 0) return null
  return html`<dl class="answers">${[...rows.map(({ id }) => id), ...others].map((id) => question(facts, id, answers.get(id) ?? []))}</dl>`
}

function question(facts: PageFacts, id: string, answers: readonly Answer[]): Markup {
  const requirement = facts.requirementsById.get(id)
  return html`<div><dt><b>${linkTo(facts, 'requirement', id)}</b> ${requirement?.text ?? ''}</dt>
${answers.map((answer) => html`<dd>${answerLine(facts, answer)}</dd>`)}</div>
`
}

function answerLine(facts: PageFacts, { about, value: seen, scenarios, pinned }: Answer): Markup {
  return html`${about !== '' && html`<span class="about">${about}</span> `}<code class="seen">${value(seen)}</code>${
    pinned !== null && html` ${mark('drift')} <span class="soft">instead of ${value(pinned)}, as pinned,</span>`
  } <span class="soft">in ${scenarios.map((id, at) => html`${at > 0 && ', '}${linkTo(facts, 'scenario', id)}`)}</span>`
}
