import type { CreatedThing, RunResult } from '../../result/result.ts'
import { grouped } from '../digest.ts'
import { shorten } from '../escape.ts'
import { countOf, duration, html, type Markup } from './markup.ts'
import type { PageFacts } from './page-facts.ts'

const MAX_IDS = 400
const MAX_ID_CHARACTERS = 120

/** What the run left on the target, by kind. Null if it created nothing. */
export function createdPart({ run, options }: PageFacts): Markup | null {
  if (run.created.length === 0) return null
  const kinds = [...grouped(run.created, ({ kind }) => kind)]
  return html`<p>${
    options.keepsNothing === true
      ? 'The target was a temporary sandbox. It is gone, and everything below with it.'
      : 'The API cannot delete anything, so these are still on the target.'
  }</p>${kinds.map(([kind, things]) => kindPart(kind, things))}`
}

function kindPart(kind: string, things: readonly CreatedThing[]): Markup {
  const shown = things.slice(0, MAX_IDS).map(({ id }) => html`<li><code>${shorten(id, MAX_ID_CHARACTERS)}</code></li>`)
  const left = things.length - MAX_IDS
  return html`<details class="more"><summary>${countOf(things.length, kind.replaceAll('_', ' '))}</summary>
<ul class="things">${shown}${left > 0 && html`<li>and ${left} more</li>`}</ul></details>
`
}

/** The most that the run was going to do, against what it did. */
export function billPart(facts: PageFacts): Markup {
  return html`<table class="bill">
<thead><tr><th scope="col">What</th><th scope="col">Limit</th><th scope="col">Used</th></tr></thead>
<tbody>${billRows(facts).map(
    ([name, limit, used]) => html`<tr><th scope="row">${name}</th><td>${limit}</td><td>${used}</td></tr>`,
  )}</tbody></table>
<p class="soft">The limit of requests does not include extra pages of long lists, or retries after a 429. Orders, quotes and webhooks are those that the target accepted.</p>`
}

function billRows({ run, options }: PageFacts): (readonly [name: string, limit: string, used: string])[] {
  const { plan, summary, scenarios } = run
  // In a sandbox of our own, what was made in copies of its world costs nothing and is not counted.
  const made = (kind: CreatedThing['kind']) => (options.keepsNothing ? 'not counted' : withCommas(created(run, kind)))
  const ran = scenarios.filter(({ checks }) => checks.some(({ verdict }) => verdict !== 'not_run'))
  return [
    ['Requests', withCommas(plan.requestsAtMost), withCommas(summary.requests)],
    ['Orders', withCommas(plan.ordersAtMost), made('order')],
    ['Quotes', withCommas(plan.quotesAtMost), made('quote')],
    ['Webhooks', withCommas(plan.webhooksAtMost), made('webhook')],
    ['Longest wait', plan.longestWaitMs === 0 ? 'none' : duration(plan.longestWaitMs), ''],
    ...(plan.questionsAtMost > 0 ? [['Questions to a person', `${plan.questionsAtMost}`, ''] as const] : []),
    ['Scenarios', `${plan.scenarios}`, `${ran.length}`],
  ]
}

function withCommas(count: number): string {
  return count.toLocaleString('en-GB')
}

function created({ created: things, target }: RunResult, kind: CreatedThing['kind']): number {
  if (target.environment === 'receiver') return 0
  return things.filter((thing) => thing.kind === kind).length
}
