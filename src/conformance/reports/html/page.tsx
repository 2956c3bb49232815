import type { VNode } from 'preact'
import { Frame } from '../../../page-kit/frame.tsx'
import { inlineHash, pageText } from '../../../page-kit/page-text.ts'
import { escapeMarkup, shorten } from '../escape.ts'
import { firstFew, grouped } from '../grouped.ts'
import { type Answer, answersOf } from '../open-points.ts'
import { headlineOf, type RenderOptions, type Reporter, type ReportModel, usageOf } from '../report-model.ts'
import { Cards } from './cards.tsx'
import { Failures } from './failures.tsx'
import { factsOf, type PageFacts } from './page-facts.ts'
import { Heads, Link } from './parts.tsx'
import { Areas, Requirements, Unverified } from './requirements.tsx'
import { SCRIPT } from './script.ts'
import { STYLE } from './style.ts'
import { capital, countOf, duration, value, withCommas } from './texts.ts'
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

const MAX_IDS = 400
const MAX_ID_CHARACTERS = 120

/** What the target does at open points of the document. */
export function OpenPoints({ facts }: { facts: PageFacts }) {
  const answers = answersOf(facts.run)
  const inOrder = new Set([...facts.run.requirements.map(({ id }) => id), ...answers.keys()])
  return (
    <dl class="answers">
      {[...inOrder].map(
        (id) => answers.has(id) && <Point key={id} facts={facts} id={id} answers={answers.get(id) ?? []} />,
      )}
    </dl>
  )
}

function Point({ facts, id, answers }: { facts: PageFacts; id: string; answers: readonly Answer[] }) {
  return (
    <div>
      <dt>
        <Link facts={facts} to="requirement" id={id} /> {facts.run.requirements.find((row) => row.id === id)?.text}
      </dt>
      {answers.map((answer) => (
        <dd key={answer.about + answer.value}>
          <AnswerLine facts={facts} answer={answer} />
        </dd>
      ))}
    </div>
  )
}

function AnswerLine({
  facts,
  answer: { about, value: seen, scenarios, pinned },
}: {
  facts: PageFacts
  answer: Answer
}) {
  return (
    <>
      {about !== '' && `${about}: `}
      <code class="seen">{value(seen)}</code> {pinned !== null && <>instead of {value(pinned)}, as pinned, </>}
      <span class="soft">
        in {scenarios.map((id, at) => [at > 0 && ', ', <Link key={id} facts={facts} to="scenario" id={id} />])}
      </span>
    </>
  )
}

/** What the run left on the target, by kind. */
function Created({ facts: { run, options } }: { facts: PageFacts }) {
  return (
    <>
      <p>
        {options.keepsNothing === true
          ? 'The target was a temporary sandbox. It is gone, and everything below with it.'
          : 'The API cannot delete anything, so these are still on the target.'}
      </p>
      {[...grouped(run.created, ({ kind }) => kind)].map(([kind, things]) => (
        <details key={kind} class="more">
          <summary>{countOf(things.length, kind.replaceAll('_', ' '))}</summary>
          <ul class="things">
            {firstFew(
              things.map(({ id }) => shorten(id, MAX_ID_CHARACTERS)),
              MAX_IDS,
            ).map((id) => (
              <li key={id}>{id}</li>
            ))}
          </ul>
        </details>
      ))}
    </>
  )
}

/** The most that the run was going to do, against what it did. */
export function Budget({ facts }: { facts: PageFacts }) {
  return (
    <>
      <table class="budget">
        <Heads of={['What', 'Declared', 'Budget', 'Used']} />
        <tbody>
          {budgetRows(facts).map(([name, ...cells]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {cells.map((cell) => (
                <td>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="soft">
        Used are the orders, quotes and webhooks that the target accepted. Declared is what the scenarios that may run
        say that they make.
      </p>
    </>
  )
}

function budgetRows({ run, options }: PageFacts): string[][] {
  const { plan, scenarios } = run
  const ran = scenarios.filter(({ checks }) => checks.some(({ verdict }) => verdict !== 'not_run'))
  const cell = (count: number | null, none: string) => (count === null ? none : withCommas(count))
  return [
    ...usageOf(run, options.keepsNothing).map(({ name, declared, budget, used }) => [
      ...[capital(name), cell(declared, ''), cell(budget, 'none'), cell(used, 'not counted')],
    ]),
    ['Longest wait', plan.longestWaitMs === 0 ? 'none' : duration(plan.longestWaitMs), '', ''],
    ...(plan.questions > 0 ? [['Questions to a person', `${plan.questions}`, '', '']] : []),
    ['Scenarios', `${plan.scenarios}`, '', `${ran.length}`],
  ]
}
