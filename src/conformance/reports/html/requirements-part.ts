import type { RequirementResult } from '../../result/result.ts'
import { grouped } from '../digest.ts'
import { checkLine } from './check-part.ts'
import { capital, countOf, html, type Markup } from './markup.ts'
import { anchorOf, type PageFacts } from './page-facts.ts'
import { type Mark, mark, markOfRequirement, wordOf } from './words.ts'

/** Every row of the registry, by the heading of the document it comes from, with the checks it led to. */
export function requirementsPart(facts: PageFacts): Markup {
  const rows = facts.run.requirements.map((requirement) => ({ requirement, mark: rowMark(facts, requirement) }))
  const areas = grouped(rows, ({ requirement }) => requirement.section)
  return html`${filters(rows.map((row) => row.mark))}
<div class="areas">${[...areas].map(([section, own]) => area(facts, section, own))}</div>`
}

interface Row {
  requirement: RequirementResult
  mark: Mark
}

function rowMark(facts: PageFacts, requirement: RequirementResult): Mark {
  const failures = checksOf(facts, requirement).filter(({ check }) => check.verdict === 'fail')
  return markOfRequirement(requirement, failures.length > 0 && failures.every(({ check }) => check.known !== undefined))
}

function checksOf(facts: PageFacts, { id }: RequirementResult) {
  return facts.checksByRequirement.get(id) ?? []
}

/** The choices of the filter, worst first. The style sheet has a rule for each. */
export const FILTERS = [
  'violated',
  'known',
  'inconclusive',
  'not_exercised',
  'shown',
  'open',
  'unobservable',
] as const satisfies readonly Mark[]

/** Radio buttons that the style sheet looks at: no script is needed. */
function filters(marks: readonly Mark[]): Markup {
  const present = FILTERS.filter((name) => marks.includes(name))
  if (present.length < 2) return html``
  const choice = (id: string, text: string, count: number, isFirst: boolean) =>
    html`<span><input type="radio" name="rows" id="f-${id}"${isFirst && html` checked`}><label for="f-${id}">${text} <b>${count}</b></label></span>`
  return html`<fieldset class="filters"><legend>Show requirements</legend>${choice('all', 'All', marks.length, true)}${present.map(
    (name) =>
      choice(
        name,
        name === 'known' ? 'Known' : capital(wordOf(name)),
        marks.filter((one) => one === name).length,
        false,
      ),
  )}</fieldset>`
}

function area(facts: PageFacts, section: string, rows: readonly Row[]): Markup {
  return html`<table class="area">
<caption>${section === '' ? 'Other' : section}</caption>
<thead><tr><th scope="col">Requirement</th><th scope="col">Says</th><th scope="col">Level</th><th scope="col">Status</th></tr></thead>
<tbody>${rows.map((row) => line(facts, row))}</tbody></table>
`
}

function line(facts: PageFacts, { requirement, mark: what }: Row): Markup {
  const { id, text, level, unobservable } = requirement
  const checks = checksOf(facts, requirement)
  return html`<tr class="row is-${what}" id="${anchorOf(facts, 'requirement', id)}">
<th scope="row">${id}</th>
<td class="text">${text}${unobservable !== undefined && html`<p class="soft">${unobservable}</p>`}${
    checks.length > 0 &&
    html`<details class="more"><summary>${checkCount(checks.length, requirement.checks)}</summary><ul class="checks">${checks.map((placed) => checkLine(facts, placed))}</ul></details>`
  }</td>
<td class="level">${level}</td><td class="state">${mark(what)}</td></tr>
`
}

/** How many checks there are, and how many of them ran if the two numbers differ. */
function checkCount(all: number, carriedOut: number): string {
  return carriedOut === all ? countOf(all, 'check') : `${countOf(all, 'check')}, ${carriedOut} ran`
}
