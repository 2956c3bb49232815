import type { RunResult } from '../../result/result.ts'
import type { RenderOptions, Reporter } from '../reporter.ts'
import { answersPart } from './answers-part.ts'
import { asidePart, knownPart } from './check-part.ts'
import { billPart, createdPart } from './created-part.ts'
import { failuresPart } from './failures-part.ts'
import { html, type Markup, type Part } from './markup.ts'
import { factsOf, type PageFacts } from './page-facts.ts'
import { requirementsPart } from './requirements-part.ts'
import { scenariosPart } from './scenarios-part.ts'
import { STYLE, STYLE_HASH } from './style.ts'
import { unverifiedPart } from './unverified-part.ts'
import { verdictPart } from './verdict-part.ts'

/** What the page may do in a browser: be shown in its own style. */
const POLICY = `default-src 'none'; style-src '${STYLE_HASH}'; base-uri 'none'; form-action 'none'`

/**
 * One file for people. It needs no other file, runs no script and makes no requests, so it can be sent, printed
 * and kept.
 */
export const htmlPage: Reporter = {
  wants: 'every-exchange',
  render: page,
}

/** The style is the one text that is not escaped: it is ours, and its hash is in the policy. */
function page(run: RunResult, options: RenderOptions): string {
  const facts = factsOf(run, options)
  const sections = sectionsOf(facts).filter(({ content }) => content !== null)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${html`<meta http-equiv="Content-Security-Policy" content="${POLICY}">`.text}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
${html`<title>${titleOf(run)}</title>`.text}
<style>${STYLE}</style>
</head>
<body>
${body(facts, sections).text}
</body>
</html>
`
}

const TITLES: Readonly<Record<RunResult['verdict'], string>> = {
  conforming: 'Conforms',
  non_conforming: 'Does not conform',
  not_fully_verified: 'Not fully verified',
  void: 'No verdict',
}

function titleOf(run: RunResult): string {
  return `${TITLES[run.verdict]}: ${run.target.url}`
}

interface Section {
  id: string
  title: string
  /** What it is for, in a sentence. */
  about: string
  content: Markup | null
}

function sectionsOf(facts: PageFacts): Section[] {
  return [
    {
      id: 'violated',
      title: 'Violated requirements',
      about: 'What was expected, what the target answered, and how to reproduce it.',
      content: failuresPart(facts),
    },
    {
      id: 'known',
      title: 'Known failures',
      about: 'Failures that the baseline lists, each with a reason and an expiry date. They still count as failures.',
      content: knownPart(facts),
    },
    {
      id: 'inconclusive',
      title: 'Inconclusive',
      about:
        'The check ran but its result proves nothing. Each entry says what the target answered and what to do next.',
      content: asidePart(facts, ['harness_error', 'inconclusive']),
    },
    {
      id: 'drift',
      title: 'Drifted or tolerated',
      about: 'The answer differs from the pinned one, or another sentence of the document allows it.',
      content: asidePart(facts, ['drift', 'tolerated']),
    },
    {
      id: 'unverified',
      title: 'Not verified',
      about: 'Not tested: these say nothing about your server either way.',
      content: unverifiedPart(facts),
    },
    {
      id: 'requirements',
      title: 'Requirements',
      about: 'Every statement of the document that can be tested, in our words, grouped by heading.',
      content: requirementsPart(facts),
    },
    {
      id: 'answers',
      title: 'Answers to open points',
      about: 'The document leaves these points open. This is what the target does; every answer is allowed.',
      content: answersPart(facts),
    },
    {
      id: 'created',
      title: 'What the run created',
      about: '',
      content: createdPart(facts),
    },
    { id: 'bill', title: 'Budget', about: '', content: billPart(facts) },
    { id: 'scenarios', title: 'Scenarios and transcripts', about: '', content: scenariosPart(facts) },
  ]
}

function body(facts: PageFacts, sections: readonly Section[]): Markup {
  const { tool, identity } = facts.run
  return html`<a class="skip" href="#main">Skip to the report</a>
<div class="sheet">
<nav aria-label="Contents"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
<main id="main">
${verdictPart(facts)}
${sections.map(sectionPart)}
<footer><p>Made by ${tool.name} ${tool.version} from run <code>${identity.runId}</code>. Secrets and signatures are removed. All times are UTC.</p></footer>
</main>
</div>`
}

function sectionPart({ id, title, about, content }: Section): Part {
  return html`<section class="part" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${about !== '' && html`<p class="about">${about}</p>`}
${content}
</section>
`
}
