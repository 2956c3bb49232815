import type { ScenarioResult } from '../../result/result.ts'
import type { CheckInContext } from '../digest.ts'
import { exchangeLink, outcomeOf } from './check-part.ts'
import { exchangePart, MAX_BODY_CHARACTERS } from './exchange-part.ts'
import { countOf, duration, html, type Markup } from './markup.ts'
import { anchorOf, linkTo, type PageFacts } from './page-facts.ts'
import { type Mark, mark, markOfCheck, markOfScenario } from './words.ts'

/** Every scenario with its checks and its transcript, those that are not green first. */
export function scenariosPart(facts: PageFacts): Markup {
  const { scenarios } = facts.run
  const isLeftOut = ({ checks }: ScenarioResult) =>
    checks.length > 0 && checks.every(({ reason }) => reason === 'filtered')
  const rest = scenarios.filter((scenario) => !isLeftOut(scenario))
  const groups: [string, ScenarioResult[]][] = [
    ['Not green', worstFirst(rest.filter((scenario) => !isGreen(scenario) && markOfScenario(scenario) !== 'not_run'))],
    ['Not run', rest.filter((scenario) => markOfScenario(scenario) === 'not_run')],
    ['Green', rest.filter(isGreen)],
    ['Left out by the selection', scenarios.filter(isLeftOut)],
  ]
  return html`<p class="soft">${transcriptNote(facts)}</p>${groups
    .filter(([, own]) => own.length > 0)
    .map(
      ([title, own]) =>
        html`<section class="group"><h3>${title} <span class="soft">${own.length}</span></h3>${own.map((scenario) => scenarioPart(facts, scenario))}</section>`,
    )}${runnersOwn(facts)}`
}

const GREEN: readonly Mark[] = ['pass', 'observed', 'tolerated']

function isGreen(scenario: ScenarioResult): boolean {
  return GREEN.includes(markOfScenario(scenario))
}

const WORST_FIRST: readonly Mark[] = ['fail', 'harness_error', 'inconclusive', 'drift', 'known']

function worstFirst(scenarios: readonly ScenarioResult[]): ScenarioResult[] {
  const place = (scenario: ScenarioResult) => WORST_FIRST.indexOf(markOfScenario(scenario))
  return [...scenarios].sort((a, b) => place(a) - place(b))
}

/** What of the transcript is here, and what is not. */
function transcriptNote({ run, keptByScenario }: PageFacts): string {
  const kept = [...keptByScenario.values()].reduce((sum, own) => sum + own.length, 0)
  const made = Math.max(run.summary.requests, run.exchanges.length)
  const bodies = `Bodies are cut after ${MAX_BODY_CHARACTERS.toLocaleString('en-GB')} characters.`
  if (kept >= made) return `All ${countOf(made, 'exchange')} of the run are here. ${bodies}`
  return `${kept.toLocaleString('en-GB')} of ${countOf(made, 'exchange')} are shown: those of scenarios that are not green, and those that decided a check. ${bodies} The log of the run (--reporter ndjson) has the rest.`
}

function scenarioPart(facts: PageFacts, scenario: ScenarioResult): Markup {
  const exchanges = facts.keptByScenario.get(scenario.id) ?? []
  const ran = scenario.checks.some(({ verdict }) => verdict !== 'not_run')
  return html`<details class="scenario" id="${anchorOf(facts, 'scenario', scenario.id)}">
<summary>${mark(markOfScenario(scenario))} <span class="name">${scenario.title} <code>${scenario.id}</code></span> <span class="soft">${countOf(scenario.checks.length, 'check')}${ran && `, ${duration(scenario.durationMs)}`}</span></summary>
<div class="inside">
<table class="steps"><thead><tr><th scope="col">Step</th><th scope="col">Requirement</th><th scope="col">Verdict</th><th scope="col">Outcome</th></tr></thead>
<tbody>${(facts.checksByScenario.get(scenario.id) ?? []).map((placed) => stepRow(facts, placed))}</tbody></table>
${exchanges.length > 0 && html`<h4>Transcript</h4>${exchanges.map((exchange) => exchangePart(facts, exchange))}`}
</div></details>
`
}

function stepRow(facts: PageFacts, placed: CheckInContext): Markup {
  const { check } = placed
  return html`<tr><th scope="row">${check.step}</th><td>${linkTo(facts, 'requirement', check.requirement)}</td><td>${mark(markOfCheck(check))}</td><td>${outcomeOf(placed)}${exchangeLink(facts, check)}</td></tr>
`
}

/** Calls that belong to no scenario: fixtures, controls, the first call. */
function runnersOwn(facts: PageFacts): Markup | null {
  const scenarios = new Set(facts.run.scenarios.map(({ id }) => id))
  const words = [...facts.keptByScenario].filter(([word]) => !scenarios.has(word))
  if (words.length === 0) return null
  return html`<section class="group"><h3>The runner’s own calls</h3>${words.map(
    ([word, exchanges]) =>
      html`<details class="scenario"><summary><span class="name">${word}</span> <span class="soft">${countOf(exchanges.length, 'exchange')}</span></summary><div class="inside">${exchanges.map((exchange) => exchangePart(facts, exchange))}</div></details>`,
  )}</section>`
}
