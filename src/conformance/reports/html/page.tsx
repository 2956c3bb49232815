import type { ComponentChildren, VNode } from 'preact'
import { firstFew, grouped } from '../../../contract/words.ts'
import { Frame } from '../../../page-kit/frame.tsx'
import { inlineHash, pageText } from '../../../page-kit/page-text.ts'
import type { RunResult } from '../../result/result.ts'
import { escapeMarkup, shorten } from '../escape.ts'
import { answersOf, type ObservedAnswer } from '../open-points.ts'
import {
  checkCountsText,
  checksWith,
  earlyEnd,
  headlineOf,
  idsOf,
  type RenderOptions,
  type Reporter,
  type ReportModel,
  usageOf,
} from '../report-model.ts'
import { Cards } from './cards.tsx'
import { Failures } from './failures.tsx'
import { countsOf, factsOf, type PageFacts } from './page-facts.ts'
import { Bar, classOf, Heads, Instant, Link } from './parts.tsx'
import { Areas, Requirements, Unverified } from './requirements.tsx'
import { SCRIPT } from './script.ts'
import { STYLE } from './style.ts'
import { capital, countOf, duration, value, withCommas } from './texts.ts'

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
function OpenPoints({ facts }: { facts: PageFacts }) {
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

function Point({ facts, id, answers }: { facts: PageFacts; id: string; answers: readonly ObservedAnswer[] }) {
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
  answer: ObservedAnswer
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
function Budget({ facts }: { facts: PageFacts }) {
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

/** The verdict as a sentence, what to do next, and what was tested. */
function Verdict({ facts }: { facts: PageFacts }) {
  const { run } = facts
  const { tone, verdict, sentence } = headlineOf(facts)
  const counts = countsOf(facts.rows)
  const early = earlyEnd(run)
  return (
    <>
      <header class={`verdict ${tone}`}>
        <Target run={run} />
        <h1>{capital(verdict)}</h1>
        <p class="says">{sentence}</p>
        {early !== null && (
          <p class="says">
            <strong>The run {early}.</strong> Checks that did not run are missing, so the verdict is not complete.
          </p>
        )}
        {counts.length > 0 && <Bar counts={counts} />}
        <ul class="legend" aria-label="Requirements by status">
          {counts.map(([name, count]) => (
            <li key={name}>
              <span class={`swatch ${classOf(name)}`} aria-hidden="true" />
              <b>{count}</b> {name}
            </li>
          ))}
        </ul>
        <NextSteps facts={facts} />
      </header>
      <Identity facts={facts} />
    </>
  )
}

/** What was tested: an API, or a partner's webhook receiver. */
function Target({ run }: { run: RunResult }) {
  const { url, environment } = run.target
  const isReceiver = environment === 'receiver'
  return (
    <>
      <p class="soft">{isReceiver ? 'Webhook receiver conformance to' : 'Conformance to'} the Partner Commerce API</p>
      <p class="soft">
        <code>{url}</code>
        {!isReceiver && ` in the environment ${environment}`}
      </p>
    </>
  )
}

/** What to do next, most useful first. */
function NextSteps({ facts }: { facts: PageFacts }) {
  const steps = [firstFailure(facts), doubts(facts), drift(facts), biggestGap(facts)].filter((step) => step !== null)
  return (
    <div class="next">
      <h2>What to do next</h2>
      {steps.length === 0 ? <p>{nothingLeft(facts)}</p> : <ol>{steps}</ol>}
    </div>
  )
}

function nothingLeft({ run }: PageFacts): string {
  if (run.verdict === 'void') return 'Select at least one scenario, and run again.'
  return 'Nothing to fix. Keep the log of this run (--reporter ndjson): report diff compares the next run with it.'
}

function firstFailure(facts: PageFacts): ComponentChildren {
  const [first] = facts.failed
  if (!first) return null
  return (
    <li key="fail">
      Start with{' '}
      <Link facts={facts} to="failure" id={first.id}>
        {first.requirement?.text ?? first.id}
      </Link>{' '}
      It has the answer and a command that repeats it.
    </li>
  )
}

function doubts(facts: PageFacts): ComponentChildren {
  const count = checksWith(facts, 'inconclusive', 'harness_error').length
  if (count === 0) return null
  return (
    <li key="doubt">
      Read <a href="#results">{countOf(count, 'inconclusive result')}</a>. Each says what would settle it.
    </li>
  )
}

function drift(facts: PageFacts): ComponentChildren {
  const ids = idsOf(checksWith(facts, 'drift'))
  if (ids === '') return null
  return (
    <li key="drift">
      See whether <a href="#answers">what is not as pinned</a> is meant: {ids}
    </li>
  )
}

function biggestGap({ notVerified }: PageFacts): ComponentChildren {
  const [gap] = notVerified.filter(({ code }) => code !== undefined && code !== 'open-point' && code !== 'filtered')
  if (!gap) return null
  return (
    <li key="gap">
      To test {countOf(gap.requirements.length, 'more requirement')}: {gap.todo}{' '}
      <a href="#unverified">All that was not verified</a>
    </li>
  )
}

function Identity({ facts }: { facts: PageFacts }) {
  const { run } = facts
  const { edition, scenarios, target, runId } = run.identity
  const versions = { requirements: edition, scenarios, 'target file': target, 'this run': runId }
  return (
    <dl class="facts">
      <Fact name="Profile">
        {run.profile.name} <span class="soft">({countOf(run.profile.requirements.length, 'requirement')})</span>
      </Fact>
      <Fact name="When">
        <Instant iso={run.startedAt} />
      </Fact>
      <Fact name="Took">
        {duration(run.durationMs)} <span class="soft">({countOf(run.summary.requests, 'request')})</span>
      </Fact>
      <Fact name="Judged by">{`${run.tool.name} ${run.tool.version}`}</Fact>
      <Fact name="Checks" isWide>
        {checkCountsText(facts)}
      </Fact>
      <Fact name="Versions (compare only runs with the same)" isWide>
        {Object.entries(versions).map(([name, digest]) => (
          <span key={name}>
            {name} <code>{digest}</code>
          </span>
        ))}
      </Fact>
    </dl>
  )
}

function Fact({ name, isWide, children }: { name: string; isWide?: boolean; children: ComponentChildren }) {
  return (
    <div {...(isWide && { class: 'wide' })}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
