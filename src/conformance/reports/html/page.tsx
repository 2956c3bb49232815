import type { VNode } from 'preact'
import { Frame } from '../../../page-kit/frame.tsx'
import { inlineHash, pageText } from '../../../page-kit/page-text.ts'
import type { RunResult } from '../../result/result.ts'
import { unverified } from '../digest.ts'
import { escapeMarkup } from '../escape.ts'
import type { RenderOptions, Reporter } from '../reporter.ts'
import { Cards } from './cards.tsx'
import { NotTested } from './not-tested.tsx'
import { factsOf, type PageFacts } from './page-facts.ts'
import { Areas, Requirements } from './requirements.tsx'
import { Budget, Created, OpenPoints } from './rest.tsx'
import { SCRIPT } from './script.ts'
import { STYLE } from './style.ts'
import { Verdict } from './verdict.tsx'

/** What the page may do in a browser: be shown in its own style, and run its own script. */
const POLICY = [
  "default-src 'none'",
  `style-src '${inlineHash(STYLE)}'`,
  `script-src '${inlineHash(SCRIPT)}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** One file for people. It needs no other file and makes no requests, so it can be sent, printed and kept. */
export const htmlPage: Reporter = {
  wants: 'every-exchange',
  render: (run, options) => `${escapeMarkup(pageText(<Page run={run} options={options} />))}\n`,
}

const TITLES: Readonly<Record<RunResult['verdict'], string>> = {
  conforming: 'Conforms',
  non_conforming: 'Does not conform',
  not_fully_verified: 'Not fully verified',
  void: 'No verdict',
}

function Page({ run, options }: { run: RunResult; options: RenderOptions }) {
  const facts = factsOf(run, options)
  const parts = PARTS.filter(({ isEmpty }) => !isEmpty?.(run))
  return (
    <Frame title={`${TITLES[run.verdict]}: ${run.target.url}`} style={STYLE} script={SCRIPT} policy={POLICY}>
      <a class="skip" href="#main">
        Skip to the report
      </a>
      <div class="sheet">
        <nav aria-label="Contents">
          <ul>
            {parts.map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
        <main id="main">
          <Verdict facts={facts} />
          {parts.map((part) => (
            <PartOfPage key={part.id} part={part} facts={facts} />
          ))}
          <footer>
            Made by {run.tool.name} {run.tool.version} from run <code>{run.identity.runId}</code>. Secrets and
            signatures are removed. All times are UTC.
          </footer>
        </main>
      </div>
    </Frame>
  )
}

interface Part {
  id: string
  title: string
  /** What it is for, in a sentence. */
  about?: string
  Content: (props: { facts: PageFacts }) => VNode | null
  /** Whether it would say nothing. */
  isEmpty?: (run: RunResult) => boolean
}

const PARTS: readonly Part[] = [
  {
    id: 'areas',
    title: 'Areas',
    about: 'Verified requirements by heading of the document. Ids lead to the card that says most.',
    Content: Areas,
    isEmpty: ({ requirements }) => requirements.length === 0,
  },
  {
    id: 'results',
    title: 'Results',
    about: 'A card for each scenario. Filter and search also apply to the requirements below.',
    Content: Cards,
  },
  {
    id: 'unverified',
    title: 'What was not verified',
    about: 'These say nothing about your server either way.',
    Content: NotTested,
    isEmpty: (run) => unverified(run).length === 0 && run.requirements.every((row) => row.unobservable === undefined),
  },
  {
    id: 'requirements',
    title: 'Requirements',
    about: 'Every statement of the document that can be tested, in our words, grouped by heading.',
    Content: Requirements,
  },
  {
    id: 'answers',
    title: 'Answers to open points',
    about: 'The document leaves these points open. This is what the target does; every answer is allowed.',
    Content: OpenPoints,
    isEmpty: ({ observations }) => observations.length === 0,
  },
  { id: 'created', title: 'What the run created', Content: Created, isEmpty: ({ created }) => created.length === 0 },
  { id: 'budget', title: 'Budget', Content: Budget },
]

function PartOfPage({ part: { id, title, about, Content }, facts }: { part: Part; facts: PageFacts }) {
  return (
    <section class="part" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {about !== undefined && <p class="about">{about}</p>}
      <Content facts={facts} />
    </section>
  )
}
