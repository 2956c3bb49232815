import type { VNode } from 'preact'
import { Frame } from '../../../page-kit/frame.tsx'
import { inlineHash, pageText } from '../../../page-kit/page-text.ts'
import { escapeMarkup } from '../escape.ts'
import type { ReportModel } from '../report-model.ts'
import type { RenderOptions, Reporter } from '../reporter.ts'
import { headlineOf } from '../verdict-words.ts'
import { Cards } from './cards.tsx'
import { Failures } from './failures.tsx'
import { Unverified } from './not-verified.tsx'
import { factsOf, type PageFacts } from './page-facts.ts'
import { Areas, Requirements } from './requirements.tsx'
import { Budget, Created, OpenPoints } from './rest.tsx'
import { SCRIPT } from './script.ts'
import { STYLE } from './style.ts'
import { capital } from './texts.ts'
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
  render: (model, options) => `${escapeMarkup(pageText(<Page model={model} options={options} />))}\n`,
}

function Page({ model, options }: { model: ReportModel; options: RenderOptions }) {
  const { run } = model
  const facts = factsOf(model, options)
  const parts = PARTS.filter(({ isEmpty }) => !isEmpty?.(model))
  return (
    <Frame
      title={`${capital(headlineOf(model).verdict)}: ${run.target.url}`}
      style={STYLE}
      script={SCRIPT}
      policy={POLICY}
    >
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
  isEmpty?: (model: ReportModel) => boolean
}

const PARTS: readonly Part[] = [
  {
    id: 'failures',
    title: 'Failures',
    about: 'Each requirement that failed, with each way in which it did and a line that reproduces it.',
    Content: Failures,
    isEmpty: ({ failed, known }) => failed.length + known.length === 0,
  },
  {
    id: 'areas',
    title: 'Areas',
    about: 'Passed requirements by heading of the document. Ids lead to what says most.',
    Content: Areas,
    isEmpty: ({ run }) => run.requirements.length === 0,
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
    Content: Unverified,
    isEmpty: ({ notVerified }) => notVerified.length === 0,
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
    isEmpty: ({ run }) => run.observations.length === 0,
  },
  { id: 'created', title: 'What the run created', Content: Created, isEmpty: ({ run }) => run.created.length === 0 },
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
