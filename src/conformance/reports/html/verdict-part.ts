import type { RunResult } from '../../result/result.ts'
import { selectionPassed } from '../../result/selected-checks.ts'
import { newChecks } from '../digest.ts'
import { countOf, duration, html, instant, type Markup } from './markup.ts'
import type { PageFacts } from './page-facts.ts'
import { type Mark, mark, wordOf } from './words.ts'

/** The verdict as a sentence, and what was tested. */
export function verdictPart(facts: PageFacts): Markup {
  const { run } = facts
  const [tone, lead, rest] = sentence(facts)
  return html`<header class="verdict ${tone}">
${target(run)}
<h1>${lead}</h1>
<p class="says">${rest}</p>
${run.interrupted && html`<p class="says"><strong>The run was interrupted.</strong> Checks that did not run are missing, so the verdict is not complete.</p>`}
${bar(facts)}
</header>
${identityPart(run)}`
}

/** What was tested: an API, or a partner's webhook receiver. */
function target({ target: { url, environment } }: RunResult): Markup {
  const isReceiver = environment === 'receiver'
  return html`<p class="kicker">${isReceiver ? 'Webhook receiver conformance to' : 'Conformance to'} the Partner Commerce API</p>
<p class="about-what"><code>${url}</code>${!isReceiver && ` in the environment ${environment}`}</p>`
}

type Sentence = readonly [tone: 'good' | 'bad' | 'doubt' | 'quiet', lead: string, rest: string]

function sentence({ run }: PageFacts): Sentence {
  const { total, count } = tallied(run)
  const [violated, known, shown] = [count('violated'), count('known'), count('shown')]
  if (run.verdict === 'conforming') {
    const all = total === 1 ? 'The one requirement' : `All ${total} requirements`
    return ['good', 'Conforms', `${all} of this run ${total === 1 ? 'was' : 'were'} shown.`]
  }
  if (run.verdict === 'void') return ['quiet', 'No verdict', 'No check ran, so this run says nothing about the target.']
  const chosen = selectionPassed(run)
  if (chosen !== null) return ['good', chosen, 'The other scenarios of the profile were not part of this run.']
  if (run.verdict === 'not_fully_verified') {
    const few = `only ${shown} ${shown === 1 ? 'was' : 'were'} shown`
    return ['doubt', 'Not fully verified', `Nothing is violated, but of ${countOf(total, 'requirement')} ${few}.`]
  }
  const left = total - shown - violated - known
  const open = left === 0 ? '' : ` ${countOf(left, 'more was', 'more were')} not verified.`
  if (violated === 0 && known > 0) {
    const those = countOf(known, 'requirement is', 'requirements are')
    return [
      'bad',
      'Does not conform: known failures only',
      `${those} violated. The baseline lists every failure.${open}`,
    ]
  }
  const further = ` ${countOf(known, 'other is', 'others are')} violated too; the baseline lists the failures.`
  const those = countOf(violated, 'requirement is', 'requirements are')
  return ['bad', 'Does not conform', `${those} violated.${known === 0 ? '' : further}${open}`]
}

/** Requirements by how they stand: those of the profile, and any other that is violated. */
function tallied(run: RunResult) {
  const about = new Set(run.profile.requirements)
  const fresh = new Set(newChecks(run, ['fail']).map(({ check }) => check.requirement))
  const rows = run.requirements.filter(({ id, status }) => about.has(id) || status === 'violated')
  const marks = rows.map(({ id, status }) => (status === 'violated' && !fresh.has(id) ? 'known' : status))
  return { total: rows.length, count: (what: Mark) => marks.filter((one) => one === what).length }
}

const BAR: readonly Mark[] = ['violated', 'known', 'inconclusive', 'not_exercised', 'shown']

/** A bar of the requirements; the words below it say the same. */
function bar({ run }: PageFacts): Markup {
  const { total, count } = tallied(run)
  const present = BAR.map((name): [Mark, number] => [name, count(name)]).filter(([, size]) => size > 0)
  if (present.length === 0) return html``
  return html`<svg class="bar" viewBox="0 0 ${total} 1" preserveAspectRatio="none" aria-hidden="true">${segments(present)}</svg>
<ul class="legend" aria-label="Requirements by status">${present.map(
    ([name, size]) =>
      html`<li><span class="swatch ${name}" aria-hidden="true"></span><b>${size}</b> ${name === 'known' ? 'violated (known)' : wordOf(name)}</li>`,
  )}</ul>`
}

function segments(parts: readonly [Mark, number][]): Markup[] {
  let left = 0
  return parts.map(([name, count]) => {
    const piece = html`<rect class="${name}" x="${left}" width="${count}" height="1"/>`
    left += count
    return piece
  })
}

function identityPart({ target, tool, identity, profile, summary, ...run }: RunResult): Markup {
  const checks = Object.entries(summary.checks).filter(([, count]) => count > 0)
  return html`<dl class="facts">
<div><dt>Profile</dt><dd>${profile.name} <span class="soft">(${countOf(profile.requirements.length, 'requirement')})</span></dd></div>
<div><dt>When</dt><dd>${instant(run.startedAt)}</dd></div>
<div><dt>Took</dt><dd>${duration(run.durationMs)} <span class="soft">(${countOf(summary.requests, 'request')})</span></dd></div>
<div><dt>Judged by</dt><dd>${tool.name} ${tool.version}</dd></div>
<div class="wide"><dt>Checks</dt><dd class="marks">${
    checks.length === 0
      ? 'none'
      : checks.map(([verdict, count]) => html`<span>${count.toLocaleString('en-GB')} ${mark(verdict as Mark)}</span>`)
  }</dd></div>
<div class="wide"><dt>Versions (compare only runs with the same)</dt><dd class="digests"><span>requirements <code>${identity.edition}</code></span> <span>scenarios <code>${identity.scenarios}</code></span> <span>target file <code>${identity.target}</code></span> <span>this run <code>${identity.runId}</code></span></dd></div>
</dl>`
}
